// What the native tests share: random numbers, and a count of what does not hold.
//
// Each of them is compiled and run alone, from the root of the repository:
//
//   g++ -std=c++17 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
//     -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Werror -pthread
//     -I skgraded/_core tests/native/test_trec.cpp -o test_trec && ./test_trec
#pragma once

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

namespace skgraded::tests {

using Random = std::mt19937_64;

inline int n_failures = 0;

inline void expect(bool holds, const std::string& what, const std::string& detail = "") {
  if (holds) return;
  ++n_failures;
  std::printf("FAILED: %s %s\n", what.c_str(), detail.c_str());
}

inline std::int64_t below(Random& random, std::int64_t bound) {
  return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random);
}

inline int report() {
  std::printf(n_failures == 0 ? "all holds\n" : "%d failures\n", n_failures);
  return n_failures == 0 ? 0 : 1;
}

}  // namespace skgraded::tests
