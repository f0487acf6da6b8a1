// Radix sort of long lists of keys, for which networks and comparisons are slower.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace skgraded {

constexpr int kDigitBits = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr int kKeyBits = 63;  // keys are positive doubles

// Below this length counting 256 digits costs more than comparing.
constexpr std::int64_t kShortestRadix = 256;

inline std::size_t digit(std::uint64_t key, int shift) noexcept {
  return static_cast<std::size_t>(key >> shift) & (kDigits - 1);
}

// Moves the keys into `to`, stable by one digit; false (and nothing moved) where all share it.
inline bool sort_by_digit(const std::uint64_t* from, std::uint64_t* to, std::int64_t n,
                          int shift) noexcept {
  std::int64_t place[kDigits] = {};
  for (std::int64_t i = 0; i < n; ++i) ++place[digit(from[i], shift)];
  if (place[digit(from[0], shift)] == n) return false;
  std::int64_t before = 0;
  for (std::int64_t& count : place) before += std::exchange(count, before);
  for (std::int64_t i = 0; i < n; ++i) to[place[digit(from[i], shift)]++] = from[i];
  return true;
}

// Sorts n keys that ascend in their lowest `sorted_bits` bits already (documents stand in row
// order, and those bits are their index). Returns where the sorted keys are: keys or spare.
inline const std::uint64_t* sort_keys(std::uint64_t* keys, std::uint64_t* spare, std::int64_t n,
                                      int sorted_bits) noexcept {
  if (n < kShortestRadix) {
    std::sort(keys, keys + n);
    return keys;
  }
  for (int shift = sorted_bits; shift < kKeyBits; shift += kDigitBits) {
    if (sort_by_digit(keys, spare, n, shift)) std::swap(keys, spare);
  }
  return keys;
}

}  // namespace skgraded
