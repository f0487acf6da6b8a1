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

  // As most files are.
  bool is_in_order() const noexcept {
    for (std::size_t i = 1; i < score_.size(); ++i) {
      const std::int64_t row = start_ + static_cast<std::int64_t>(i);
      if (score_[i - 1] < score_[i]) return false;
      if (score_[i - 1] == score_[i] && documents_[row - 1] <= documents_[row]) return false;
    }
    return true;
  }

  void sort(std::int32_t* order) {
    read_ids();
    std::sort(order, order + score_.size(), [this](std::int32_t a, std::int32_t b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      if (score_[i] != score_[j]) return score_[i] > score_[j];
      return id_[i] > id_[j];
    });
  }

  bool tie(std::int32_t a, std::int32_t b) const noexcept {
    return score_[static_cast<std::size_t>(a)] == score_[static_cast<std::size_t>(b)];
  }

 private:
  void read_ids() {
    const std::int64_t begin = start_ == 0 ? 0 : documents_.end[start_ - 1];
    const std::int64_t* ends = documents_.end + start_;
    id_.resize(score_.size());
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
    std::int32_t* first = order + rows.queries.begin(q);
    std::uint8_t* flags = tied + rows.queries.begin(q);
    const auto n = static_cast<std::int32_t>(rows.queries.size(q));
    std::iota(first, first + n, 0);
    of_query.read_scores(scores, rows.start[q], n);
    if (!of_query.is_in_order()) of_query.sort(first);
    for (std::int32_t i = 0; i < n; ++i)
      flags[i] = i > 0 && of_query.tie(first[i], first[i - 1]) ? 1 : 0;
  }
}

}  // namespace skgraded::trec
