// The Python border of the core: NumPy arrays in, NumPy arrays out, no checks beyond dtype and
// layout.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

#include "cascade.hpp"
#include "cumulate.hpp"
#include "gain.hpp"
#include "lambdas.hpp"
#include "levels.hpp"
#include "moments.hpp"
#include "pair_part.hpp"
#include "preference.hpp"
#include "queries.hpp"
#include "rank.hpp"
#include "schedule.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void define_query_ids(nb::module_& m);  // query_ids_module.cpp
void define_trec(nb::module_& m);       // trec_module.cpp

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

std::pair<Out<std::int32_t>, Out<std::uint8_t>> rank(const In<double>& scores,
                                                     const In<std::int64_t>& indptr,
                                                     const In<std::int64_t>& schedule,
                                                     int n_threads) {
  const std::size_t n = scores.shape(0);
  Output<std::int32_t> order(n);
  Output<std::uint8_t> tied(n);
  {
    nb::gil_scoped_release release;
    skgraded::rank(scores.data(), queries_of(indptr), schedule.data(), n_threads, order.data.get(),
                   tied.data.get());
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
Out<std::int64_t> count_levels(const In<Level>& level, const In<std::int64_t>& indptr,
                               std::int64_t n_levels) {
  const Queries queries = queries_of(indptr);
  const auto columns = static_cast<std::size_t>(n_levels);
  Output<std::int64_t> counts(count_of(queries) * columns);
  {
    nb::gil_scoped_release release;
    skgraded::count_levels(level.data(), queries, n_levels, counts.data.get());
  }
  return counts.array({count_of(queries), columns});
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
                            const In<std::int64_t>& indptr, const In<double>& discount, bool ragged,
                            const In<double>& gain, std::int64_t cutoff, bool expected,
                            int n_threads) {
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
                         std::int64_t n_levels, std::int64_t cutoff, bool expected, int n_threads) {
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

Out<double> cumulate(const In<double>& values, const In<std::int64_t>& indptr) {
  Output<double> sums(values.shape(0));
  {
    nb::gil_scoped_release release;
    skgraded::cumulate(values.data(), queries_of(indptr), sums.data.get());
  }
  return sums.array({values.shape(0)});
}

Out<double> pair_part(const In<double>& pairs, const In<double>& moments, std::int64_t n_queries) {
  const auto n = static_cast<std::size_t>(n_queries);
  const auto n_cells = static_cast<std::int64_t>(moments.shape(0));
  Output<double> value(n);
  {
    nb::gil_scoped_release release;
    skgraded::pair_part(pairs.data(), moments.data(), n_queries,
                        n_queries > 0 ? n_cells / n_queries : 0, value.data.get());
  }
  return value.array({n});
}

template <class Level>
Out<double> cascade(const In<Level>& level_by_rank, const In<std::uint8_t>& tied,
                    const In<std::int64_t>& indptr, const In<double>& weight,
                    const In<double>& stop, std::int64_t cutoff, bool expected, int n_threads) {
  const Queries queries = queries_of(indptr);
  Output<double> value(count_of(queries));
  {
    nb::gil_scoped_release release;
    skgraded::cascade(level_by_rank.data(), tied.data(), queries, weight.data(), stop.data(),
                      cutoff, expected, n_threads, value.data.get());
  }
  return value.array({count_of(queries)});
}

template <class Level>
Out<double> preferences(const In<Level>& level_by_rank, const In<std::uint8_t>& tied,
                        const In<std::int64_t>& indptr, const In<std::uint8_t>& relevant,
                        const In<double>& most, const In<double>& divisor, std::int64_t cutoff,
                        bool expected, int n_threads) {
  const Queries queries = queries_of(indptr);
  Output<double> value(count_of(queries));
  {
    nb::gil_scoped_release release;
    skgraded::preferences(level_by_rank.data(), tied.data(), queries, relevant.data(), most.data(),
                          divisor.data(), cutoff, expected, n_threads, value.data.get());
  }
  return value.array({count_of(queries)});
}

template <class Level>
std::pair<Out<double>, Out<double>> lambdas(
    const In<Level>& level, const In<std::int32_t>& order, const In<std::uint8_t>& tied,
    const In<double>& scores, const In<std::int64_t>& indptr, std::int64_t n_levels,
    const In<double>& discount, bool discount_ragged, const In<double>& gain,
    const In<double>& gain_factor, const In<double>& position, bool position_ragged,
    const In<double>& pairs, const In<double>& pair_factor, std::int64_t cutoff,
    std::int64_t truncation, int tie_order, bool norm, double sigmoid, int n_threads) {
  const std::size_t n = level.shape(0);
  const skgraded::LambdaTask<Level> task{level.data(),
                                         order.data(),
                                         tied.data(),
                                         scores.data(),
                                         queries_of(indptr),
                                         n_levels,
                                         RankWeights{discount.data(), discount_ragged},
                                         gain.data(),
                                         gain_factor.data(),
                                         RankWeights{position.data(), position_ragged},
                                         pairs.shape(0) > 0 ? pairs.data() : nullptr,
                                         pair_factor.data(),
                                         cutoff,
                                         truncation,
                                         static_cast<skgraded::TieOrder>(tie_order),
                                         norm,
                                         skgraded::BinnedExp(sigmoid)};
  Output<double> gradient(n);
  Output<double> hessian(n);
  {
    nb::gil_scoped_release release;
    skgraded::lambdas(task, n_threads, gradient.data.get(), hessian.data.get());
  }
  return {gradient.array({n}), hessian.array({n})};
}

template <class Level>
void define_for(nb::module_& m) {
  m.def("lambdas", &lambdas<Level>, "level"_a.noconvert(), "order"_a.noconvert(),
        "tied"_a.noconvert(), "scores"_a.noconvert(), "indptr"_a.noconvert(), "n_levels"_a,
        "discount"_a.noconvert(), "discount_ragged"_a, "gain"_a.noconvert(),
        "gain_factor"_a.noconvert(), "position"_a.noconvert(), "position_ragged"_a,
        "pairs"_a.noconvert(), "pair_factor"_a.noconvert(), "cutoff"_a, "truncation"_a,
        "tie_order"_a, "norm"_a, "sigmoid"_a, "n_threads"_a,
        "First and second derivatives of LambdaMART's cost, by document.");
  m.def("gather_levels", &gather_levels<Level>, "level"_a.noconvert(), "order"_a.noconvert(),
        "indptr"_a.noconvert(), "n_threads"_a, "Grade levels in rank order.");
  m.def("count_levels", &count_levels<Level>, "level"_a.noconvert(), "indptr"_a.noconvert(),
        "n_levels"_a, "Documents of each level, by query.");
  m.def("sort_within_ties", &sort_within_ties<Level>, "level_by_rank"_a.noconvert(),
        "tied"_a.noconvert(), "indptr"_a.noconvert(), "descending"_a, "n_threads"_a,
        "Levels by rank, sorted inside every tied block.");
  m.def("discounted_gain", &discounted_gain<Level>, "level_by_rank"_a.noconvert(),
        "tied"_a.noconvert(), "indptr"_a.noconvert(), "discount"_a.noconvert(), "ragged"_a,
        "gain"_a.noconvert(), "cutoff"_a, "expected"_a, "n_threads"_a,
        "Sum of discount times gain over the ranks up to the cutoff, by query.");
  m.def("pair_moments", &pair_moments<Level>, "level_by_rank"_a.noconvert(), "tied"_a.noconvert(),
        "indptr"_a.noconvert(), "weight"_a.noconvert(), "ragged"_a, "n_levels"_a, "cutoff"_a,
        "expected"_a, "n_threads"_a,
        "M[q, a, b]: weighted pairs of level a at or above level b, by query.");
  m.def("cascade", &cascade<Level>, "level_by_rank"_a.noconvert(), "tied"_a.noconvert(),
        "indptr"_a.noconvert(), "weight"_a.noconvert(), "stop"_a.noconvert(), "cutoff"_a,
        "expected"_a, "n_threads"_a,
        "Expected weight of the rank where a user stops who reads from the top, by query.");
  m.def("preferences", &preferences<Level>, "level_by_rank"_a.noconvert(), "tied"_a.noconvert(),
        "indptr"_a.noconvert(), "relevant"_a.noconvert(), "most"_a.noconvert(),
        "divisor"_a.noconvert(), "cutoff"_a, "expected"_a, "n_threads"_a,
        "Sum over relevant documents of 1 - min(most, non-relevant above) / divisor, by query.");
}

}  // namespace

NB_MODULE(_native, m) {
  m.doc() = "Ranking kernels: arrays in, arrays out, no checks.";
  m.def("schedule_queries", &schedule_queries, "indptr"_a.noconvert(),
        "Query numbers in the order in which rank sorts fastest.");
  m.def("rank", &rank, "scores"_a.noconvert(), "indptr"_a.noconvert(), "schedule"_a.noconvert(),
        "n_threads"_a, "Order by score, best first, and which ranks tie with the one before.");
  m.def("cumulate", &cumulate, "values"_a.noconvert(), "indptr"_a.noconvert(),
        "Prefix sums that start anew with every query.");
  m.def("pair_part", &pair_part, "pairs"_a.noconvert(), "moments"_a.noconvert(), "n_queries"_a,
        "Sum of pairs times moments, both given query by query.");
  define_for<std::uint8_t>(m);
  define_for<std::int32_t>(m);
  define_query_ids(m);
  define_trec(m);
}
