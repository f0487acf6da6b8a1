// Memory of results at the sizes where its kind changes, under sanitizers.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>

#include "large_memory.hpp"

// AddressSanitizer reads this: it is to refuse as malloc does, instead of ending the program.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::exit(1);
}

void check_all_bytes(std::size_t n_bytes) {
  void* memory = skgraded::allocate_memory(n_bytes);
  require(memory != nullptr, "memory of any size, none included");
  if (SKGRADED_HAS_HUGE_PAGES && n_bytes >= skgraded::kLargeMemory)
    require(reinterpret_cast<std::uintptr_t>(memory) % skgraded::kHugePage == 0, "huge pages");
  std::memset(memory, 0x5a, n_bytes);
  const auto* bytes = static_cast<const unsigned char*>(memory);
  require(n_bytes == 0 || (bytes[0] == 0x5a && bytes[n_bytes - 1] == 0x5a), "all bytes are ours");
  skgraded::free_memory(memory);
}

void check_refusal(volatile std::size_t n_bytes) {
  bool refused = false;
  try {
    void* volatile memory = skgraded::allocate_memory(n_bytes);  // else a compiler may leave it out
    skgraded::free_memory(memory);
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  require(refused, "more memory than there is");
}

}  // namespace

int main() {
  const std::size_t large = skgraded::kLargeMemory;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, large - 1, large, large + 1,
                              3 * large + skgraded::kHugePage / 2})
    check_all_bytes(n);
  check_refusal(std::numeric_limits<std::size_t>::max() / 4);
  std::puts("memory: none, small and large, all bytes writable");
  return 0;
}
