// LambdaMART for measures of the prefix form: first and second derivatives of a cost that sums,
// over the pairs of documents of unequal grade, what swapping the two would change in the measure
// times the logistic loss of their score difference.
//
// The words of the files that this one includes:
//
//   document  A row of the data.
//   rank      A position in the ranking of a query, from 0. `order` tells the document there.
//   level     A grade, as its index among all grades of the data.
//   slot      A level, as its index among the levels that occur in the query, so that tables by
//             slot are as small as the query allows.
//   place     Where a document's numbers stand while its query is computed: at its rank, or slot
//             by slot and by rank within a slot.
//   upper,    The two documents of a pair: the one at the better rank, and the other. The lower
//   lower     documents of one slot are a run, which follow one another where places go slot by
//             slot. A sweep takes all lower ranks at once.
//   part      One of the measures whose weighted sum is the measure; mostly there is one.
//   price     The absolute change of the measure if the two documents of a pair swapped ranks.
//   lambda    The first derivative of a pair, or the sum of them for a document.
//   F, H      Sums by slot s on a walk down the ranks, over the ranks m so far: F[s] of K[r_m, s],
//             and H[s] of p_m K[s, r_m].
//   block     Ranks of equal scores. Ties may put the slots of a block into an order of their own;
//             the slot that counts at a rank is then not that of the document there (`own_slot`),
//             and the documents of a slot get the mean of their derivatives (TieShares).
//   share     The weight of a ranking's derivatives in what is returned: 1, or one divided by the
//             number of draws of noise.
//   lane      One of eight numbers that an instruction treats alike: eight pairs or slots of one
//             query, or one pair of each of eight short queries, where the measure has one part
//             (tiny_lambdas.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "factor_swaps.hpp"
#include "lambda_task.hpp"
#include "queries.hpp"
#include "query_lambdas.hpp"
#include "threads.hpp"
#include "tie_shares.hpp"
#include "tiny_lambdas.hpp"

namespace skgraded {

// Room for one thread.
struct LambdaRoom {
  LambdaSpace space;
  std::vector<FactorSwaps> factor_swaps;  // by part, where K has factors
  std::unique_ptr<TinySpace> tiny;
};

// Takes queries in any order. Short ones wait until there are eight of their size, or the end.
template <class Level>
class LambdaQueue {
  const LambdaTask<Level>& task_;
  LambdaSpace& space_;
  std::vector<FactorSwaps>& factor_swaps_;
  TinySpace& tiny_;
  Derivatives out_;

 public:
  LambdaQueue(const LambdaTask<Level>& task, LambdaRoom& room, const Derivatives& out) noexcept
      : task_(task),
        space_(room.space),
        factor_swaps_(room.factor_swaps),
        tiny_(*room.tiny),
        out_(out) {}

  void add(std::int64_t q) noexcept {
    const std::int64_t n = task_.queries.size(q);
    if (n < 2) return;
    if (n > kTiny || task_.parts.size() > 1 || task_.parts[0].has_matrix()) {
      QueryLambdas<Level>(task_, space_, factor_swaps_).add(q, out_);
      return;
    }
    int& n_waiting = tiny_.n_waiting[n];
    tiny_.waiting[n][n_waiting++] = q;
    if (n_waiting < kLanes) return;
    add_together(tiny_.waiting[n], n_waiting);
    n_waiting = 0;
  }

  // Those that still wait, by size.
  void finish() noexcept {
    std::int64_t together[kLanes];
    int n_together = 0;
    for (std::int64_t n = 2; n <= kTiny; ++n)
      for (int& n_waiting = tiny_.n_waiting[n]; n_waiting > 0;) {
        together[n_together++] = tiny_.waiting[n][--n_waiting];
        if (n_together < kLanes) continue;
        add_together(together, n_together);
        n_together = 0;
      }
    if (n_together > 0) add_together(together, n_together);
  }

 private:
  // The last query is the longest one.
  void add_together(const std::int64_t* queries, int n_queries) noexcept {
    const std::int64_t longest = task_.queries.size(queries[n_queries - 1]);
    TinyLambdas<Level>(task_, space_, tiny_, longest).add(queries, n_queries, out_);
  }
};

template <class Level>
std::vector<LambdaRoom> make_lambda_rooms(const LambdaTask<Level>& task, int n_slices) {
  std::int64_t longest = 0, longest_tiny = 0;
  for (std::int64_t q = 0; q < task.queries.count; ++q) {
    const std::int64_t n = task.queries.size(q);
    longest = std::max(longest, n);
    if (n <= kTiny) longest_tiny = std::max(longest_tiny, n);
  }
  std::vector<LambdaRoom> rooms;
  rooms.reserve(static_cast<std::size_t>(n_slices));
  const std::int64_t tabulated = !task.has_tables()   ? 0
                                 : task.has_factors() ? kLanes
                                                      : task.n_levels;
  for (int slice = 0; slice < n_slices; ++slice) {
    rooms.push_back({LambdaSpace(longest, task.n_levels, task.upper_ranks(longest), tabulated),
                     {},
                     std::unique_ptr<TinySpace>(new TinySpace(longest_tiny))});
    if (task.has_factors())
      rooms.back().factor_swaps.assign(task.parts.size(),
                                       FactorSwaps(longest, rooms.back().space.stride));
  }
  return rooms;
}

template <class Level>
void lambdas(const LambdaTask<Level>& task, std::int64_t n_threads, const Derivatives& out) {
  const Queries& queries = task.queries;
  const int n_slices = slices_for(queries, n_threads);
  std::vector<LambdaRoom> rooms = make_lambda_rooms(task, n_slices);
  run_slices(n_slices, [&](int slice) noexcept {
    const std::int64_t first = slice_begin(queries, slice, n_slices);
    const std::int64_t last = slice_begin(queries, slice + 1, n_slices);
    const std::int64_t begin = queries.indptr[first], end = queries.indptr[last];
    std::fill(out.gradient + begin, out.gradient + end, 0.0);
    std::fill(out.hessian + begin, out.hessian + end, 0.0);
    LambdaQueue<Level> queue(task, rooms[static_cast<std::size_t>(slice)], out);
    for (std::int64_t q = first; q < last; ++q) queue.add(q);
    queue.finish();
  });
}

}  // namespace skgraded
