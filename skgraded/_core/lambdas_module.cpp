// Python bindings of LambdaMART: named arrays and options in, derivatives out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "lambda_task.hpp"
#include "lambdas.hpp"
#include "noise.hpp"
#include "noisy_lambdas.hpp"
#include "queries.hpp"
#include "tie_orders.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace skgraded;

using Bytes = In<std::uint8_t>;
using Doubles = In<double>;
using Integers = In<std::int64_t>;
using Order = In<std::int32_t>;

// The prices of swaps as NumPy arrays, which this object keeps alive.
struct PriceArrays {
  Doubles discount;
  bool discount_ragged;
  Doubles gain, gain_factor;
  Doubles position;
  bool position_ragged;
  Table<double> pair_base, pair_columns;
  Table<std::int32_t> pair_column;
  Doubles f, h, u, w;
  Doubles pair_factor;
  std::int64_t cutoff;

  SwapPrices of(const Fit& fit, const Queries& queries, std::int64_t n_levels) const {
    const std::int64_t n_queries = queries.count;
    const auto or_null = [](const Doubles& each) {
      return each.size() > 0 ? each.data() : nullptr;
    };
    const auto stride = [=](const Doubles& each) {
      return static_cast<std::int64_t>(each.size()) > n_levels ? n_levels : 0;
    };
    for (const Doubles* each : {&gain, &u, &w}) fit.require_length(*each, n_levels);
    for (const Doubles* each : {&f, &h})
      fit.require_length(*each, stride(*each) > 0 ? n_queries * n_levels : n_levels);
    fit.require((f.size() > 0) == (h.size() > 0) && u.size() == w.size());
    fit.require_length(pair_base, n_levels * n_levels);
    if (gain.size() > 0) fit.require(length_of(gain_factor) == n_queries);
    SwapPrices prices;
    prices.discount = fit.weights(discount, discount_ragged, queries);
    prices.gain = or_null(gain);
    prices.gain_factor = gain_factor.data();
    if (pair_base.size() > 0)
      prices.matrix = matrix_of(fit, pair_base, pair_columns, pair_column, n_queries);
    prices.factors = {or_null(f), or_null(h), or_null(u), or_null(w), stride(f), stride(h)};
    if (prices.has_pairs()) {
      prices.position = fit.weights(position, position_ragged, queries);
      fit.require(length_of(pair_factor) == n_queries);
    }
    prices.pair_factor = pair_factor.data();
    prices.cutoff = cutoff;
    return prices;
  }
};

// Of the parts of a measure.
using Parts = std::vector<PriceArrays>;

struct LambdaOptions {
  std::int64_t truncation;
  TieOrder ties;
  bool norm;
  double sigmoid;
};

// The kernels that read levels, which are bytes or integers.
template <class Level>
struct OfLevels {
  using Levels = In<Level>;

  static LambdaTask<Level> task_of(const Fit& fit, const Levels& level, const Doubles& scores,
                                   const Integers& indptr, std::int64_t n_levels,
                                   const Parts& prices, const LambdaOptions& options) {
    LambdaTask<Level> task;
    task.level = level.data();
    task.scores = scores.data();
    task.queries = fit.queries(indptr, level, scores);
    fit.below(static_cast<std::size_t>(n_levels), level);
    task.n_levels = n_levels;
    for (const PriceArrays& part : prices)
      task.parts.push_back(part.of(fit, task.queries, n_levels));
    task.truncation = options.truncation;
    task.ties = options.ties;
    task.norm = options.norm;
    task.binned_exp = BinnedExp(options.sigmoid);
    return task;
  }

  static auto lambdas(const Levels& level, const Order& order, const Bytes& tied,
                      const Doubles& scores, const Integers& indptr, std::int64_t n_levels,
                      const Parts& prices, const LambdaOptions& options, std::int64_t n_threads) {
    const Fit fit("lambdas");
    LambdaTask<Level> task = task_of(fit, level, scores, indptr, n_levels, prices, options);
    fit.require(order.size() == level.size() && tied.size() == level.size());
    fit.within(task.queries, order);
    task.order = order.data();
    task.tied = tied.data();
    return fill_all([&](auto*... out) { skgraded::lambdas(task, n_threads, Derivatives{out...}); },
                    New<double>{level.size()}, New<double>{level.size()});
  }

  static auto noisy_lambdas(const Levels& level, const Doubles& scores, const Integers& indptr,
                            const Integers& schedule, const Doubles& grades, const Parts& prices,
                            const LambdaOptions& options, const Noise& noise,
                            std::int64_t n_threads) {
    const auto n_levels = static_cast<std::int64_t>(grades.size());
    const Fit fit("noisy_lambdas");
    const LambdaTask<Level> task = task_of(fit, level, scores, indptr, n_levels, prices, options);
    fit.require(schedule.size() == count_of(task.queries));
    fit.below(schedule.size(), schedule);
    return fill_all(
        [&](auto*... out) {
          skgraded::noisy_lambdas(task, noise, grades.data(), schedule.data(), n_threads,
                                  Derivatives{out...});
        },
        New<double>{level.size()}, New<double>{level.size()});
  }

  static void define(nb::module_& m) {
    m.def("lambdas", &lambdas, nb::kw_only(), "level"_a, "order"_a, "tied"_a, "scores"_a,
          "indptr"_a, "n_levels"_a, "prices"_a, "options"_a, "n_threads"_a,
          "First and second derivatives of LambdaMART's cost, by document.");
    m.def("noisy_lambdas", &noisy_lambdas, nb::kw_only(), "level"_a, "scores"_a, "indptr"_a,
          "schedule"_a, "grades"_a, "prices"_a, "options"_a, "noise"_a, "n_threads"_a,
          "The means of these derivatives over draws of noise that is added to the scores.");
  }
};

void define_arguments(nb::module_& m) {
  nb::class_<PriceArrays>(
      m, "SwapPrices",
      "Arrays from which the price of a swap of two documents is computed.\n\n"
      "The discount d and the position weight p, with one weight per document where they are "
      "ragged,\nelse one per rank; the gain v by level, empty without gains; K as base, columns "
      "and numbers of\ncolumns, or as its factors f, h, u and w by level; f and h may "
      "have a row by query.\nThe factors of the gains and of the pairs are by query. What K "
      "lacks is empty.")
      .def(nb::init<Doubles, bool, Doubles, Doubles, Doubles, bool, Table<double>, Table<double>,
                    Table<std::int32_t>, Doubles, Doubles, Doubles, Doubles, Doubles,
                    std::int64_t>(),
           nb::kw_only(), "discount"_a, "discount_ragged"_a, "gain"_a, "gain_factor"_a,
           "position"_a, "position_ragged"_a, "pair_base"_a, "pair_columns"_a, "pair_column"_a,
           "f"_a, "h"_a, "u"_a, "w"_a, "pair_factor"_a, "cutoff"_a);
  nb::enum_<TieOrder>(m, "TieOrder", "How tied documents are ordered while a model is trained.")
      .value("row_order", TieOrder::kRows)
      .value("expected", TieOrder::kMixed)
      .value("pessimistic", TieOrder::kWorstFirst)
      .value("optimistic", TieOrder::kBestFirst);
  nb::class_<LambdaOptions>(m, "LambdaOptions", "The arguments of LambdaMART that are numbers.")
      .def(nb::init<std::int64_t, TieOrder, bool, double>(), nb::kw_only(), "truncation"_a,
           "ties"_a, "norm"_a, "sigmoid"_a);
  nb::enum_<NoiseKind>(m, "NoiseKind", "Distribution of the noise.")
      .value("gumbel", NoiseKind::kGumbel)
      .value("logistic", NoiseKind::kLogistic);
  nb::class_<Noise>(m, "Noise", "Noise that is added to scores, in every draw another.")
      .def(nb::init<NoiseKind, double, std::int64_t, std::uint64_t>(), nb::kw_only(), "kind"_a,
           "scale"_a, "n_draws"_a, "seed"_a);
}

}  // namespace

void define_lambdas(nb::module_& m) {
  define_arguments(m);
  OfLevels<std::uint8_t>::define(m);
  OfLevels<std::int32_t>::define(m);
}
