// The order of a TREC run: by score, then by document id.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queries.hpp"
#include "trec_ids.hpp"

namespace skgraded::trec {

// Score descending, then document id descending by its bytes. Scores are compared as `Score`.
template <class Score>
class TrecOrder {
 public:
  TrecOrder(const double* scores, const Documents& documents, std::int64_t start)
      : scores_(scores + start), documents_(documents), start_(start) {}

  Score score(std::int32_t i) const noexcept { return static_cast<Score>(scores_[i]); }

  bool operator()(std::int32_t a, std::int32_t b) const noexcept {
    const Score of_a = score(a), of_b = score(b);
    if (of_a != of_b) return of_a > of_b;
    return documents_[start_ + a] > documents_[start_ + b];
  }

 private:
  const double* scores_;
  const Documents& documents_;
  std::int64_t start_;
};

template <class Score>
void order_documents(const double* scores, const Documents& documents, const Rows& rows,
                     std::int32_t* order, std::uint8_t* tied) {
  for (std::int64_t q = 0; q < rows.queries.count; ++q) {
    const TrecOrder<Score> before(scores, documents, rows.start[q]);
    std::int32_t* first = order + rows.queries.begin(q);
    std::uint8_t* flags = tied + rows.queries.begin(q);
    const auto n = static_cast<std::int32_t>(rows.queries.size(q));
    bool in_order = true;  // as most files are
    for (std::int32_t i = 0; i < n; ++i) {
      first[i] = i;
      flags[i] = i > 0 && before.score(i) == before.score(i - 1) ? 1 : 0;
      in_order = in_order && (i == 0 || before(i - 1, i));
    }
    if (in_order) continue;
    std::sort(first, first + n, before);
    for (std::int32_t i = 1; i < n; ++i)
      flags[i] = before.score(first[i]) == before.score(first[i - 1]) ? 1 : 0;
  }
}

}  // namespace skgraded::trec
