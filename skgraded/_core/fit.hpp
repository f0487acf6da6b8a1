// Checks that the arrays of a kernel fit each other, in O(1): the kernels themselves do not look.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "queries.hpp"

namespace skgraded {

template <class Array>
std::int64_t length_of(const Array& array) noexcept {
  return static_cast<std::int64_t>(array.size());
}

class Fit {
  const char* kernel_;

 public:
  explicit Fit(const char* kernel) noexcept : kernel_(kernel) {}

  void require(bool fits) const {
    if (!fits) throw nanobind::value_error(complaint().c_str());
  }

  // The queries of these borders, whose documents all have an entry in each of the arrays.
  template <class Borders, class... Arrays>
  Queries queries(const Borders& borders, const Arrays&... by_document) const {
    require(borders.size() > 0);
    const Queries found{borders.data(), length_of(borders) - 1};
    const std::int64_t end = found.begin(found.count);
    require(0 <= found.begin(0) && found.begin(0) <= end &&
            ((end <= length_of(by_document)) && ...));
    inspect([&] { return std::is_sorted(borders.data(), borders.data() + borders.size()); });
    return found;
  }

  // The ranked lists of these borders.
  template <class Levels, class Ties, class Borders>
  auto lists(const Levels& by_rank, const Ties& tied, const Borders& borders) const {
    using Level = std::remove_cv_t<std::remove_reference_t<decltype(*by_rank.data())>>;
    return RankedLists<Level>{by_rank.data(), tied.data(), queries(borders, by_rank, tied)};
  }

  // Weights of all documents, or of the ranks of any list down to the cut-off. The longest list has
  // at least as many documents as lists have in the mean.
  template <class Weights>
  RankWeights weights(const Weights& weights, bool ragged, const Queries& queries,
                      std::int64_t cutoff = std::numeric_limits<std::int64_t>::max()) const {
    const std::int64_t n = length_of(weights);
    require(ragged ? queries.begin(queries.count) <= n
                   : n >= cutoff || queries.documents() <= n * queries.count);
    inspect([&] { return ragged || n >= std::min(cutoff, queries.longest()); });
    return {weights.data(), ragged};
  }

  // Whether an optional array is left out, or has so many entries.
  template <class Array>
  void require_length(const Array& array, std::int64_t n) const {
    require(array.size() == 0 || length_of(array) == n);
  }

  // Numbers of rows, levels or places.
  template <class Numbers>
  void below(std::size_t bound, const Numbers& numbers) const {
    inspect([&] {
      return std::all_of(numbers.data(), numbers.data() + numbers.size(),
                         [=](auto number) { return static_cast<std::size_t>(number) < bound; });
    });
  }

  // Numbers of documents within their queries.
  template <class Numbers>
  void within(const Queries& queries, const Numbers& numbers) const {
    inspect([&] {
      for (std::int64_t q = 0; q < queries.count; ++q)
        for (std::int64_t i = queries.begin(q); i < queries.begin(q + 1); ++i)
          if (numbers.data()[i] < 0 || numbers.data()[i] >= queries.size(q)) return false;
      return true;
    });
  }

  // What only a look at all entries tells is asserted in builds under a sanitizer.
  template <class Holds>
  void inspect([[maybe_unused]] const Holds& holds) const {
#ifdef SKGRADED_SANITIZER_CONTROL
    if (!holds()) throw std::logic_error(complaint());
#endif
  }

 private:
  std::string complaint() const {
    return std::string(kernel_) + " got arrays that do not fit each other.";
  }
};

}  // namespace skgraded
