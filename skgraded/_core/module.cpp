// Python bindings of the ranking kernels: arrays in, arrays out, checked as fit.hpp says.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "cascade.hpp"
#include "cumulate.hpp"
#include "distinct_grades.hpp"
#include "exact_sum.hpp"
#include "form_arrays.hpp"
#include "gain.hpp"
#include "id_hash.hpp"
#include "labels.hpp"
#include "levels.hpp"
#include "own_levels.hpp"
#include "preference.hpp"
#include "prefix_values.hpp"
#include "queries.hpp"
#include "rank.hpp"
#include "recall_shares.hpp"
#include "schedule.hpp"
#include "scores.hpp"
#include "walk.hpp"

#ifdef SKGRADED_SANITIZER_CONTROL
#include "sanitizer_control.hpp"
#endif

namespace nb = nanobind;
using namespace nb::literals;

void define_expected(nb::module_& m);   // expected_module.cpp
void define_lambdas(nb::module_& m);    // lambdas_module.cpp
void define_query_ids(nb::module_& m);  // query_ids_module.cpp
void define_studies(nb::module_& m);    // studies_module.cpp
void define_trec(nb::module_& m);       // trec_module.cpp

namespace {

using namespace skgraded;

using Bytes = In<std::uint8_t>;
using Doubles = In<double>;
using Integers = In<std::int64_t>;
using Order = In<std::int32_t>;

Sealed<std::int64_t> py_schedule_queries(const Integers& indptr) {
  const Queries queries = Fit("schedule_queries").queries(indptr);
  return fill(NewSealed<std::int64_t>{count_of(queries)},
              [&](std::int64_t* schedule) { schedule_queries(queries, schedule); });
}

auto py_rank(const Doubles& scores, const Integers& indptr, const Integers& schedule,
             std::int64_t n_threads) {
  const Fit fit("rank");
  const Queries queries = fit.queries(indptr, scores);
  fit.require(schedule.size() == count_of(queries));
  fit.below(schedule.size(), schedule);
  return fill_all(
      [&](std::int32_t* order, std::uint8_t* tied) {
        rank(scores.data(), queries, schedule.data(), n_threads, order, tied);
      },
      NewSealed<std::int32_t>{scores.size()}, NewSealed<std::uint8_t>{scores.size()});
}

Out<double> py_cumulate(const Doubles& values, const Integers& indptr) {
  const Queries queries = Fit("cumulate").queries(indptr, values);
  return fill(New<double>{values.size()},
              [&](double* sums) { cumulate(values.data(), queries, sums); });
}

auto py_walk(const Doubles& gain, const Doubles& go_on, const Integers& indptr) {
  const Queries queries = Fit("walk").queries(indptr, gain, go_on);
  const std::size_t n = count_of(queries);
  return fill_all([&](auto*... sums) { walk(gain.data(), go_on.data(), queries, Walked{sums...}); },
                  New<double>{n}, New<double>{n}, New<double>{n});
}

Out<double> py_reciprocals(const Doubles& values) {
  return fill(New<double>{values.size()}, [&](double* inverse) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values.data()[i];
      inverse[i] = value > 0.0 ? 1.0 / value : 0.0;
    }
  });
}

using Weights = std::tuple<Doubles, bool>;  // and whether they are ragged

// A measure, and the places of its discount and position weights.
using Placed = std::tuple<const FormArrays*, std::size_t, std::size_t>;

// The measure on some lists, whose weights stand at these places unless it lacks the part.
PrefixMeasure measure_on(const Fit& fit, const Queries& queries, const Placed& placed,
                         const std::vector<Weights>& weights, double* value) {
  const auto& [form, discount, position] = placed;
  fit.require(form != nullptr && form->n_queries() == queries.count);
  PrefixMeasure measure = form->measure;
  const auto weights_at = [&](bool has_part, std::size_t place) {
    if (!has_part) return RankWeights{};
    fit.require(place < weights.size());
    const auto& [values, ragged] = weights[place];
    return fit.weights(values, ragged, queries, measure.cutoff);
  };
  measure.discount = weights_at(measure.gains.values != nullptr, discount);
  measure.position = weights_at(measure.has_pairs(), position);
  measure.value = value;
  return measure;
}

Out<double> py_relative_values(const Doubles& values, const Doubles& best) {
  Fit("relative_values").require(values.size() == best.size());
  return fill(New<double>{values.size()}, [&](double* relative) {
    for (std::size_t q = 0; q < values.size(); ++q)
      relative[q] = relative_value(values.data()[q], best.data()[q]);
  });
}

// The words from `begin` on as an integer of Python. Only the last of all words has a sign.
nb::int_ whole(const ExactSum::Words& words, std::size_t begin) {
  const nb::int_ n_bits(64);
  std::size_t end = words.size();
  while (end > begin + 1 && words[end - 1] == 0) --end;
  const std::uint64_t top = words[end - 1];
  nb::object digits =
      end == words.size() ? nb::int_(static_cast<std::int64_t>(top)) : nb::int_(top);
  for (--end; end > begin; --end) digits = (digits << n_bits) | nb::int_(words[end - 1]);
  return nb::borrow<nb::int_>(digits);
}

std::tuple<nb::int_, nb::int_, std::int64_t> py_sum_exactly(const Doubles& values,
                                                            const Doubles& weights) {
  Fit("sum_exactly").require_length(weights, length_of(values));
  MeanSums sums =
      without_gil([&] { return sum_exactly(values.data(), 1, or_null(weights), values.size()); });
  return {whole(sums.values.words(), 0), whole(sums.weights.words(), 0), sums.n_infinite};
}

// Integers of Python round their quotient once.
double mean_of(MeanSums sums) {
  const ExactSum::Words values = sums.values.words(), weights = sums.weights.words();
  if (weights == ExactSum::Words{}) return std::numeric_limits<double>::quiet_NaN();
  if (sums.n_infinite > 0) return std::numeric_limits<double>::infinity();
  std::size_t begin = 0;
  while (values[begin] == 0 && weights[begin] == 0) ++begin;
  return nb::cast<double>(whole(values, begin) / whole(weights, begin));
}

using Rows = nb::typed<nb::list, nb::typed<nb::list, double>>;

Rows py_exact_means(const Table<double>& values, const Doubles& weights, std::size_t n_before,
                    std::size_t n_after) {
  const std::size_t n_means = n_before * n_after;
  const std::size_t n_queries = n_means > 0 ? values.size() / n_means : weights.size();
  const Fit fit("exact_means");
  fit.require(values.size() == n_means * n_queries);
  fit.require_length(weights, static_cast<std::int64_t>(n_queries));
  nb::list means;
  for (std::size_t i = 0; i < n_before; ++i) {
    nb::list row;
    for (std::size_t j = 0; j < n_after; ++j) {
      const double* first = values.data() + i * n_queries * n_after + j;
      row.append(mean_of(
          without_gil([&] { return sum_exactly(first, n_after, or_null(weights), n_queries); })));
    }
    means.append(row);
  }
  return Rows(means);
}

std::tuple<Sealed<double>, std::int64_t> py_copy_scores(const Doubles& scores,
                                                        const std::optional<Integers>& places) {
  const Fit fit("copy_scores");
  fit.require(!places || places->size() == scores.size());
  if (places) fit.below(places->size(), *places);
  NewSealed<double> copy{scores.size()};
  const std::int64_t bad = without_gil([&] {
    return copy_scores(scores.data(), places ? places->data() : nullptr, length_of(scores),
                       copy.data());
  });
  return {std::move(copy).array(), bad};
}

std::optional<Out<double>> py_read_floats(const nb::typed<nb::list, nb::object>& values,
                                          bool or_integers) {
  New<double> floats{values.size()};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const nb::object each = values[i];
    const bool is_integer = or_integers && PyLong_CheckExact(each.ptr());
    if (!is_integer && !PyFloat_Check(each.ptr())) return std::nullopt;
    floats.data()[i] = is_integer ? PyLong_AsDouble(each.ptr()) : PyFloat_AsDouble(each.ptr());
    if (is_integer && PyErr_Occurred() != nullptr) {  // it is beyond all floats
      PyErr_Clear();
      return std::nullopt;
    }
  }
  return std::move(floats).array();
}

template <class Label>
std::tuple<Sealed<double>, Sealed<std::uint8_t>, bool, bool> py_read_byte_grades(
    const In<Label>& labels) {
  const auto n = static_cast<std::int64_t>(labels.size());
  NewSealed<std::uint8_t> levels{labels.size()};
  std::uint8_t occurs[256];
  double found[256];
  std::int64_t n_levels = 0;
  const bool all = without_gil([&] {
    if (!read_byte_grades(labels.data(), n, levels.data(), occurs)) return false;
    n_levels = to_levels(occurs, n, levels.data(), found);
    return true;
  });
  NewSealed<double> grades{static_cast<std::size_t>(n_levels)};
  std::copy_n(found, n_levels, grades.data());
  return {std::move(grades).array(), std::move(levels).array(), occurs[kUnjudgedByte] != 0, all};
}

std::tuple<Sealed<std::uint8_t>, Sealed<std::uint8_t>, Sealed<std::int64_t>> py_list_best_first(
    const Table<std::int64_t>& counts, std::int64_t n_levels) {
  Fit("list_best_first").require(n_levels > 0 && length_of(counts) % n_levels == 0);
  const std::int64_t n_queries = length_of(counts) / n_levels;
  NewSealed<std::int64_t> indptr{static_cast<std::size_t>(n_queries) + 1};
  borders_of(counts.data(), n_queries, n_levels, indptr.data());
  const auto n_documents = static_cast<std::size_t>(indptr.data()[n_queries]);
  NewSealed<std::uint8_t> levels{n_documents}, tied{n_documents};
  without_gil([&] {
    fill_best_first(counts.data(), n_queries, n_levels, levels.data());
    std::fill_n(tied.data(), n_documents, std::uint8_t{0});
    return 0;
  });
  return {std::move(levels).array(), std::move(tied).array(), std::move(indptr).array()};
}

Out<double> py_expected_shares(const Table<std::int64_t>& counts, const Doubles& g,
                               const In<std::int32_t>& level, const Doubles& factor) {
  const Fit fit("expected_shares");
  fit.require(factor.size() > 0 && counts.size() % factor.size() == 0 && g.size() == level.size());
  fit.below(factor.size(), level);
  const std::size_t n_levels = factor.size(), n_queries = counts.size() / n_levels;
  const Thresholds thresholds{g.data(), level.data(), static_cast<std::int64_t>(g.size())};
  return fill(New<double>{n_queries, n_levels}, [&](double* shares) {
    expected_shares(counts.data(), static_cast<std::int64_t>(n_queries),
                    static_cast<std::int64_t>(n_levels), thresholds, factor.data(), shares);
  });
}

Out<double> py_own_expected_shares(const Doubles& G, const Order& level, const Integers& indptr,
                                   const Integers& borders, bool divided) {
  const Fit fit("own_expected_shares");
  const Queries queries = fit.queries(indptr, level);
  fit.require(fit.queries(borders, G).count == queries.count && G.size() > 0);
  return fill(New<double>{G.size()}, [&](double* shares) {
    own_expected_shares(G.data(), level.data(), queries, borders.data(), divided, shares);
  });
}

std::int64_t py_first_fall(const Doubles& f, const Integers& borders) {
  const Queries queries = Fit("first_fall").queries(borders, f);
  return without_gil([&] { return first_fall(f.data(), queries); });
}

auto py_own_levels(const Doubles& grades, const Integers& indptr, const Doubles& pool_grades,
                   const Integers& pool_indptr) {
  const Fit fit("own_levels");
  const Queries queries = fit.queries(indptr, grades);
  const Queries pools = fit.queries(pool_indptr, pool_grades);
  fit.require(pools.count == queries.count);
  const std::size_t n = grades.size();
  return fill_all(
      [&](std::int64_t* borders, auto*... levels) {
        const std::unique_ptr<std::int64_t[]> schedule(new std::int64_t[count_of(queries)]);
        const std::unique_ptr<std::int32_t[]> order(new std::int32_t[n]);
        const std::unique_ptr<std::uint8_t[]> tied(new std::uint8_t[n]);
        schedule_queries(queries, schedule.get());
        rank(grades.data(), queries, schedule.get(), 1, order.get(), tied.get());
        own_levels({grades.data(), order.get(), queries}, {pool_grades.data(), pools}, borders,
                   levels...);
      },
      NewSealed<std::int64_t>{count_of(queries) + 1}, NewSealed<std::int32_t>{n},
      NewSealed<std::int32_t>{pool_grades.size()});
}

Sealed<double> py_own_grades(const Doubles& grades, const Order& levels, std::size_t n_levels) {
  Fit("own_grades").require(grades.size() == levels.size() && n_levels > 0);
  return fill(NewSealed<double>{n_levels}, [&](double* by_level) {
    own_grades(grades.data(), levels.data(), length_of(grades), n_levels, by_level);
  });
}

auto py_own_pools(const Order& levels, const Integers& indptr, const Integers& borders) {
  const Fit fit("own_pools");
  const Queries queries = fit.queries(indptr, levels);
  fit.require(fit.queries(borders).count == queries.count);
  const auto n = std::count_if(levels.data(), levels.data() + levels.size(),
                               [&](auto level) { return level < borders.data()[queries.count]; });
  return fill_all(
      [&](auto*... pools) { own_pools(levels.data(), queries, borders.data(), pools...); },
      NewSealed<std::int32_t>{static_cast<std::size_t>(n)},
      NewSealed<std::int64_t>{count_of(queries) + 1});
}

Out<double> py_own_sums(const Doubles& by_level, const Order& levels, const Integers& indptr,
                        const Integers& borders) {
  const Fit fit("own_sums");
  const Queries queries = fit.queries(indptr, levels);
  fit.require(fit.queries(borders, by_level).count == queries.count && by_level.size() > 0);
  return fill(New<double>{count_of(queries)}, [&](double* sums) {
    own_sums(by_level.data(), levels.data(), queries, borders.data(), sums);
  });
}

Out<std::uint8_t> py_go_by_own_levels(const Doubles& grades, const Integers& indptr, double few,
                                      double most, double pairs) {
  const Queries queries = Fit("go_by_own_levels").queries(indptr, grades);
  return fill(New<std::uint8_t>{static_cast<std::size_t>(queries.count)}, [&](std::uint8_t* own) {
    go_by_own_levels(grades.data(), queries, {few, most, pairs}, own);
  });
}

Out<double> py_at_grades(const Doubles& grades, const Doubles& by_whole_grade) {
  Fit("at_grades").require(by_whole_grade.size() > 0);
  return fill(New<double>{grades.size()}, [&](double* values) {
    at_grades(grades.data(), static_cast<std::int64_t>(grades.size()), by_whole_grade.data(),
              static_cast<std::int64_t>(by_whole_grade.size()), values);
  });
}

template <class Label>
std::tuple<Sealed<double>, double, bool, bool, bool> py_read_grades(const In<Label>& labels) {
  NewSealed<double> grades{labels.size()};
  const GradeFacts facts = without_gil([&] {
    return read_grades(labels.data(), static_cast<std::int64_t>(labels.size()), grades.data());
  });
  return {std::move(grades).array(), facts.top, facts.any_unjudged, facts.any_fractional,
          facts.are_grades};
}

auto py_distinct_grades(const Doubles& labels) {
  New<std::int32_t> levels{labels.size()};
  auto grades = without_gil([&] {
    return distinct_grades(labels.data(), static_cast<std::int32_t>(labels.size()), levels.data());
  });
  return std::make_tuple(array_of<double>(grades), std::move(levels).array());
}

// Of arrays and None, in their order; none where an array is not in C order or holds objects.
std::optional<std::uint64_t> py_digest(const nb::tuple& arrays) {
  std::uint64_t digest = 0;
  for (const nb::handle array : arrays) {
    digest = mix(digest);
    if (array.is_none()) continue;
    const View view(array);
    if (view->obj == nullptr || std::strchr(view->format, 'O') != nullptr) return {};
    const std::string_view bytes(static_cast<const char*>(view->buf),
                                 static_cast<std::size_t>(view->len));
    digest += digest_of(view->format) + static_cast<std::uint64_t>(view->ndim);
    digest = mix(digest) + without_gil([&] { return digest_of(bytes); });
  }
  return digest;
}

// The kernels that read levels. These are bytes where the scale has at most 254 grades, 0 included,
// else integers: the two numbers behind the highest level mark documents that were not judged and
// not sampled.
template <class Level>
struct OfLevels {
  using Levels = In<Level>;

  static Sealed<Level> gather_levels(const Levels& level, const Order& order,
                                     const Integers& indptr, std::int64_t n_threads) {
    const Fit fit("gather_levels");
    const Queries queries = fit.queries(indptr, level, order);
    fit.within(queries, order);
    return fill(NewSealed<Level>{level.size()}, [&](Level* by_rank) {
      skgraded::gather_levels(level.data(), order.data(), queries, n_threads, by_rank);
    });
  }

  static Sealed<std::int64_t> count_levels(const Levels& level, const Integers& indptr,
                                           std::int64_t n_levels) {
    const Queries queries = Fit("count_levels").queries(indptr, level);
    return fill(NewSealed<std::int64_t>{count_of(queries) * static_cast<std::size_t>(n_levels)},
                [&](std::int64_t* counts) {
                  skgraded::count_levels(level.data(), queries, n_levels, counts);
                });
  }

  static Out<std::int64_t> count_marked_documents(const Levels& level, const Integers& indptr,
                                                  const Bytes& marked) {
    const Queries queries = Fit("count_marked_documents").queries(indptr, level);
    return fill(New<std::int64_t>{count_of(queries)}, [&](std::int64_t* count) {
      skgraded::count_marked_documents(level.data(), queries, marked.data(), marked.size(), count);
    });
  }

  static Sealed<Level> sort_within_ties(const Levels& by_rank, const Bytes& tied,
                                        const Integers& indptr, bool descending,
                                        std::int64_t n_threads) {
    const Queries queries = Fit("sort_within_ties").queries(indptr, by_rank, tied);
    return fill(NewSealed<Level>{by_rank.size()}, [&](Level* sorted) {
      skgraded::sort_within_ties(by_rank.data(), tied.data(), queries, descending, n_threads,
                                 sorted);
    });
  }

  static Out<double> discounted_gain(const Levels& by_rank, const Bytes& tied,
                                     const Integers& indptr, const Doubles& discount, bool ragged,
                                     const Doubles& gain, std::int64_t cutoff, bool expected,
                                     std::int64_t n_threads) {
    const Fit fit("discounted_gain");
    const auto lists = fit.lists(by_rank, tied, indptr);
    const RankWeights weights = fit.weights(discount, ragged, lists.queries, cutoff);
    fit.below(gain.size(), by_rank);
    return fill(New<double>{count_of(lists.queries)}, [&](double* value) {
      skgraded::discounted_gain(lists, weights, Gains{gain.data(), length_of(gain)}, cutoff,
                                expected, n_threads, value);
    });
  }

  static auto prefix_values(const Levels& by_rank, const Bytes& tied, const Integers& indptr,
                            std::int64_t n_levels, const Integers& borders,
                            const std::vector<Placed>& measures,
                            const std::vector<Weights>& weights, bool expected,
                            std::int64_t n_threads) {
    const Fit fit("prefix_values");
    const auto lists = fit.lists(by_rank, tied, indptr);
    fit.below(static_cast<std::size_t>(n_levels), by_rank);
    const bool share = borders.size() == 0;
    if (!share) {
      const Queries own = fit.queries(borders);
      fit.require(std::is_same_v<Level, std::int32_t> && own.count == lists.queries.count &&
                  own.begin(own.count) == n_levels);
    }
    const std::size_t n = count_of(lists.queries);
    New<double> values{measures.size(), n};
    std::vector<PrefixMeasure> made;
    std::vector<std::int64_t> n_empty;
    for (const Placed& each : measures) {
      made.push_back(
          measure_on(fit, lists.queries, each, weights, values.data() + made.size() * n));
      const FormArrays& form = *std::get<0>(each);
      fit.require(form.n_levels == n_levels && form.shares_levels == share);
      n_empty.push_back(form.n_empty);
    }
    const PrefixTask<Level> task{lists, n_levels, or_null(borders), expected, n_threads};
    auto filled = fill(std::move(values), [&](double*) { skgraded::prefix_values(task, made); });
    return std::make_tuple(std::move(filled), std::move(n_empty));
  }

  static Out<double> cascade(const Levels& by_rank, const Bytes& tied, const Integers& indptr,
                             const Doubles& weight, const Doubles& stop, std::int64_t cutoff,
                             bool expected, std::int64_t n_threads,
                             const std::optional<Doubles>& worths) {
    const Doubles worth = worths.value_or(Doubles{});
    const Fit fit("cascade");
    const auto lists = fit.lists(by_rank, tied, indptr);
    const RankWeights weights = fit.weights(weight, worth.size() > 0, lists.queries, cutoff);
    fit.require_length(worth, length_of(stop));
    fit.below(stop.size(), by_rank);
    return fill(New<double>{count_of(lists.queries)}, [&](double* value) {
      skgraded::cascade(lists, weights, Reading{stop.data(), or_null(worth)}, cutoff, expected,
                        n_threads, value);
    });
  }

  static auto meet_ranks(const Levels& by_rank, const Integers& first, const Integers& read,
                         const Doubles& gain) {
    const Fit fit("meet_ranks");
    const Queries queries = fit.queries(read);
    fit.require(read.data()[0] == 0 && first.size() == count_of(queries));
    fit.below(by_rank.size() + 1, first);
    fit.below(gain.size(), by_rank);
    const auto n = static_cast<std::size_t>(queries.documents());
    return fill_all(
        [&](auto*... met) {
          skgraded::meet_ranks(by_rank.data(), first.data(), queries, gain.data(),
                               MetByRank{met...});
        },
        New<double>{n}, New<double>{n}, New<double>{n});
  }

  static Out<double> preferences(const Levels& by_rank, const Bytes& tied, const Integers& indptr,
                                 const Bytes& relevant, const Doubles& most, const Doubles& divisor,
                                 std::int64_t cutoff, bool expected, std::int64_t n_threads) {
    const Fit fit("preferences");
    const auto lists = fit.lists(by_rank, tied, indptr);
    fit.require(most.size() == count_of(lists.queries) && divisor.size() == most.size());
    fit.below(relevant.size(), by_rank);
    const auto penalty = [&](std::int64_t q) noexcept {
      return Penalty{most.data()[q], divisor.data()[q]};
    };
    return fill(New<double>{count_of(lists.queries)}, [&](double* value) {
      skgraded::preferences(lists, relevant.data(), penalty, cutoff, expected, n_threads, value);
    });
  }

  static void define(nb::module_& m) {
    m.def("gather_levels", &gather_levels, "level"_a, "order"_a, "indptr"_a, "n_threads"_a,
          "Grade levels in rank order.");
    m.def("count_levels", &count_levels, "level"_a, "indptr"_a, "n_levels"_a,
          "Documents of each level, by query.");
    m.def("count_marked_documents", &count_marked_documents, "level"_a, "indptr"_a, "marked"_a,
          "Documents whose level is marked, by query.");
    m.def("sort_within_ties", &sort_within_ties, "level_by_rank"_a, "tied"_a, "indptr"_a,
          "descending"_a, "n_threads"_a, "Levels by rank, sorted inside every tied block.");
    m.def("discounted_gain", &discounted_gain, "level_by_rank"_a, "tied"_a, "indptr"_a,
          "discount"_a, "ragged"_a, "gain"_a, "cutoff"_a, "expected"_a, "n_threads"_a,
          "Sum of discount times gain over the ranks up to the cutoff, by query.");
    m.def("prefix_values", &prefix_values, "level_by_rank"_a, "tied"_a, "indptr"_a, "n_levels"_a,
          "borders"_a, "measures"_a, "weights"_a, "expected"_a, "n_threads"_a,
          "Values of measures of the prefix form by measure and query, and by measure the number "
          "of\nqueries with nothing relevant.\n\n"
          "A measure is its form, and the places of its discount and position weights among the\n"
          "weights, each with whether they are ragged. Queries that share their levels have no\n"
          "borders of levels.");
    m.def("cascade", &cascade, "level_by_rank"_a, "tied"_a, "indptr"_a, "weight"_a, "stop"_a,
          "cutoff"_a, "expected"_a, "n_threads"_a, "worth"_a = nb::none(),
          "Expected weight of the rank where a user stops who reads from the top, by query.\n\n"
          "With worths by level, weights are by document, and times the worths down to the rank.");
    m.def(
        "meet_ranks", &meet_ranks, "level_by_rank"_a, "first"_a, "read"_a, "gain"_a,
        "Rank, gain and cumulated gain of the documents that readers meet, who begin at `first`.");
    m.def("preferences", &preferences, "level_by_rank"_a, "tied"_a, "indptr"_a, "relevant"_a,
          "most"_a, "divisor"_a, "cutoff"_a, "expected"_a, "n_threads"_a,
          "Sum over relevant documents of 1 - min(most, non-relevant above) / divisor, by query.");
  }
};

// nanobind keeps its state in globals, and registers each class and enumeration once a process.
std::atomic<bool> is_loaded{false};

}  // namespace

// Defines PyInit__bindings, which PyInit__native below calls once.
NB_MODULE(_bindings, m) {
  is_loaded = true;
  m.doc() = "Ranking kernels: arrays in, arrays out.";
  // Objects that a daemon thread holds when Python ends, such as prices of swaps, are not leaks.
  nb::set_leak_warnings(false);
  m.def("schedule_queries", &py_schedule_queries, "indptr"_a,
        "Query numbers in the order in which rank sorts fastest.");
  m.def(
      "longest_query",
      [](const Integers& indptr) { return Fit("longest_query").queries(indptr).longest(); },
      "indptr"_a, "Documents of the longest query; 0 if there is none.");
  m.def("rank", &py_rank, "scores"_a, "indptr"_a, "schedule"_a, "n_threads"_a,
        "Order by score, best first, and which ranks tie with the one before.");
  m.def("cumulate", &py_cumulate, "values"_a, "indptr"_a,
        "Prefix sums that start anew with every query.");
  m.def("walk", &py_walk, "gain"_a, "go_on"_a, "indptr"_a,
        "Expected gain, ranks read and probability to go on below the last rank, by query.");
  m.def("reciprocals", &py_reciprocals, "values"_a, "1 / x, and 0 where x is not above 0.");
  nb::class_<FormArrays>(
      m, "PrefixForm",
      "What a measure of the prefix form takes from the labels; what it lacks is empty.\n\n"
      "Scales and constants are by query, or one for all. K is an array, or its factors, of which "
      "f\nor h may have a row by query.")
      .def("__init__",
           &FormArrays::make<Table<double>, Table<double>, Doubles, Table<double>, Table<double>,
                             Table<double>, Doubles, Doubles, Table<double>, Integers, std::int64_t,
                             bool, double, std::int64_t>,
           "constant"_a, "scale"_a, "gain"_a, "pair_scale"_a, "f"_a, "h"_a, "u"_a, "w"_a, "K"_a,
           "n_relevant"_a, "n_levels"_a, "shares_levels"_a, "empty"_a, "cutoff"_a)
      .def("divide_by", &FormArrays::divide_by, "best"_a, "The values of the ideal rankings.")
      .def_prop_ro("best", [](const FormArrays& form) {
        return form.best.owner.is_valid() ? form.best.owner : nb::none();
      });
  m.def("relative_values", &py_relative_values, "values"_a, "best"_a,
        "Values divided by those of the ideal ranking, by query; 0 where these are not above 0.");
  m.def("sum_exactly", &py_sum_exactly, "values"_a, "weights"_a,
        "Sum of values times weights, and of weights, in whole numbers of 2^-1074.\n\n"
        "nan is left out; the third number is how many values are infinite. No weights are weights "
        "of 1.");
  m.def(
      "exact_means", &py_exact_means, "values"_a, "weights"_a, "n_before"_a, "n_after"_a,
      "The means over queries, rounded once, by the axes before and after that of queries.\n\n"
      "The terms are those of `sum_exactly`. A mean is nan where the weights add up to 0, and inf\n"
      "where a value with a weight is infinite.");
  m.def(
      "copy_scores", &py_copy_scores, "scores"_a, "places"_a.none(),
      "A copy with the score of row i at places[i], and the first row that is not finite, or -1.");
  m.def("digest", &py_digest, "arrays"_a,
        nb::sig("def digest(arrays: tuple[typing.Any, ...]) -> int | None"),
        "A number that stands for arrays and None; None where one is not in C order or holds "
        "objects.");
  m.def("read_floats", &py_read_floats, "values"_a, "or_integers"_a,
        "The floats of a list; None where something else is in it.");
  for_types<float, double, std::int64_t, std::int32_t, std::uint8_t>([&](auto label) {
    m.def("read_byte_grades", &py_read_byte_grades<decltype(label)>, "labels"_a,
          "Grades that occur, level of each label, whether any is nan, and whether all could be "
          "read.\n\nWithout the latter, where labels are not integers from 0 to 253 or nan, the "
          "others have no\nmeaning.");
  });
  for_types<float, double>([&](auto label) {
    m.def("read_grades", &py_read_grades<decltype(label)>, "labels"_a,
          "A copy with -1 for nan, the highest grade, and whether any is nan, any is fractional, "
          "and all\nare grades.\n\nGrades are 0, or at least 2.2e-308, and at most 2**53.");
  });
  m.def("list_best_first", &py_list_best_first, "counts"_a, "n_levels"_a,
        "Levels of every query, the best first, from their counts, no ties, and the borders.");
  m.def("expected_shares", &py_expected_shares, "counts"_a, "g"_a, "level"_a, "factor"_a,
        "Factor times the sum of g / (recall base) over the thresholds up to a level, by query.\n\n"
        "`counts` holds the judged documents by query and level; `level[k - 1]` is the lowest "
        "level\nwhose grade reaches the threshold k.");
  m.def("own_expected_shares", &py_own_expected_shares, "G"_a, "level"_a, "indptr"_a, "borders"_a,
        "divided"_a,
        "Sum of steps of G / (recall base) up to a level, by the levels of all queries.\n\n"
        "With `divided`, the sums are divided by G.");
  m.def("first_fall", &py_first_fall, "f"_a, "borders"_a,
        "The first level at which f falls within a query, or -1; f begins with 0.");
  m.def("own_levels", &py_own_levels, "grades"_a, "indptr"_a, "pool_grades"_a, "pool_indptr"_a,
        "Levels of each query's own grades: their borders, and the level of every document, also "
        "of\nthose of given pools, best grade first. A grade of -1 or -2 marks the unjudged.");
  m.def("own_grades", &py_own_grades, "grades"_a, "levels"_a, "n_levels"_a,
        "Grades by level, from those of documents.");
  m.def("own_pools", &py_own_pools, "levels"_a, "indptr"_a, "borders"_a,
        "Levels of the judged documents, best first, and their borders.");
  m.def("own_sums", &py_own_sums, "by_level"_a, "levels"_a, "indptr"_a, "borders"_a,
        "Sums over the judged documents, added up best first, of a number by level, by query.");
  m.def(
      "go_by_own_levels", &py_go_by_own_levels, "grades"_a, "indptr"_a, "few"_a, "most"_a,
      "pairs"_a,
      "Whether a query has fractional grades, one above `most`, or one h above `few` where it has\n"
      "less than (h + 1)^2 / `pairs` judged documents.");
  m.def("at_grades", &py_at_grades, "grades"_a, "by_whole_grade"_a,
        "Numbers of the grades 0, 1, ..., with straight lines between them.");
  m.def("distinct_grades", &py_distinct_grades, "labels"_a,
        "The distinct labels and 0, ascending, and the place of each label among them.\n\n"
        "Labels must be finite and at least 0.");
  OfLevels<std::uint8_t>::define(m);
  OfLevels<std::int32_t>::define(m);
  define_expected(m);
  define_lambdas(m);
  define_query_ids(m);
  define_studies(m);
  define_trec(m);
#ifdef SKGRADED_SANITIZER_CONTROL
  define_sanitizer_control(m);
#endif
}

// The refusal comes before nanobind's own initialization: in a second interpreter, that alone would
// replace the state on which the first one works.
PyMODINIT_FUNC PyInit__native() {
  if (!is_loaded) return PyInit__bindings();
  PyErr_SetString(PyExc_ImportError,
                  "skgraded's kernels are loaded already, and a process can load them only once: "
                  "import skgraded in one interpreter, and keep its modules.");
  return nullptr;
}
