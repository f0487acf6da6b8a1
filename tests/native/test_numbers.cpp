// Exponentials and logarithms that are computed by arithmetic alone, against the C library's.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "expect.hpp"
#include "noise.hpp"
#include "sigmoid.hpp"

namespace {

using namespace skgraded;
using namespace skgraded::tests;

double uniform(Random& random) { return std::uniform_real_distribution<double>(0.0, 1.0)(random); }

void test_exp2() {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const double y = 80.0 * uniform(random) - 40.0;
    expect(std::abs(exp2_of(y) / std::exp2(y) - 1.0) <= 3e-13, "2 to the " + std::to_string(y));
  }
  expect(exp2_of(0.0) == 1.0, "2 to the 0");
}

void test_bins() {
  const BinnedExp binned(2.0);
  expect(binned(1e300) == binned(12.6) && binned(-1e300) == binned(-12.6), "outermost bins");
  const double width = 50.0 / 2.0 / (1024 * 1024);
  expect(std::abs(binned(1.0) / std::exp(2.0) - 1.0) <= 2.0 * width, "width of a bin");
  expect(binned(0.0) == 1.0, "the bin of equal scores");
}

void test_log() {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const double u = uniform(random) * 0.999 + 1e-4;
    for (const double x : {u, 1.0 - u * 1e-9, 1.0 + u * 1e-9, u * 40.0, u * 1e-300, u * 1e300})
      expect(std::abs(log_of(x) - std::log(x)) <= 2e-15 * std::abs(std::log(x)),
             "log of " + std::to_string(x));
  }
  expect(log_of(1.0) == 0.0, "log of 1");
}

void test_ends_of_distributions() {
  const double least = between_0_and_1(0), most = between_0_and_1(~std::uint64_t{0});
  expect(least == 0x1p-53 && most == 1.0 - 0x1p-53, "between 0 and 1");
  for (const double u : {least, most, 0.5}) {
    const double gumbel = -std::log(-std::log(u)), logistic = std::log(u) - std::log1p(-u);
    expect(std::abs(Gumbel{}(u)-gumbel) <= 1e-14 * (1 + std::abs(gumbel)), "ends of Gumbel's");
    expect(std::abs(Logistic{}(u)-logistic) <= 1e-14 * (1 + std::abs(logistic)),
           "ends of the logistic");
  }
}

}  // namespace

int main() {
  test_exp2();
  test_bins();
  test_log();
  test_ends_of_distributions();
  return report();
}
