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

// The i-th query of `read` holds as many documents as the i-th reader reads, from first[i] on.
template <class Level>
void meet_ranks(const Level* level_by_rank, const std::int64_t* first, const Queries& read,
                const double* gain, const MetByRank& met) noexcept {
  for (std::int64_t q = 0; q < read.count; ++q) {
    const Level* level = level_by_rank + first[q];
    const std::int64_t begin = read.begin(q);
    double found = 0.0;
    for (std::int64_t i = 0; i < read.size(q); ++i) {
      met.rank[begin + i] = static_cast<double>(i + 1);
      met.gain[begin + i] = gain[level[i]];
      met.found[begin + i] = found += gain[level[i]];
    }
  }
}

// By query, as expected values: the gain found, the ranks read, and who goes on below the last.
struct Walked {
  double* gain;
  double* read;
  double* left;
};

inline void walk(const double* gain, const double* go_on, const Queries& queries,
                 const Walked& walked) noexcept {
  for (std::int64_t q = 0; q < queries.count; ++q) {
    double found = 0.0, read = 0.0, reach = 1.0;
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
