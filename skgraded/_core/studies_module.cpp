// Python bindings of the kernels for studies and paired tests.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "arrays.hpp"
#include "shuffles.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace skgraded;
using Doubles = In<double>;

Out<double> py_shuffled_ranges(const Doubles& values, std::uint32_t n_systems, std::uint64_t seed,
                               std::size_t n_resamples) {
  Fit("shuffled_ranges").require(n_systems > 0 && values.size() % n_systems == 0);
  return fill(New<double>{n_resamples}, [&](double* range) {
    shuffled_ranges(values.data(), values.size() / n_systems, n_systems, seed, n_resamples, range);
  });
}

}  // namespace

void define_studies(nb::module_& m) {
  m.def("shuffled_ranges", &py_shuffled_ranges, "values"_a, "n_systems"_a, "seed"_a,
        "n_resamples"_a,
        "Range of the systems' sums, after the values of every topic are shuffled.");
}
