// The Python border of the core: NumPy arrays in, NumPy arrays out, no checks beyond dtype and layout.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "gain.hpp"
#include "levels.hpp"
#include "moments.hpp"
#include "queries.hpp"
#include "rank.hpp"
#include "schedule.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using skgraded::Queries;
using skgraded::RankWeights;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::c_contig>;

template <class T>
struct Output {
  std::unique_ptr<T[]> data;

  explicit Output(std::size_t n) : data(new T[n]) {}

  Out<T> array(std::initializer_list<std::size_t> shape) {
    nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Out<T>(data.release(), shape, owner);
  }
};

Queries queries_of(const In<std::int64_t>& indptr) {
  return {indptr.data(), static_cast<std::int64_t>(indptr.shape(0)) - 1};
}

std::size_t count_of(const Queries& queries) { return static_cast<std::size_t>(queries.count); }

Out<std::int64_t> schedule_queries(const In<std::int64_t>& indptr) {
  const Queries queries = queries_of(indptr);
  Output<std::int64_t> schedule(count_of(queries));
  {
    nb::gil_scoped_release release;
    skgraded::schedule_queries(queries, schedule.data.get());
  }
  return schedule.array({count_of(queries)});
}

std::pair<Out<std::int32_t>, Out<std::uint8_t>> rank(
    const In<double>& scores, const In<std::int64_t>& indptr, const In<std::int64_t>& schedule,
    int n_threads) {
  const std::size_t n = scores.shape(0);
  Output<std::int32_t> order(n);
  Output<std::uint8_t> tied(n);
  {
    nb::gil_scoped_release release;
    skgraded::rank(scores.data(), queries_of(indptr), schedule.data(), n_threads,
                   order.data.get(), tied.data.get());
  }
  return {order.array({n}), tied.array({n})};
}

template <class Level>
Out<Level> gather_levels(const In<Level>& level, const In<std::int32_t>& order,
                         const In<std::int64_t>& indptr, int n_threads) {
  const std::size_t n = level.shape(0);
  Output<Level> level_by_rank(n);
  {
    nb::gil_scoped_release release;
    skgraded::gather_levels(level.data(), order.data(), queries_of(indptr), n_threads,
                            level_by_rank.data.get());
  }
  return level_by_rank.array({n});
}

template <class Level>
Out<Level> sort_within_ties(const In<Level>& level_by_rank, const In<std::uint8_t>& tied,
                            const In<std::int64_t>& indptr, bool descending, int n_threads) {
  const std::size_t n = level_by_rank.shape(0);
  Output<Level> sorted(n);
  {
    nb::gil_scoped_release release;
    skgraded::sort_within_ties(level_by_rank.data(), tied.data(), queries_of(indptr), descending,
                               n_threads, sorted.data.get());
  }
  return sorted.array({n});
}

template <class Level>
Out<double> discounted_gain(const In<Level>& level_by_rank, const In<std::uint8_t>& tied,
                            const In<std::int64_t>& indptr, const In<double>& discount,
                            bool ragged, const In<double>& gain, std::int64_t cutoff,
                            bool expected, int n_threads) {
  const Queries queries = queries_of(indptr);
  Output<double> value(count_of(queries));
  {
    nb::gil_scoped_release release;
    skgraded::discounted_gain(level_by_rank.data(), tied.data(), queries,
                              RankWeights{discount.data(), ragged}, gain.data(), cutoff, expected,
                              n_threads, value.data.get());
  }
  return value.array({count_of(queries)});
}

template <class Level>
Out<double> pair_moments(const In<Level>& level_by_rank, const In<std::uint8_t>& tied,
                         const In<std::int64_t>& indptr, const In<double>& weight, bool ragged,
                         std::int64_t n_levels, std::int64_t cutoff, bool expected,
                         int n_threads) {
  const Queries queries = queries_of(indptr);
  const auto levels = static_cast<std::size_t>(n_levels);
  const skgraded::MomentTask<Level> task{level_by_rank.data(),
                                         tied.data(),
                                         queries,
                                         RankWeights{weight.data(), ragged},
                                         n_levels,
                                         cutoff,
                                         expected};
  Output<double> moments(count_of(queries) * levels * levels);
  {
    nb::gil_scoped_release release;
    skgraded::pair_moments(task, n_threads, moments.data.get());
  }
  return moments.array({count_of(queries), levels, levels});
}

template <class Level>
void define_for(nb::module_& m) {
  m.def("gather_levels", &gather_levels<Level>, "level"_a.noconvert(), "order"_a.noconvert(),
        "indptr"_a.noconvert(), "n_threads"_a, "Grade levels in rank order.");
  m.def("sort_within_ties", &sort_within_ties<Level>, "level_by_rank"_a.noconvert(),
        "tied"_a.noconvert(), "indptr"_a.noconvert(), "descending"_a, "n_threads"_a,
        "Levels by rank, sorted inside every tied block.");
  m.def("discounted_gain", &discounted_gain<Level>, "level_by_rank"_a.noconvert(),
        "tied"_a.noconvert(), "indptr"_a.noconvert(), "discount"_a.noconvert(), "ragged"_a,
        "gain"_a.noconvert(), "cutoff"_a, "expected"_a, "n_threads"_a,
        "Sum of discount times gain over the ranks up to the cutoff, by query.");
  m.def("pair_moments", &pair_moments<Level>, "level_by_rank"_a.noconvert(),
        "tied"_a.noconvert(), "indptr"_a.noconvert(), "weight"_a.noconvert(), "ragged"_a,
        "n_levels"_a, "cutoff"_a, "expected"_a, "n_threads"_a,
        "M[q, a, b]: weighted pairs of level a at or above level b, by query.");
}

}  // namespace

NB_MODULE(_native, m) {
  m.doc() = "Ranking kernels: arrays in, arrays out, no checks.";
  m.def("schedule_queries", &schedule_queries, "indptr"_a.noconvert(),
        "Query numbers in the order in which rank sorts fastest.");
  m.def("rank", &rank, "scores"_a.noconvert(), "indptr"_a.noconvert(), "schedule"_a.noconvert(),
        "n_threads"_a, "Order by score, best first, and which ranks tie with the one before.");
  define_for<std::uint8_t>(m);
  define_for<std::int32_t>(m);
}
