// Faults on purpose, in builds under a sanitizer alone: tests/sanitize/sanitizers.py calls them to
// see that the sanitizer of that very build reports them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <thread>

namespace skgraded {

// Reads the number behind an array's last one.
inline double read_out_of_bounds(std::size_t n) {
  const std::unique_ptr<double[]> values(new double[n]());
  const volatile double* at = values.get();
  return at[n];
}

// Two threads count in one place.
inline double race(int n) {
  volatile double count = 0.0;
  const auto work = [&] {
    for (int i = 0; i < n; ++i) count = count + 1.0;
  };
  std::thread other(work);
  work();
  other.join();
  return count;
}

inline void define_sanitizer_control(nanobind::module_& m) {
  m.def("read_out_of_bounds", &read_out_of_bounds);
  m.def("race", &race);
}

}  // namespace skgraded
