// Python bindings of kernels that measures have of their own, for their mean over tied orders.
#include <nanobind/nanobind.h>

#include <cstdint>

#include "arrays.hpp"
#include "inferred.hpp"
#include "missed_gain.hpp"
#include "overlap.hpp"
#include "preference.hpp"
#include "preferred.hpp"
#include "queries.hpp"
#include "relevant_dcg.hpp"
#include "wanted_gain.hpp"

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
  const Queries queries = queries_of(indptr);
  return fill(New<double>{count_of(queries)}, [&](double* value) {
    inferred_precisions(by_rank.data(), tied.data(), queries, relevant.data(), epsilon, cutoff,
                        expected, n_threads, value);
  });
}

template <class Level>
struct OfLevels {
  using Levels = In<Level>;

  static Out<double> discounted_preferences(const Levels& by_rank, const Bytes& tied,
                                            const Integers& indptr, const Bytes& relevant,
                                            const Doubles& worth, std::int64_t cutoff,
                                            bool expected, std::int64_t n_threads) {
    const Queries queries = queries_of(indptr);
    const auto worths = [&](std::int64_t) noexcept { return Worths{worth.data()}; };
    return fill(New<double>{count_of(queries)}, [&](double* value) {
      preferences(by_rank.data(), tied.data(), queries, relevant.data(), worths, cutoff, expected,
                  n_threads, value);
    });
  }

  static Out<double> missed_gain(const Levels& by_rank, const Bytes& tied, const Integers& indptr,
                                 const Doubles& gain, const Doubles& ideal, const Doubles& rate,
                                 const Doubles& weight, const Integers& begin, const Doubles& reach,
                                 std::int64_t cutoff, bool expected, std::int64_t n_threads) {
    const Queries queries = queries_of(indptr);
    const LogTables tables{rate.data(), weight.data(), begin.data(), reach.data(),
                           static_cast<std::int64_t>(reach.size())};
    return fill(New<double>{count_of(queries)}, [&](double* value) {
      skgraded::missed_gain(by_rank.data(), tied.data(), queries, gain.data(), ideal.data(), tables,
                            cutoff, expected, n_threads, value);
    });
  }

  static Out<double> overlaps(const Levels& by_rank, const Bytes& tied, const Integers& indptr,
                              const Levels& pool_by_rank, const Integers& pool_indptr,
                              const Doubles& weight, const Integers& depth, std::int64_t n_levels,
                              bool expected, std::int64_t n_threads) {
    const Queries queries = queries_of(indptr);
    return fill(New<double>{count_of(queries)}, [&](double* value) {
      skgraded::overlaps(by_rank.data(), tied.data(), queries, pool_by_rank.data(),
                         queries_of(pool_indptr), weight.data(), depth.data(), n_levels, expected,
                         n_threads, value);
    });
  }

  static Out<double> preferred_ranks(const Levels& by_rank, const Bytes& tied,
                                     const Integers& indptr, const Doubles& share,
                                     const Doubles& blended, bool mean, std::int64_t cutoff,
                                     bool expected, std::int64_t n_threads) {
    const Queries queries = queries_of(indptr);
    return fill(New<double>{count_of(queries)}, [&](double* value) {
      skgraded::preferred_ranks(by_rank.data(), tied.data(), queries, share.data(),
                                PreferredRule{blended.data(), mean}, cutoff, expected, n_threads,
                                value);
    });
  }

  static Out<double> relevant_dcg(const Levels& by_rank, const Bytes& tied, const Integers& indptr,
                                  const Doubles& discount, const Doubles& gain,
                                  const Doubles& inverse, const Doubles& inverse_at_end,
                                  const Integers& n_relevant, std::int64_t cutoff, bool expected,
                                  std::int64_t n_threads) {
    const Queries queries = queries_of(indptr);
    return fill(New<double>{count_of(queries)}, [&](double* value) {
      skgraded::relevant_dcg(by_rank.data(), tied.data(), queries, discount.data(), gain.data(),
                             inverse.data(), inverse_at_end.data(), n_relevant.data(), cutoff,
                             expected, n_threads, value);
    });
  }

  static Out<double> wanted_gain(const Levels& by_rank, const Bytes& tied, const Integers& indptr,
                                 const Doubles& gain, double wanted, const Doubles& last,
                                 std::int64_t n_threads) {
    const Queries queries = queries_of(indptr);
    return fill(New<double>{count_of(queries)}, [&](double* value) {
      skgraded::wanted_gain(by_rank.data(), tied.data(), queries, gain.data(), wanted, last.data(),
                            n_threads, value);
    });
  }

  static void define(nb::module_& m) {
    m.def("discounted_preferences", &discounted_preferences, "level_by_rank"_a, "tied"_a,
          "indptr"_a, "relevant"_a, "worth"_a, "cutoff"_a, "expected"_a, "n_threads"_a,
          "Sum over relevant documents of worth[non-relevant documents above], by query.");
    m.def("missed_gain", &missed_gain, "level_by_rank"_a, "tied"_a, "indptr"_a, "gain"_a, "ideal"_a,
          "rate"_a, "weight"_a, "begin"_a, "reach"_a, "cutoff"_a, "expected"_a, "n_threads"_a,
          "Sum of the gains, each over log2(2 + ideal gain - gain, both down to its rank), by "
          "query.\n\n"
          "With `expected`, the levels of tied documents must stand best first.");
    m.def("overlaps", &overlaps, "level_by_rank"_a, "tied"_a, "indptr"_a, "pool_by_rank"_a,
          "pool_indptr"_a, "weight"_a, "depth"_a, "n_levels"_a, "expected"_a, "n_threads"_a,
          "Weighted sum over depths of the documents shared with the ideal ranking, by query.");
    m.def("preferred_ranks", &preferred_ranks, "level_by_rank"_a, "tied"_a, "indptr"_a, "share"_a,
          "blended"_a, "mean"_a, "cutoff"_a, "expected"_a, "n_threads"_a,
          "Blended ratio at the preferred rank, or the mean of those down to it, by query.\n\n"
          "With `expected`, the levels of tied documents must stand best first.");
    m.def("relevant_dcg", &relevant_dcg, "level_by_rank"_a, "tied"_a, "indptr"_a, "discount"_a,
          "gain"_a, "inverse"_a, "inverse_at_end"_a, "n_relevant"_a, "cutoff"_a, "expected"_a,
          "n_threads"_a, "Sum over relevant documents of DCG times `inverse`, by query.");
    m.def("wanted_gain", &wanted_gain, "level_by_rank"_a, "tied"_a, "indptr"_a, "gain"_a,
          "wanted"_a, "last"_a, "n_threads"_a,
          "Expected mean gain down to the rank where `wanted` is found or to `last`, by query.\n\n"
          "The levels of tied documents must stand best first. NaN where too many sums of tied\n"
          "gains are below `wanted`.");
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
