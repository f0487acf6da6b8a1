// Python bindings of kernels that measures have of their own, for their mean over tied orders.
#include <nanobind/nanobind.h>

#include <cstdint>

#include "arrays.hpp"
#include "inferred.hpp"
#include "overlap.hpp"
#include "preference.hpp"
#include "queries.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void define_expected(nb::module_& m);

namespace {

using namespace skgraded;

using Bytes = In<std::uint8_t>;
using Doubles = In<double>;
using Integers = In<std::int64_t>;

Out<double> py_inferred_precisions(const In<std::int32_t>& by_rank, const Bytes& tied,
                                   const Integers& indptr, const Bytes& relevant, double epsilon,
                                   std::int64_t cutoff, bool expected, std::int64_t n_threads) {
  const Fit fit("inferred_precisions");
  const auto lists = fit.lists(by_rank, tied, indptr);
  fit.below(relevant.size(), by_rank);
  return fill(New<double>{count_of(lists.queries)}, [&](double* value) {
    inferred_precisions(lists, relevant.data(), epsilon, cutoff, expected, n_threads, value);
  });
}

template <class Level>
struct OfLevels {
  using Levels = In<Level>;

  static Out<double> discounted_preferences(const Levels& by_rank, const Bytes& tied,
                                            const Integers& indptr, const Bytes& relevant,
                                            const Doubles& worth, std::int64_t cutoff,
                                            bool expected, std::int64_t n_threads) {
    const Fit fit("discounted_preferences");
    const auto lists = fit.lists(by_rank, tied, indptr);
    fit.weights(worth, false, lists.queries);
    fit.below(relevant.size(), by_rank);
    const auto worths = [&](std::int64_t) noexcept { return Worths{worth.data()}; };
    return fill(New<double>{count_of(lists.queries)}, [&](double* value) {
      preferences(lists, relevant.data(), worths, cutoff, expected, n_threads, value);
    });
  }

  static Out<double> overlaps(const Levels& by_rank, const Integers& indptr,
                              const Levels& pool_by_rank, const Integers& pool_indptr,
                              const Doubles& weight, const Integers& depth, std::int64_t n_levels,
                              std::int64_t n_threads) {
    const Fit fit("overlaps");
    const Queries queries = fit.queries(indptr, by_rank);
    const Queries pools = fit.queries(pool_indptr, pool_by_rank);
    fit.require(pools.count == queries.count && depth.size() == count_of(queries));
    return fill(New<double>{count_of(queries)}, [&](double* value) {
      skgraded::overlaps(by_rank.data(), queries, pool_by_rank.data(), pools, weight.data(),
                         depth.data(), n_levels, n_threads, value);
    });
  }

  static void define(nb::module_& m) {
    m.def("discounted_preferences", &discounted_preferences, "level_by_rank"_a, "tied"_a,
          "indptr"_a, "relevant"_a, "worth"_a, "cutoff"_a, "expected"_a, "n_threads"_a,
          "Sum over relevant documents of worth[non-relevant documents above], by query.");
    m.def("overlaps", &overlaps, "level_by_rank"_a, "indptr"_a, "pool_by_rank"_a, "pool_indptr"_a,
          "weight"_a, "depth"_a, "n_levels"_a, "n_threads"_a,
          "Weighted sum over depths of the documents shared with the ideal ranking, by query.");
  }
};

}  // namespace

void define_expected(nb::module_& m) {
  m.def("inferred_precisions", &py_inferred_precisions, "code_by_rank"_a, "tied"_a, "indptr"_a,
        "relevant"_a, "epsilon"_a, "cutoff"_a, "expected"_a, "n_threads"_a,
        "Sum of the inferred precisions at the relevant documents, by query.\n\n"
        "The code 0 is outside the pool, 1 is unsampled, and the sampled levels start at 2.");
  OfLevels<std::uint8_t>::define(m);
  OfLevels<std::int32_t>::define(m);
}
