// The product of two 64-bit numbers in its full 128 bits.
#pragma once

#include <cstdint>

namespace skgraded {

struct WideProduct {
  std::uint64_t high, low;
};

inline WideProduct multiply_in_halves(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t a_high = a >> 32, a_low = a & 0xffffffffU;
  const std::uint64_t b_high = b >> 32, b_low = b & 0xffffffffU;
  const std::uint64_t low = a_low * b_low, cross = a_high * b_low + (low >> 32);
  const std::uint64_t other = a_low * b_high + (cross & 0xffffffffU);
  return {a_high * b_high + (cross >> 32) + (other >> 32), a * b};
}

inline WideProduct multiply_wide(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#else
  return multiply_in_halves(a, b);
#endif
}

}  // namespace skgraded
