// Levels that each query has of its own: the grades above 0 that occur in it. The levels of query q
// are borders[q] .. borders[q + 1] - 1, ascending; level 0, the grade 0, is that of all queries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "queries.hpp"

namespace skgraded {

// In place of the grade of an unjudged document, or of one that was not sampled.
constexpr double kUnjudgedGrade = -1.0, kUnsampledGrade = -2.0;

// The documents of lists: their grades, and their order by grade, the best first, query by query.
struct SortedGrades {
  const double* grade;
  const std::int32_t* order;
  Queries queries;

  // The document at a place of the order.
  std::int64_t document(std::int64_t q, std::int64_t place) const noexcept {
    return queries.begin(q) + order[queries.begin(q) + place];
  }
};

// What is found: the grades by level, for which there is room for one more than there are documents
// and level 0, and the borders of the queries.
struct OwnLevels {
  double* grades;
  std::int64_t* borders;
};

// Numbers the grades of one query after the other, which it meets in ascending order.
class LevelNumbers {
  double* grades_;
  std::int64_t count_ = 1;
  double last_ = 0.0;

 public:
  explicit LevelNumbers(double* grades) noexcept : grades_(grades) { grades[0] = 0.0; }

  void start_query() noexcept { last_ = 0.0; }

  // Without a branch: which grades are new cannot be predicted.
  std::int32_t meet(double grade) noexcept {
    grades_[count_] = grade;
    count_ += grade != last_ ? 1 : 0;
    last_ = grade;
    return grade > 0.0 ? static_cast<std::int32_t>(count_ - 1) : 0;
  }

  std::int64_t count() const noexcept { return count_; }
};

// Marks the unjudged documents of a query, which stand last, by numbers below 0, and returns the
// number of the others.
inline std::int64_t mark_unjudged(const SortedGrades& lists, std::int64_t q,
                                  std::int32_t* level) noexcept {
  std::int64_t n = lists.queries.size(q);
  for (; n > 0; --n) {
    const std::int64_t document = lists.document(q, n - 1);
    if (lists.grade[document] >= 0.0) break;
    level[document] = static_cast<std::int32_t>(lists.grade[document]);
  }
  return n;
}

// Moves the marks of the unjudged behind the last level.
inline void move_marks(std::int64_t n_documents, std::int64_t n_levels,
                       std::int32_t* level) noexcept {
  for (std::int64_t i = 0; i < n_documents; ++i)
    if (level[i] < 0) level[i] = static_cast<std::int32_t>(n_levels - 1 - level[i]);
}

// Finds the levels, whose number is returned, that of every document, and the pools of judged
// documents, the best first: their levels and borders.
inline std::int64_t own_levels(const SortedGrades& lists, const OwnLevels& own, std::int32_t* level,
                               std::int32_t* pool, std::int64_t* pool_indptr) noexcept {
  LevelNumbers numbers(own.grades);
  own.borders[0] = 1;
  pool_indptr[0] = 0;
  for (std::int64_t q = 0; q < lists.queries.count; ++q) {
    const std::int64_t n = mark_unjudged(lists, q, level);
    std::int32_t* of_pool = pool + pool_indptr[q];
    pool_indptr[q + 1] = pool_indptr[q] + n;
    numbers.start_query();
    for (std::int64_t place = n - 1; place >= 0; --place) {
      const std::int64_t document = lists.document(q, place);
      level[document] = of_pool[place] = numbers.meet(lists.grade[document]);
    }
    own.borders[q + 1] = numbers.count();
  }
  if (pool_indptr[lists.queries.count] < lists.queries.documents())
    move_marks(lists.queries.documents(), numbers.count(), level);
  return numbers.count();
}

// Pools that are given: the grades of their documents, the best first, query by query.
struct Pools {
  const double* grade;
  Queries queries;
};

// The same for lists whose pools hold other documents, too.
inline std::int64_t own_levels_with_pools(const SortedGrades& lists, const Pools& pools,
                                          const OwnLevels& own, std::int32_t* level,
                                          std::int32_t* pool) noexcept {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  LevelNumbers numbers(own.grades);
  own.borders[0] = 1;
  for (std::int64_t q = 0; q < lists.queries.count; ++q) {
    std::int64_t place = mark_unjudged(lists, q, level) - 1;
    std::int64_t pooled = pools.queries.begin(q + 1) - 1;
    numbers.start_query();
    while (place >= 0 || pooled >= pools.queries.begin(q)) {
      const std::int64_t document = place >= 0 ? lists.document(q, place) : 0;
      const double of_list = place >= 0 ? lists.grade[document] : kNone;
      const double of_pool = pooled >= pools.queries.begin(q) ? pools.grade[pooled] : kNone;
      if (of_pool <= of_list) {
        pool[pooled--] = numbers.meet(of_pool);
      } else {
        level[document] = numbers.meet(of_list);
        --place;
      }
    }
    own.borders[q + 1] = numbers.count();
  }
  move_marks(lists.queries.documents(), numbers.count(), level);
  return numbers.count();
}

// Which queries go by levels of their own: those with fractional grades, or whose highest grade h
// is above `most`, or above `few` where (h + 1)^2 pairs of grades are more than `pairs` a document.
struct ScaleRule {
  double few, most, pairs;

  bool is_own(double highest, std::int64_t n_judged) const noexcept {
    const double levels = highest + 1.0;
    return highest > most ||
           (highest > few && levels * levels > pairs * static_cast<double>(n_judged));
  }
};

inline void go_by_own_levels(const double* grade, const Queries& queries, const ScaleRule& rule,
                             std::uint8_t* own) noexcept {
  for (std::int64_t q = 0; q < queries.count; ++q) {
    int highest = 0, n_judged = 0, n_fractional = 0;
    for (std::int64_t i = queries.begin(q); i < queries.begin(q + 1); ++i) {
      const double least = grade[i] < rule.most + 1.0 ? grade[i] : rule.most + 1.0;
      const int whole = static_cast<int>(least);
      highest = std::max(highest, whole);
      n_judged += whole >= 0 ? 1 : 0;
      n_fractional += static_cast<double>(whole) != least ? 1 : 0;
    }
    own[q] = n_fractional > 0 || rule.is_own(highest, n_judged);
  }
}

}  // namespace skgraded
