// Changes of the measure by swaps, for queries of at most eight slots: the numbers of
// query_lambdas.hpp, with one lane for each slot of the other document.
#pragma once

#include <cstdint>

#include "simd.hpp"

namespace skgraded {

struct LaneSwaps {
  LaneRow K[kLanes];      // by slots, the row above
  LaneRow below[kLanes];  // its transpose
  LaneRow own, gain;      // K[s, s] and the gain, by slot
  LaneRow F, H;           // by slot: sums over the ranks so far

  // K by slots and gains of a query. Lanes without a slot hold zeros.
  void start(const double* pairs, const double* gains, std::int64_t n_slots) noexcept {
    *this = {};
    for (std::int64_t a = 0; a < n_slots; ++a) {
      gain.lane[a] = gains[a];
      own.lane[a] = pairs[a * n_slots + a];
      for (std::int64_t b = 0; b < n_slots; ++b)
        K[a].lane[b] = below[b].lane[a] = pairs[a * n_slots + b];
    }
  }

  // The change if a lower rank of slot y is swapped with an upper rank, by slot of the latter.
  SKGRADED_ALWAYS_INLINE LaneRow of_lower(std::int64_t y, double d, double p) const noexcept {
    LaneRow change;
    SKGRADED_IN_LANES
    for (int x = 0; x < kLanes; ++x)
      change.lane[x] = (gain.lane[x] - gain.lane[y]) * d + (H.lane[y] - H.lane[x]) +
                       p * ((F.lane[x] - F.lane[y]) + (K[y].lane[x] - K[y].lane[y]));
    return change;
  }

  // The change if an upper rank of slot x is swapped with a lower rank, by slot of the latter. F
  // and H include the upper rank.
  SKGRADED_ALWAYS_INLINE LaneRow of_upper(std::int64_t x, double d, double p) const noexcept {
    LaneRow change;
    SKGRADED_IN_LANES
    for (int y = 0; y < kLanes; ++y) {
      const double above = (F.lane[y] - K[x].lane[y]) - (F.lane[x] - own.lane[x]);
      const double self = own.lane[y] - own.lane[x];
      change.lane[y] =
          (gain.lane[y] - gain.lane[x]) * d + p * (above + self) - (H.lane[y] - H.lane[x]);
    }
    return change;
  }

  SKGRADED_ALWAYS_INLINE void count(std::int64_t s, double p) noexcept {
    SKGRADED_IN_LANES
    for (int u = 0; u < kLanes; ++u) {
      F.lane[u] += K[s].lane[u];
      H.lane[u] += p * below[s].lane[u];
    }
  }
};

}  // namespace skgraded
