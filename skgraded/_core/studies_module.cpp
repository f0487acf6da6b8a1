// Python bindings of the kernels for studies and paired tests.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "arrays.hpp"
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

}  // namespace

void define_studies(nb::module_& m) {
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
