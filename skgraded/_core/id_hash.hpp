// The hash of ids: keyed, so that nobody who does not know the key, which callers draw at random,
// can craft a file of ids that collide. Nothing but the time of a look-up depends on the key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "splitmix.hpp"
#include "wide_product.hpp"

namespace skgraded {

using HashKey = std::array<std::uint64_t, 2>;

inline HashKey key_from(std::uint64_t seed) noexcept { return {mix(seed), mix(seed + kGolden)}; }

// The two halves of a product with a secret factor, one folded over the other, as in wyhash. Who
// does not know the factor, which is never 0, cannot tell which words collide.
inline std::uint64_t fold(std::uint64_t word, std::uint64_t factor) noexcept {
  const WideProduct product = multiply_wide(word, factor | 1);
  return product.high ^ product.low;
}

template <class Word>
inline std::uint64_t word_at(const char* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Up to eight bytes as a word that tells texts of one length apart.
inline std::uint64_t short_word(const char* at, std::size_t n) noexcept {
  if (n >= 4) return word_at<std::uint32_t>(at) << 32 | word_at<std::uint32_t>(at + n - 4);
  if (n == 0) return 0;
  const auto byte = [at](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(at[i]));
  };
  return byte(0) << 16 | byte(n / 2) << 8 | byte(n - 1);
}

// Whether two ids are equal, without the call that a comparison of any bytes takes.
inline bool same_text(std::string_view a, std::string_view b) noexcept {
  const std::size_t n = a.size();
  if (n != b.size()) return false;
  if (n < 8) return short_word(a.data(), n) == short_word(b.data(), n);
  for (std::size_t i = 0; i + 8 < n; i += 8)
    if (word_at<std::uint64_t>(a.data() + i) != word_at<std::uint64_t>(b.data() + i)) return false;
  return word_at<std::uint64_t>(a.data() + n - 8) == word_at<std::uint64_t>(b.data() + n - 8);
}

inline std::uint64_t hash_of(std::uint64_t id, const HashKey& key) noexcept {
  return fold(id ^ key[0], key[1]);
}

// Words of eight bytes, of which the last two may overlap.
inline std::uint64_t hash_of(std::string_view id, const HashKey& key) noexcept {
  const char* at = id.data();
  std::size_t left = id.size();
  std::uint64_t hash = key[0];
  for (; left > 8; at += 8, left -= 8) hash = fold(hash ^ word_at<std::uint64_t>(at), key[1]);
  const bool has_word = id.size() >= 8;
  const std::uint64_t last =
      has_word ? word_at<std::uint64_t>(at + left - 8) : short_word(at, left);
  return fold(fold(hash ^ last, key[1]) ^ key[0] ^ id.size(), key[1]);
}

// A number that stands for bytes: others of the same length have it too once in 2^64. Four chains
// of products, of two words each, wait for each other less than one would. They start at numbers
// that data do not hold: the product with a word that is equal to a chain is 0, whatever the other.
inline std::uint64_t digest_of(std::string_view bytes) noexcept {
  constexpr std::size_t kRow = 64;
  const HashKey key = key_from(0);
  std::uint64_t chains[] = {mix(1), mix(2), mix(3), mix(4)};
  for (; bytes.size() >= kRow; bytes.remove_prefix(kRow)) {
    const char* at = bytes.data();
    for (std::uint64_t& chain : chains) {
      const WideProduct product = multiply_wide(word_at<std::uint64_t>(at) ^ key[0],
                                                word_at<std::uint64_t>(at + 8) ^ chain);
      chain = product.high ^ product.low;
      at += 16;
    }
  }
  std::uint64_t digest = hash_of(bytes, key);
  for (const std::uint64_t chain : chains) digest = fold(digest ^ chain, key[1]);
  return digest;
}

// For the containers of the standard library.
struct KeyedHash {
  HashKey key;

  std::size_t operator()(std::string_view id) const noexcept {
    return static_cast<std::size_t>(hash_of(id, key));
  }
};

}  // namespace skgraded
