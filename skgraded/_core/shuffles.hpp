// Shuffles: values of systems shuffled within every topic, and the range of the systems' sums, as
// the randomised Tukey test needs them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simd.hpp"
#include "splitmix.hpp"
#include "wide_product.hpp"

namespace skgraded {

// Resamples side by side, a lane each: while one waits for a value that was just moved, the others
// go on.
constexpr std::size_t kShuffles = 8;

// The words of a seed's sequence by SplitMix, in every lane from another one on.
class LaneWords {
 public:
  // Lane l begins with word first + l * distance.
  LaneWords(std::uint64_t seed, std::uint64_t first, std::uint64_t distance) noexcept {
    for (std::size_t l = 0; l < kShuffles; ++l) state_[l] = seed + (first + l * distance) * kGolden;
  }

  std::uint64_t next(std::size_t lane) noexcept {
    const std::uint64_t word = mix(state_[lane]);
    state_[lane] += kGolden;
    return word;
  }

 private:
  std::uint64_t state_[kShuffles];
};

// One number below each of first_bound, first_bound - 1, ..., `count` of them: the upper half of
// the product of bound and word, whose lower half is the word for the next bound. The numbers
// stand kShuffles apart.
inline void scale_word(std::uint64_t& word, std::uint32_t first_bound, std::uint32_t count,
                       std::uint32_t* scaled) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    const WideProduct product = multiply_wide(word, first_bound - i);
    scaled[i * kShuffles] = static_cast<std::uint32_t>(product.high);
    word = product.low;
  }
}

// Random places below n, n - 1, ..., 2, as a shuffle of n values takes them. Brackett-Rozinsky and
// Lemire (2024): one word of 64 bits gives several of them, without any bias.
class ShufflePlaces {
 public:
  explicit ShufflePlaces(std::uint32_t n) : places_((n > 0 ? n - 1 : 0) * kShuffles) {
    for (std::uint32_t bound = n; bound >= 2;) {
      Batch batch{bound, 0, 1, 0};
      for (; bound >= 2 && batch.product <= kLargestProduct / bound; --bound, ++batch.count)
        batch.product *= bound;
      batch.n_refused = (0 - batch.product) % batch.product;
      batches_.push_back(batch);
    }
  }

  // The places of the last value, the last but one, and so on: the lanes' places side by side.
  const std::uint32_t* draw(LaneWords& words) noexcept {
    std::uint32_t* place = places_.data();
    for (const Batch& batch : batches_) {
      draw_batch(batch, words, place);
      place += batch.count * kShuffles;
    }
    return places_.data();
  }

 private:
  // A product of bounds far below 2^64 makes it rare that a word is refused.
  static constexpr std::uint64_t kLargestProduct = std::uint64_t{1} << 56;

  struct Batch {
    std::uint32_t first_bound, count;
    std::uint64_t product;
    std::uint64_t n_refused;  // words beyond the largest multiple of the product
  };

  void draw_batch(const Batch& batch, LaneWords& words, std::uint32_t* place) noexcept {
    std::uint64_t word[kShuffles];
    bool is_refused = false;
    for (std::size_t l = 0; l < kShuffles; ++l) {
      word[l] = words.next(l);
      scale_word(word[l], batch.first_bound, batch.count, place + l);
      is_refused |= word[l] < batch.n_refused;
    }
    if (is_refused) draw_again(batch, words, word, place);
  }

  // The lanes whose word was refused take the next ones of their own.
  SKGRADED_NEVER_INLINE static void draw_again(const Batch& batch, LaneWords& words,
                                               const std::uint64_t* rest,
                                               std::uint32_t* place) noexcept {
    for (std::size_t l = 0; l < kShuffles; ++l) {
      std::uint64_t word = rest[l];
      while (word < batch.n_refused) {
        word = words.next(l);
        scale_word(word, batch.first_bound, batch.count, place + l);
      }
    }
  }

  std::vector<Batch> batches_;
  std::vector<std::uint32_t> places_;
};

// Shuffles values of one topic (Fisher and Yates), the same in all lanes, and adds them to the
// sums. A drawn value goes into the sums alone, because no later place is as far up.
inline void shuffle_into(const double* values, std::uint32_t n, const std::uint32_t* place,
                         double* lanes, double* sums) noexcept {
  for (std::size_t i = 0; i < n; ++i) std::fill_n(lanes + i * kShuffles, kShuffles, values[i]);
  for (std::size_t last = n - 1; last > 0; --last, place += kShuffles) {
    for (std::size_t l = 0; l < kShuffles; ++l) {
      double& at_place = lanes[place[l] * kShuffles + l];
      const double drawn = at_place;
      at_place = lanes[last * kShuffles + l];
      sums[last * kShuffles + l] += drawn;
    }
  }
  for (std::size_t l = 0; l < kShuffles; ++l) sums[l] += lanes[l];
}

// The largest of n sums less the smallest one, in every lane.
inline void lane_ranges(const double* sums, std::size_t n, double* range) noexcept {
  double least[kShuffles], most[kShuffles];
  std::copy_n(sums, kShuffles, least);
  std::copy_n(sums, kShuffles, most);
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t l = 0; l < kShuffles; ++l) {
      const double sum = sums[i * kShuffles + l];
      least[l] = std::min(least[l], sum);
      most[l] = std::max(most[l], sum);
    }
  }
  for (std::size_t l = 0; l < kShuffles; ++l) range[l] = most[l] - least[l];
}

// values[t * n_systems + s] of topic t and system s. Resample r takes the words from 2^32 r on, so
// that it does not depend on how many there are. The first topic stays as it is: only the order of
// the others beside it matters to the range.
inline void shuffled_ranges(const double* values, std::size_t n_topics, std::uint32_t n_systems,
                            std::uint64_t seed, std::size_t n_resamples, double* range) {
  constexpr std::uint64_t kDistance = std::uint64_t{1} << 32;
  const std::size_t n = n_systems;
  ShufflePlaces places(n_systems);
  std::vector<double> sums(n * kShuffles), lanes(n * kShuffles);
  double found[kShuffles];
  for (std::size_t r = 0; r < n_resamples; r += kShuffles) {
    LaneWords words(seed, r * kDistance, kDistance);
    for (std::size_t s = 0; s < n; ++s) std::fill_n(&sums[s * kShuffles], kShuffles, values[s]);
    for (std::size_t t = 1; t < n_topics; ++t)
      shuffle_into(values + t * n, n_systems, places.draw(words), lanes.data(), sums.data());
    lane_ranges(sums.data(), n, found);
    std::copy_n(found, std::min(kShuffles, n_resamples - r), range + r);
  }
}

}  // namespace skgraded
