// Python bindings of LambdaMART: named arrays and options in, derivatives out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "form_arrays.hpp"
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

// The prices of swaps as NumPy arrays, which this object keeps alive, as Python does the form.
struct PriceArrays {
  const FormArrays& form;
  bool by_factors;
  Doubles discount;
  bool discount_ragged;
  Doubles gain_factor;
  Doubles position;
  bool position_ragged;
  Doubles pair_factor;
  std::int64_t cutoff;

  SwapPrices of(const Fit& fit, const Queries& queries, std::int64_t n_levels) const {
    fit.require(form.n_levels == n_levels && form.n_queries() == queries.count);
    SwapPrices prices;
    prices.discount = fit.weights(discount, discount_ragged, queries);
    prices.gain = form.measure.gains.values;
    prices.gain_factor = gain_factor.data();
    if (prices.has_gains()) fit.require(length_of(gain_factor) == queries.count);
    if (by_factors)
      prices.factors = form.measure.factors;
    else
      prices.matrix = form.measure.K;
    if (prices.has_pairs()) {
      prices.position = fit.weights(position, position_ragged, queries);
      fit.require(length_of(pair_factor) == queries.count);
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
      "What the price of a swap of two documents is computed from.\n\n"
      "The form; whether K is read by its factors; the discount d and the position weight p, with\n"
      "one weight per document where they are ragged, else one per rank; and the factors of the\n"
      "gains and of the pairs by query. What the form lacks is empty.")
      .def(nb::init<const FormArrays&, bool, Doubles, bool, Doubles, Doubles, bool, Doubles,
                    std::int64_t>(),
           nb::kw_only(), "form"_a, "by_factors"_a, "discount"_a, "discount_ragged"_a,
           "gain_factor"_a, "position"_a, "position_ragged"_a, "pair_factor"_a, "cutoff"_a,
           nb::keep_alive<1, 2>());
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
