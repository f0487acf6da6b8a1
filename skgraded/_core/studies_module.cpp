// Python bindings of the kernels for studies and paired tests.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "resampled_means.hpp"
#include "shuffles.hpp"
#include "system_pairs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace skgraded;
using Doubles = In<double>;

Out<double> py_shuffled_ranges(const Doubles& values, std::uint32_t n_systems, std::uint64_t seed,
                               std::size_t n_resamples) {
  return fill(New<double>{n_resamples}, [&](double* range) {
    shuffled_ranges(values.data(), values.size() / n_systems, n_systems, seed, n_resamples, range);
  });
}

auto py_bootstrap_pairs(const In<std::int64_t>& pairs, const Doubles& observed,
                        const Doubles& means, const Doubles& squares, std::size_t n_resamples,
                        std::int64_t wanted) {
  const std::size_t n = pairs.size() / 2;
  const auto row = [&](std::int64_t system) {
    return means.data() + static_cast<std::size_t>(system) * n_resamples;
  };
  return fill(New<std::int64_t>{n}, New<double>{n}, [&](std::int64_t* beyond, double* required) {
    PairBootstrap bootstrap(n_resamples, wanted);
    for (std::size_t i = 0; i < n; ++i) {
      const double* of_pair = observed.data() + 3 * i;
      const BootstrappedPair tested =
          bootstrap.test({of_pair[0], of_pair[1], of_pair[2]}, row(pairs.data()[2 * i]),
                         row(pairs.data()[2 * i + 1]), squares.data() + i * n_resamples);
      beyond[i] = tested.n_beyond;
      required[i] = tested.required;
    }
  });
}

auto py_count_swaps(const Doubles& one, const Doubles& other, std::size_t n_systems,
                    const Doubles& edges, double width, double rounding) {
  const std::size_t n_bins = edges.size(), n_trials = one.size() / n_systems;
  return fill(New<std::int64_t>{n_bins}, New<std::int64_t>{n_bins},
              [&](std::int64_t* compared, std::int64_t* swapped) {
                SwapCounts counts(edges.data(), n_bins, width, rounding);
                for (std::size_t trial = 0; trial < n_trials; ++trial)
                  counts.add_trial(one.data() + trial * n_systems, other.data() + trial * n_systems,
                                   n_systems);
                counts.read(compared, swapped);
              });
}

// ---- Resampled means

struct DrawnResamples;
using Chunks = nb::typed<nb::iterable, DrawnResamples>;

struct DrawnResamples : Resamples {
  DrawnResamples(const Table<std::int32_t>& drawn, const Doubles& sizes)
      : Resamples(drawn.data(), sizes.size() > 0 ? drawn.size() / sizes.size() : 0, sizes.data(),
                  sizes.size()) {}
};

// Calls body(first row, number of rows) for rows that are read at the same time.
template <class Body>
void for_some_rows(std::size_t n_rows, const Body& body) {
  for (std::size_t first = 0; first < n_rows; first += kRows)
    body(first, std::min(kRows, n_rows - first));
}

// Calls body(resamples) without the GIL for resamples that Python draws one after the other.
template <class Body>
void for_chunks(const Chunks& chunks, const Body& body) {
  for (const nb::handle chunk : chunks) {
    const auto& resamples = nb::cast<const DrawnResamples&>(chunk);
    without_gil([&] { body(resamples); });
  }
}

Out<std::int64_t> py_count_beyond(const Chunks& chunks, const Table<double>& residuals,
                                  const Doubles& ratios) {
  const std::size_t n = ratios.size();
  std::vector<std::int64_t> beyond(n);
  for_chunks(chunks, [&](const Resamples& resamples) {
    for_some_rows(n, [&](std::size_t row, std::size_t n_rows) {
      BeyondCounts counts(ratios.data() + row, n_rows);
      read_means(resamples, residuals.data() + row * resamples.n_units(), n_rows, counts);
      for (std::size_t i = 0; i < n_rows; ++i) beyond[row + i] += counts.of(i);
    });
  });
  return array_of<std::int64_t>(std::move(beyond));
}

Out<double> py_largest_ratios(const Chunks& chunks, const Table<double>& residuals,
                              const Doubles& errors) {
  std::vector<double> found;
  for_chunks(chunks, [&](const Resamples& resamples) {
    LargestRatios largest(resamples);
    for_some_rows(errors.size(), [&](std::size_t row, std::size_t n_rows) {
      largest.begin_rows(errors.data() + row, n_rows);
      read_means(resamples, residuals.data() + row * resamples.n_units(), n_rows, largest);
    });
    for (std::size_t r = 0; r < resamples.size(); ++r) found.push_back(largest.of(r));
  });
  return array_of<double>(std::move(found));
}

auto py_ratio_tails(const Chunks& chunks, const Table<double>& residuals, const Doubles& ratios,
                    double reach, std::size_t wanted) {
  const std::size_t n = ratios.size();
  std::vector<RatioTails> tails;
  for_some_rows(n, [&](std::size_t row, std::size_t n_rows) {
    tails.emplace_back(ratios.data() + row, n_rows, reach, wanted);
  });
  std::size_t n_resamples = 0;
  for_chunks(chunks, [&](const Resamples& resamples) {
    n_resamples += resamples.size();
    for_some_rows(n, [&](std::size_t row, std::size_t n_rows) {
      read_means(resamples, residuals.data() + row * resamples.n_units(), n_rows,
                 tails[row / kRows]);
    });
  });
  return fill(New<std::int64_t>{n}, New<double>{n}, New<double>{n},
              [&](std::int64_t* in_tail, double* below, double* above) {
                for (std::size_t row = 0; row < n; ++row) {
                  RatioTails& of = tails[row / kRows];
                  in_tail[row] = of.in_tail(row % kRows, n_resamples);
                  below[row] = of.outermost(row % kRows, false);
                  above[row] = of.outermost(row % kRows, true);
                }
              });
}

}  // namespace

void define_studies(nb::module_& m) {
  nb::class_<DrawnResamples>(m, "Resamples",
                             "Some resamples: the units that were drawn for each, and their sizes.")
      .def(nb::init<const Table<std::int32_t>&, const Doubles&>(), "drawn"_a, "sizes"_a);
  m.def("count_beyond", &py_count_beyond, "resamples"_a, "residuals"_a, "ratios"_a,
        "Resamples in which the mean over its standard error is at least that of the row.");
  m.def("largest_ratios", &py_largest_ratios, "resamples"_a, "residuals"_a, "errors"_a,
        "The largest of these ratios of any row, by resample.");
  m.def("ratio_tails", &py_ratio_tails, "resamples"_a, "residuals"_a, "ratios"_a, "reach"_a,
        "wanted"_a,
        "Resamples in the smaller tail of each row, and the sizes of the wanted-th outermost\n"
        "ratios below and above 0, which are 0 up to the reach.");
  m.def("shuffled_ranges", &py_shuffled_ranges, "values"_a, "n_systems"_a, "seed"_a,
        "n_resamples"_a,
        "Range of the systems' sums, after the values of every topic are shuffled.");
  m.def("bootstrap_pairs", &py_bootstrap_pairs, "pairs"_a, "observed"_a, "means"_a, "squares"_a,
        "n_resamples"_a, "wanted"_a,
        "Resamples of each pair that are beyond the observed t, and the difference it requires.");
  m.def("count_swaps", &py_count_swaps, "one"_a, "other"_a, "n_systems"_a, "edges"_a, "width"_a,
        "rounding"_a,
        "Pairs of systems by the size of their difference, and those in opposite orders.");
}
