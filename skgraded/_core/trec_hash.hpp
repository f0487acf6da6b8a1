// The hash of ids: keyed, so that nobody can craft a file of ids that collide. Nothing but the time
// of a look-up depends on the key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

namespace skgraded::trec {

using HashKey = std::array<std::uint64_t, 2>;

// Random, for one table.
inline HashKey draw_key() {
  std::random_device device;
  HashKey key{};
  for (std::uint64_t& word : key) {
    word = device();
    word = word << 32 | device();
  }
  return key;
}

// Aumasson and Bernstein (2012), SipHash, with one round a word and three at the end.
class SipHash {
 public:
  explicit SipHash(const HashKey& key) noexcept
      : a_(key[0] ^ 0x736f6d6570736575ULL),
        b_(key[1] ^ 0x646f72616e646f6dULL),
        c_(key[0] ^ 0x6c7967656e657261ULL),
        d_(key[1] ^ 0x7465646279746573ULL) {}

  void add(std::uint64_t word) noexcept {
    d_ ^= word;
    mix();
    a_ ^= word;
  }

  std::uint64_t finish() noexcept {
    c_ ^= 0xff;
    for (int round = 0; round < 3; ++round) mix();
    return a_ ^ b_ ^ c_ ^ d_;
  }

 private:
  static std::uint64_t rotate(std::uint64_t word, int bits) noexcept {
    return word << bits | word >> (64 - bits);
  }

  void mix() noexcept {
    a_ += b_;
    c_ += d_;
    b_ = rotate(b_, 13) ^ a_;
    d_ = rotate(d_, 16) ^ c_;
    a_ = rotate(a_, 32) + d_;
    c_ += b_;
    d_ = rotate(d_, 21) ^ a_;
    b_ = rotate(b_, 17) ^ c_;
    c_ = rotate(c_, 32);
  }

  std::uint64_t a_, b_, c_, d_;
};

inline std::uint64_t hash_of(std::string_view id, const HashKey& key) noexcept {
  SipHash hash(key);
  const char* at = id.data();
  std::size_t left = id.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    hash.add(word);
  }
  std::uint64_t last = static_cast<std::uint64_t>(id.size()) << 56;
  for (std::size_t i = 0; i < left; ++i)
    last |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  hash.add(last);
  return hash.finish();
}

// For the containers of the standard library.
struct KeyedHash {
  HashKey key;

  std::size_t operator()(std::string_view id) const noexcept {
    return static_cast<std::size_t>(hash_of(id, key));
  }
};

}  // namespace skgraded::trec
