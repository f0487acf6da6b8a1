// Shuffles: values of systems shuffled within every topic, and the range of the systems' sums, as
// the randomised Tukey test needs them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "wide_product.hpp"

namespace skgraded {

// Steele, Lea and Flood (2014), SplitMix64: word i of a seed's sequence, in any order.
class CountedWords {
 public:
  CountedWords(std::uint64_t seed, std::uint64_t first) noexcept : state_(seed + first * kStep) {}

  std::uint64_t next() noexcept {
    std::uint64_t word = state_ += kStep;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    return word ^ (word >> 31);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;

  std::uint64_t state_;
};

// Random places below n, n - 1, ..., 2, as a shuffle of n values takes them. Brackett-Rozinsky and
// Lemire (2024): one word of 64 bits gives several of them, without any bias.
class ShufflePlaces {
 public:
  explicit ShufflePlaces(std::uint32_t n) : places_(n > 0 ? n - 1 : 0) {
    for (std::uint32_t bound = n; bound >= 2;) {
      Batch batch{bound, 0, 1};
      for (; bound >= 2 && batch.product <= kLargestProduct / bound; --bound, ++batch.count)
        batch.product *= bound;
      batches_.push_back(batch);
    }
  }

  // The places of the last value, the last but one, and so on.
  const std::uint32_t* draw(CountedWords& words) noexcept {
    std::uint32_t* place = places_.data();
    for (const Batch& batch : batches_) {
      while (!draw_batch(batch, words.next(), place)) {
      }
      place += batch.count;
    }
    return places_.data();
  }

 private:
  // A product of bounds far below 2^64 makes it rare that a word is refused.
  static constexpr std::uint64_t kLargestProduct = std::uint64_t{1} << 56;

  struct Batch {
    std::uint32_t first_bound, count;
    std::uint64_t product;
  };

  // Whether the word is one of the largest multiple of the product of the bounds.
  static bool draw_batch(const Batch& batch, std::uint64_t word, std::uint32_t* place) noexcept {
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const WideProduct scaled = multiply_wide(word, batch.first_bound - i);
      place[i] = static_cast<std::uint32_t>(scaled.high);
      word = scaled.low;
    }
    return word >= batch.product || word >= (0 - batch.product) % batch.product;
  }

  std::vector<Batch> batches_;
  std::vector<std::uint32_t> places_;
};

// Shuffles the values of one topic (Fisher and Yates) and adds them to the sums.
inline void shuffle_into(double* values, std::uint32_t n, const std::uint32_t* place,
                         double* sums) noexcept {
  for (std::uint32_t last = n - 1; last > 0; --last, ++place) {
    const double drawn = values[*place];
    values[*place] = values[last];
    values[last] = drawn;
    sums[last] += drawn;
  }
  sums[0] += values[0];
}

// values[t * n_systems + s] of topic t and system s. Resample r takes the words from 2^32 r on, so
// that it does not depend on how many there are. The first topic stays as it is: only the order of
// the others beside it matters to the range.
inline void shuffled_ranges(std::vector<double> values, std::uint32_t n_systems, std::uint64_t seed,
                            std::int64_t n_resamples, double* range) {
  const std::size_t n = n_systems, n_topics = values.size() / n;
  ShufflePlaces places(n_systems);
  std::vector<double> sums(n), topic(n);
  for (std::int64_t r = 0; r < n_resamples; ++r) {
    CountedWords words(seed, static_cast<std::uint64_t>(r) << 32);
    std::copy_n(values.begin(), n, sums.begin());
    for (std::size_t t = 1; t < n_topics; ++t) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(t * n), n, topic.begin());
      shuffle_into(topic.data(), n_systems, places.draw(words), sums.data());
    }
    const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
    range[r] = *most - *least;
  }
}

}  // namespace skgraded
