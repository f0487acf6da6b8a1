// Readers who go on from a rank to the next with a probability: what they meet, and what they find.
#pragma once

#include <cstdint>

#include "queries.hpp"

namespace skgraded {

// By document of the first ranks of each list: its rank, its gain, and the gain down to it.
struct MetByRank {
  double* rank;
  double* gain;
  double* found;
};

// Where readers go on reading: the first document of each, the ranks above it, and the gain there.
struct GoingOn {
  const std::int64_t* first;
  std::int64_t n_above;
  const double* found;
};

// The i-th query of `read` holds as many documents as the i-th reader reads now.
template <class Level>
void meet_ranks(const Level* level_by_rank, const GoingOn& readers, const Queries& read,
                const double* gain, const MetByRank& met) noexcept {
  for (std::int64_t q = 0; q < read.count; ++q) {
    const Level* level = level_by_rank + readers.first[q];
    const std::int64_t begin = read.begin(q);
    double found = readers.found[q];
    for (std::int64_t i = 0; i < read.size(q); ++i) {
      met.rank[begin + i] = static_cast<double>(readers.n_above + i + 1);
      met.gain[begin + i] = gain[level[i]];
      met.found[begin + i] = found += gain[level[i]];
    }
  }
}

// By query, as expected values: the gain found, the ranks read, and who goes on below the last.
// What was read before is there already.
struct Walked {
  double* gain;
  double* read;
  double* left;
};

inline void walk(const double* gain, const double* go_on, const Queries& queries,
                 const Walked& walked) noexcept {
  for (std::int64_t q = 0; q < queries.count; ++q) {
    double found = walked.gain[q], read = walked.read[q], reach = walked.left[q];
    for (std::int64_t i = queries.begin(q); i < queries.begin(q) + queries.size(q); ++i) {
      found += reach * gain[i];
      read += reach;
      reach *= go_on[i];
    }
    walked.gain[q] = found;
    walked.read[q] = read;
    walked.left[q] = reach;
  }
}

}  // namespace skgraded
