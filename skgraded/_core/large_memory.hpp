// Memory for results; large results are in huge pages. A system clears a page of 4 KB when it is
// first written to, which takes longer than most kernels take to compute its numbers.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#define SKGRADED_HAS_HUGE_PAGES 1
#else
#define SKGRADED_HAS_HUGE_PAGES 0
#endif

namespace skgraded {

constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kLargeMemory = 2 * kHugePage;  // as NumPy does

// Uninitialized; to be given back to `free_memory`. Throws std::bad_alloc.
inline void* allocate_memory(std::size_t n_bytes) {
#if SKGRADED_HAS_HUGE_PAGES
  if (n_bytes >= kLargeMemory) {
    void* memory = nullptr;
    if (posix_memalign(&memory, kHugePage, n_bytes) != 0) throw std::bad_alloc();
    madvise(memory, n_bytes, MADV_HUGEPAGE);  // advice that the system may ignore
    return memory;
  }
#endif
  void* memory = std::malloc(n_bytes > 0 ? n_bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

inline void free_memory(void* memory) noexcept { std::free(memory); }

}  // namespace skgraded
