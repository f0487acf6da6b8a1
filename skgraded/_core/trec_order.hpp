// The order of a TREC run: by score, then by document id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "queries.hpp"
#include "trec_ids.hpp"

namespace skgraded::trec {

// The documents of one query by score descending, then by id descending by its bytes. Scores are
// compared as `Score`.
//
// The columns belong to the caller, who may rewrite them meanwhile in another thread; a sort whose
// comparisons contradict each other would run out of bounds. It compares copies.
template <class Score>
class TrecOrder {
 public:
  explicit TrecOrder(const Documents& documents) : documents_(documents) {}

  void read_scores(const double* scores, std::int64_t start, std::int64_t n) {
    start_ = start;
    score_.resize(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < score_.size(); ++i)
      score_[i] = static_cast<Score>(scores[start + static_cast<std::int64_t>(i)]);
  }

  // Orders the documents and marks those that are tied with the one before.
  void sort(std::int32_t* order, std::uint8_t* tied) {
    const auto n = static_cast<std::int32_t>(score_.size());
    std::iota(order, order + n, 0);
    bool is_sorted = true, has_ties = false;
    if (n > 0) tied[0] = 0;
    for (std::size_t i = 1; i < score_.size(); ++i) {
      is_sorted &= !(score_[i] > score_[i - 1]);
      has_ties |= score_[i] == score_[i - 1];
      tied[i] = score_[i] == score_[i - 1] ? 1 : 0;
    }
    if (!is_sorted) return sort_all(order, tied);
    if (has_ties) sort_ties(order);
  }

 private:
  void sort_all(std::int32_t* order, std::uint8_t* tied) {
    const auto n = static_cast<std::int32_t>(score_.size());
    read_ids(0, n);
    std::sort(order, order + n, [this](std::int32_t a, std::int32_t b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      if (score_[i] != score_[j]) return score_[i] > score_[j];
      return id_[i] > id_[j];
    });
    for (std::int32_t i = 1; i < n; ++i) tied[i] = tie(order[i], order[i - 1]) ? 1 : 0;
  }

  void sort_ties(std::int32_t* order) {
    const auto n = static_cast<std::int32_t>(score_.size());
    for (std::int32_t begin = 0, end = 1; begin < n; begin = end++) {
      while (end < n && tie(end, begin)) ++end;
      if (end - begin > 1 && !is_in_order(begin, end)) sort_block(order, begin, end);
    }
  }

  bool tie(std::int32_t a, std::int32_t b) const noexcept {
    return score_[static_cast<std::size_t>(a)] == score_[static_cast<std::size_t>(b)];
  }

  bool is_in_order(std::int32_t begin, std::int32_t end) const noexcept {
    for (std::int64_t row = start_ + begin + 1; row < start_ + end; ++row)
      if (documents_[row - 1] <= documents_[row]) return false;
    return true;
  }

  void sort_block(std::int32_t* order, std::int32_t begin, std::int32_t end) {
    read_ids(begin, end);
    std::sort(order + begin, order + end, [&](std::int32_t a, std::int32_t b) {
      return id_[static_cast<std::size_t>(a - begin)] > id_[static_cast<std::size_t>(b - begin)];
    });
  }

  // Copies the ids of some of the query's documents.
  void read_ids(std::int32_t from, std::int32_t to) {
    const std::int64_t first = start_ + from;
    const std::int64_t begin = first == 0 ? 0 : documents_.end[first - 1];
    const std::int64_t* ends = documents_.end + first;
    id_.resize(static_cast<std::size_t>(to - from));
    if (id_.empty()) return;
    text_.assign(documents_.bytes + begin, static_cast<std::size_t>(ends[id_.size() - 1] - begin));
    for (std::size_t i = 0, at = 0; i < id_.size(); ++i) {
      const auto next = static_cast<std::size_t>(ends[i] - begin);
      id_[i] = std::string_view(text_).substr(at, next - at);
      at = next;
    }
  }

  Documents documents_;
  std::int64_t start_ = 0;
  std::vector<Score> score_;
  std::string text_;
  std::vector<std::string_view> id_;
};

template <class Score>
void order_documents(const double* scores, const Documents& documents, const Rows& rows,
                     std::int32_t* order, std::uint8_t* tied) {
  TrecOrder<Score> of_query(documents);
  for (std::int64_t q = 0; q < rows.queries.count; ++q) {
    of_query.read_scores(scores, rows.start[q], rows.queries.size(q));
    of_query.sort(order + rows.queries.begin(q), tied + rows.queries.begin(q));
  }
}

}  // namespace skgraded::trec
