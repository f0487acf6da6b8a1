// Labels as users pass them: their grades on a short scale, and the pools of the queries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "own_levels.hpp"
#include "queries.hpp"
#include "simd.hpp"

namespace skgraded {

// Grades of a short scale, as bytes; the byte behind them marks the unjudged.
constexpr std::uint8_t kTopByteGrade = 253, kUnjudgedByte = 255;

// An integer label as a byte; `others` becomes nonzero if it is not a grade of a short scale.
template <class Label>
std::uint64_t byte_grade_of(Label label, std::uint64_t& others) noexcept {
  const auto grade = static_cast<std::uint64_t>(label);
  others |= grade > kTopByteGrade ? 1U : 0U;
  return grade;
}

// The same for floating point, by arithmetic on the bits, for which compilers fill registers.
template <class Bits, class Label>
Bits byte_grade_of_bits(Label label, Label whole_from, Bits infinity, Bits& others) noexcept {
  static_assert(sizeof(Bits) == sizeof(Label));
  constexpr int kSignBit = 8 * sizeof(Bits) - 1;
  const auto bits_of = [](Label value) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  };
  // Adding a number so large leaves an integer in the low bits.
  const Label shifted = label + whole_from;
  const Bits grade = bits_of(shifted) - bits_of(whole_from), own = bits_of(label);
  const Bits is_nan = Bits{0} - ((infinity - (own & ~(Bits{1} << kSignBit))) >> kSignBit);
  const Bits rounded = bits_of(shifted - whole_from) ^ own;
  const Bits too_high = (grade | (grade + (kUnjudgedByte - kTopByteGrade))) >> 8;  // or below 0
  others |= (rounded | too_high) & ~is_nan;
  return (grade & ~is_nan) | (is_nan & kUnjudgedByte);
}

inline std::uint32_t byte_grade_of(float label, std::uint32_t& others) noexcept {
  return byte_grade_of_bits<std::uint32_t>(label, 0x1p23F, 0x7f800000, others);
}

inline std::uint64_t byte_grade_of(double label, std::uint64_t& others) noexcept {
  return byte_grade_of_bits<std::uint64_t>(label, 0x1p52, 0x7ff0000000000000, others);
}

// Reads every label once, and notes which grades occur. Returns whether all of them are integers
// from 0 to kTopByteGrade or nan; if they are not, the result must not be used.
template <class Label>
bool read_byte_grades(const Label* labels, std::int64_t n, std::uint8_t* grades,
                      std::uint8_t* occurs) noexcept {
  constexpr std::int64_t kAtATime = 4096;
  std::fill_n(occurs, 256, std::uint8_t{0});
  for (std::int64_t first = 0; first < n; first += kAtATime) {
    const std::int64_t end = std::min(first + kAtATime, n);
    std::conditional_t<std::is_same_v<Label, float>, std::uint32_t, std::uint64_t> others = 0;
    for (std::int64_t i = first; i < end; ++i)
      grades[i] = static_cast<std::uint8_t>(byte_grade_of(labels[i], others));
    if (others != 0) return false;
    for (std::int64_t i = first; i < end; ++i) occurs[grades[i]] = 1;
  }
  return true;
}

// Replaces grades by their levels, the places among the grades that occur and grade 0; the level of
// the unjudged stands behind them. Returns the number of grades, which are written to `found`.
inline std::int64_t to_levels(const std::uint8_t* occurs, std::int64_t n, std::uint8_t* grades,
                              double* found) noexcept {
  std::uint8_t level_of[256] = {};
  std::int64_t n_levels = 0;
  bool are_levels = occurs[kUnjudgedByte] == 0;
  for (int grade = 0; grade <= kTopByteGrade; ++grade) {
    if (grade > 0 && occurs[grade] == 0) continue;
    are_levels &= grade == n_levels;
    level_of[grade] = static_cast<std::uint8_t>(n_levels);
    found[n_levels++] = grade;
  }
  level_of[kUnjudgedByte] = static_cast<std::uint8_t>(n_levels);
  for (std::int64_t i = 0; i < n && !are_levels; ++i) grades[i] = level_of[grades[i]];
  return n_levels;
}

// What labels of any size have in common. Grades are 0, or numbers from the smallest normal one up
// to 2^53, or nan; if some are not, the others have no meaning.
struct GradeFacts {
  double top = 0.0;
  bool are_grades = true, any_unjudged = false, any_fractional = false;
};

// Copies labels, eight at a time, and puts kUnjudgedGrade in the place of nan.
template <class Label>
class GradeReader {
  LaneRow top_{}, not_grades_{}, unjudged_{}, fractional_{};  // 1 where there is one

 public:
  SKGRADED_ALWAYS_INLINE void read(const Label* labels, std::int64_t n, double* grades) noexcept {
    const std::int64_t in_rows = n - n % kLanes;
    for (std::int64_t i = 0; i < in_rows; i += kLanes) read_row(labels + i, grades + i);
    Label rest[kLanes] = {};
    double read[kLanes];
    std::copy(labels + in_rows, labels + n, rest);
    read_row(rest, read);
    std::copy(read, read + (n - in_rows), grades + in_rows);
  }

  GradeFacts facts() const noexcept {
    return {most(top_), most(not_grades_) == 0.0, most(unjudged_) > 0.0, most(fractional_) > 0.0};
  }

 private:
  SKGRADED_ALWAYS_INLINE void read_row(const Label* labels, double* grades) noexcept {
    constexpr double kSmallest = std::numeric_limits<double>::min(), kLargest = 0x1p53;
    constexpr double kAllAreWhole = 0x1p52;  // from here on
    for (int lane = 0; lane < kLanes; ++lane) {
      const double label = static_cast<double>(labels[lane]) + 0.0;  // no zero has a sign
      const double unjudged = label != label ? 1.0 : 0.0;
      const double grade = label != label ? kUnjudgedGrade : label;
      // From the smallest grade on, a whole number comes out of this sum as it went in.
      const double small = grade < kAllAreWhole ? grade : 0.0;
      const double rounded = (small + kAllAreWhole) - kAllAreWhole;
      const double is_zero_or_unjudged = (grade == 0.0 ? 1.0 : 0.0) + unjudged;
      const double too_small = grade < kSmallest ? 1.0 : 0.0,
                   too_large = grade > kLargest ? 1.0 : 0.0;
      const double not_grade = (is_zero_or_unjudged > 0.0 ? 0.0 : too_small) + too_large;
      const double fractional = rounded != small ? 1.0 : 0.0;
      top_.lane[lane] = top_.lane[lane] < grade ? grade : top_.lane[lane];
      not_grades_.lane[lane] =
          not_grades_.lane[lane] < not_grade ? not_grade : not_grades_.lane[lane];
      unjudged_.lane[lane] = unjudged_.lane[lane] < unjudged ? unjudged : unjudged_.lane[lane];
      fractional_.lane[lane] =
          fractional_.lane[lane] < fractional ? fractional : fractional_.lane[lane];
      grades[lane] = grade;
    }
  }

  static double most(const LaneRow& row) noexcept {
    return *std::max_element(row.lane, row.lane + kLanes);
  }
};

template <class Label>
GradeFacts read_grades(const Label* labels, std::int64_t n, double* grades,
                       Registers registers = widest_registers()) noexcept {
  return run_in(registers, [=]() SKGRADED_INLINE_BODY {
    GradeReader<Label> reader;
    reader.read(labels, n, grades);
    return reader.facts();
  });
}

// Numbers of the grades 0, 1, ..., n - 1, with straight lines between them, as numpy.interp.
inline void at_grades(const double* grades, std::int64_t n_grades, const double* by_whole_grade,
                      std::int64_t n, double* values, Registers registers = widest_registers()) {
  // The line behind each number; behind the last one it is level.
  std::vector<double> steps(static_cast<std::size_t>(n), 0.0);
  for (std::int64_t grade = 0; grade + 1 < n; ++grade)
    steps[static_cast<std::size_t>(grade)] = by_whole_grade[grade + 1] - by_whole_grade[grade];
  const double* step = steps.data();
  const auto last = static_cast<double>(n - 1);
  run_in(registers, [=]() SKGRADED_INLINE_BODY {
    for (std::int64_t i = 0; i < n_grades; ++i) {
      const auto below = static_cast<std::int32_t>(grades[i] < last ? grades[i] : last);
      values[i] = step[below] * (grades[i] - static_cast<double>(below)) + by_whole_grade[below];
    }
    return 0;
  });
}

// The borders of queries of so many documents.
inline void borders_of(const std::int64_t* counts, std::int64_t n_queries, std::int64_t n_levels,
                       std::int64_t* indptr) noexcept {
  indptr[0] = 0;
  for (std::int64_t q = 0; q < n_queries; ++q, counts += n_levels)
    indptr[q + 1] = std::accumulate(counts, counts + n_levels, indptr[q]);
}

// Every query's documents, the best level first, from their counts.
inline void fill_best_first(const std::int64_t* counts, std::int64_t n_queries,
                            std::int64_t n_levels, std::uint8_t* levels) noexcept {
  for (std::int64_t q = 0; q < n_queries; ++q, counts += n_levels)
    for (std::int64_t level = n_levels - 1; level >= 0; --level)
      levels = std::fill_n(levels, counts[level], static_cast<std::uint8_t>(level));
}

}  // namespace skgraded
