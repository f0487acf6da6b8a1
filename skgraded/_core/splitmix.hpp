// SplitMix: a hash and generator of bits that look random.
#pragma once

#include <cstdint>

#include "simd.hpp"

namespace skgraded {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

// Steele, Lea and Flood (2014). mix(key), mix(key + kGolden), mix(key + 2 kGolden), ... is their
// generator; every number can be computed without those before it.
SKGRADED_ALWAYS_INLINE std::uint64_t mix(std::uint64_t bits) noexcept {
  bits += kGolden;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace skgraded
