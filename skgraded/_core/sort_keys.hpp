// Sort keys: a score's order and the document's index in one number, so that sorting moves both.
#pragma once

#include <cstdint>
#include <cstring>

namespace skgraded {

// Both directions by memcpy, the defined way; the compiler makes it a register move.
inline std::uint64_t bits_of(double value) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline double from_bits(std::uint64_t bits) noexcept {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Bits that ascend where scores descend; both zeros are one.
inline std::uint64_t descending_bits(double score) noexcept {
  constexpr std::uint64_t kAllButSign = ~std::uint64_t{0} >> 1;
  const std::uint64_t bits = bits_of(score + 0.0);
  return bits ^ (kAllButSign & ((bits >> 63) - 1));
}

// How many low bits of a key hold the index of a document among n.
inline int index_bits(std::int64_t n) noexcept {
  int bits = 0;
  while ((std::int64_t{1} << bits) < n) ++bits;
  return bits;
}

// Keys ascend by score, best first, then by index. Where scores differ only in bits that the index
// has taken, keys share their prefix and the true scores must decide.
//
// Read as doubles, keys are positive and normal and keep their order. The minimum of two doubles is
// one instruction on every machine, that of two 64-bit integers is not.
struct SortKeys {
  std::uint64_t index_mask;

  explicit SortKeys(std::int64_t n) noexcept
      : index_mask((std::uint64_t{1} << index_bits(n)) - 1) {}

  // Of the score's descending bits.
  std::uint64_t key(std::uint64_t bits, std::int64_t index) const noexcept {
    constexpr std::uint64_t kSmallestNormal = std::uint64_t{1} << 52;
    const std::uint64_t prefix = (bits >> 2) & ~index_mask;
    return (prefix | static_cast<std::uint64_t>(index)) + kSmallestNormal;
  }

  std::int32_t index(std::uint64_t key) const noexcept {
    return static_cast<std::int32_t>(key & index_mask);
  }

  bool same_prefix(std::uint64_t key, std::uint64_t other) const noexcept {
    return (key ^ other) <= index_mask;
  }
};

}  // namespace skgraded
