// Levels that each query has of its own: the grades above 0 that occur in it. The levels of query q
// are borders[q] .. borders[q + 1] - 1, ascending; level 0, the grade 0, is that of all queries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "queries.hpp"

namespace skgraded {

struct OwnLevels {
  std::vector<std::int64_t> borders;
  std::vector<std::int32_t> common;  // by own level: the level on the common scale

  std::int64_t count() const noexcept { return static_cast<std::int64_t>(common.size()); }
};

// Lists of levels on a common scale; levels from n_levels on mark the unjudged.
template <class Level>
struct CommonLevels {
  const Level* level;
  Queries queries;
  std::int64_t n_levels;

  bool is_grade(std::int64_t i) const noexcept { return level[i] > 0 && level[i] < n_levels; }
};

// The number of a query's own level by level of the common scale, for the levels of one query at a
// time.
class OwnLevelTable {
  const OwnLevels& own_;
  std::vector<std::int32_t> number_;
  std::int64_t first_ = 0, end_ = 0;

 public:
  OwnLevelTable(const OwnLevels& own, std::int64_t n_levels)
      : own_(own), number_(static_cast<std::size_t>(n_levels)) {}

  void read(std::int64_t first, std::int64_t end) noexcept {
    first_ = first;
    end_ = end;
    for (std::int64_t i = first; i < end; ++i)
      number_[static_cast<std::size_t>(own_.common[static_cast<std::size_t>(i)])] =
          static_cast<std::int32_t>(i);
  }

  // Numbers that are left over from other queries lie outside the borders of this one.
  bool has(std::int64_t level) const noexcept {
    const std::int32_t number = at(level);
    return number >= first_ && number < end_;
  }

  std::int32_t at(std::int64_t level) const noexcept {
    return number_[static_cast<std::size_t>(level)];
  }
};

// The own levels of the judged documents of lists and of pools, of which the latter are sorted, the
// best level first. Mostly pools hold all levels of the lists.
template <class Level>
OwnLevels find_own_levels(const CommonLevels<Level>& lists, const CommonLevels<Level>& pools) {
  OwnLevels own{{1}, {0}};
  std::vector<std::int32_t>& common = own.common;
  common.reserve(static_cast<std::size_t>(pools.queries.documents() + 1));
  OwnLevelTable table(own, lists.n_levels);
  for (std::int64_t q = 0; q < lists.queries.count; ++q) {
    const auto first = own.count();
    for (std::int64_t i = pools.queries.begin(q + 1) - 1; i >= pools.queries.begin(q); --i)
      if (pools.is_grade(i) && (own.count() == first || common.back() != pools.level[i]))
        common.push_back(static_cast<std::int32_t>(pools.level[i]));
    table.read(first, own.count());
    bool is_whole = true;
    for (std::int64_t i = lists.queries.begin(q); i < lists.queries.begin(q + 1); ++i) {
      if (!lists.is_grade(i) || table.has(lists.level[i])) continue;
      common.push_back(static_cast<std::int32_t>(lists.level[i]));
      is_whole = false;
    }
    if (!is_whole) {
      std::sort(common.begin() + first, common.end());
      common.erase(std::unique(common.begin() + first, common.end()), common.end());
    }
    own.borders.push_back(own.count());
  }
  return own;
}

// The same documents on the own levels; the marks of the unjudged follow the last level.
template <class Level>
void put_own_levels(const CommonLevels<Level>& lists, const OwnLevels& own, std::int32_t* level) {
  OwnLevelTable table(own, lists.n_levels);
  for (std::int64_t q = 0; q < lists.queries.count; ++q) {
    table.read(own.borders[static_cast<std::size_t>(q)],
               own.borders[static_cast<std::size_t>(q) + 1]);
    for (std::int64_t i = lists.queries.begin(q); i < lists.queries.begin(q + 1); ++i) {
      const auto common = static_cast<std::int64_t>(lists.level[i]);
      level[i] = common == 0 ? 0
                 : common < lists.n_levels
                     ? table.at(common)
                     : static_cast<std::int32_t>(own.count() + common - lists.n_levels);
    }
  }
}

}  // namespace skgraded
