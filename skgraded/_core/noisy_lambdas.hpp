// The mean of LambdaMART's derivatives over noisy scores. The queries that are sorted together go
// through all draws together, so that their data stay in the caches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lambda_task.hpp"
#include "lambdas.hpp"
#include "noise.hpp"
#include "queries.hpp"
#include "rank.hpp"
#include "schedule.hpp"
#include "threads.hpp"
#include "tie_shares.hpp"

namespace skgraded {

// The documents of all queries in one draw.
struct DrawnRanking {
  std::unique_ptr<double[]> scores;       // by document
  std::unique_ptr<std::int32_t[]> order;  // by rank
  std::unique_ptr<std::uint8_t[]> tied;   // by rank

  // Left uninitialized: every draw fills what it reads.
  explicit DrawnRanking(std::size_t n)
      : scores(new double[n]), order(new std::int32_t[n]), tied(new std::uint8_t[n]) {}
};

template <class Level>
class NoisyLambdas {
  const LambdaTask<Level>& task_;  // with the scores as they were given
  const Noise& noise_;
  const std::uint64_t* mixed_grades_;
  const DrawnRanking& drawn_;
  LambdaTask<Level> drawn_task_;  // with those of a draw

 public:
  NoisyLambdas(const LambdaTask<Level>& task, const Noise& noise, const std::uint64_t* mixed_grades,
               const DrawnRanking& drawn) noexcept
      : task_(task), noise_(noise), mixed_grades_(mixed_grades), drawn_(drawn), drawn_task_(task) {
    drawn_task_.order = drawn.order.get();
    drawn_task_.tied = drawn.tied.get();
    drawn_task_.scores = drawn.scores.get();
  }

  void compute(const Group& group, SortSpace& sort_space, LambdaRoom& room,
               const Derivatives& out) const noexcept {
    NoisyScores how[kLanes];
    for (int j = 0; j < group.n_queries; ++j) how[j] = start(group.query[j], out);
    const Scored scored{drawn_.scores.get(), task_.queries, drawn_.order.get(), drawn_.tied.get()};
    const double share = 1.0 / static_cast<double>(noise_.n_draws);
    LambdaQueue<Level> queue(drawn_task_, room, {out.gradient, out.hessian, share});
    for (std::int64_t draw = 0; draw < noise_.n_draws; ++draw) {
      for (int j = 0; j < group.n_queries; ++j) perturb(how[j], group.query[j], draw);
      rank_group(scored, group, sort_space);
      for (int j = 0; j < group.n_queries; ++j) {
        if (how[j].all_equal) take_back(group.query[j]);
        queue.add(group.query[j]);
      }
      queue.finish();
    }
  }

 private:
  NoisyScores start(std::int64_t q, const Derivatives& out) const noexcept {
    const std::int64_t begin = task_.queries.begin(q), n = task_.queries.size(q);
    std::fill_n(out.gradient + begin, n, 0.0);
    std::fill_n(out.hessian + begin, n, 0.0);
    return noisy_scores_of(noise_, task_.scores + begin, task_.level + begin, n, mixed_grades_);
  }

  void perturb(const NoisyScores& how, std::int64_t q, std::int64_t draw) const noexcept {
    const std::int64_t begin = task_.queries.begin(q);
    draw_scores(how, noise_.kind, task_.registers, task_.scores + begin, task_.queries.size(q),
                draw, drawn_.scores.get() + begin);
  }

  // The noise has given the order; the scores stay equal.
  void take_back(std::int64_t q) const noexcept {
    const std::int64_t begin = task_.queries.begin(q);
    std::copy_n(task_.scores + begin, task_.queries.size(q), drawn_.scores.get() + begin);
  }
};

template <class Level>
void noisy_lambdas(const LambdaTask<Level>& task, const Noise& noise, const double* grades,
                   const std::int64_t* schedule, std::int64_t n_threads, const Derivatives& out) {
  const Queries& queries = task.queries;
  const DrawnRanking drawn(static_cast<std::size_t>(queries.documents()));
  const std::vector<std::uint64_t> mixed_grades = mix_grades(grades, task.n_levels);
  const NoisyLambdas<Level> noisy(task, noise, mixed_grades.data(), drawn);
  const std::vector<Group> groups = make_groups(queries, schedule);
  const int n_slices = slices_for(queries, n_threads);
  const std::vector<std::size_t> first = slice_groups(groups, queries.documents(), n_slices);
  std::vector<SortSpace> sort_spaces = make_spaces(groups, n_slices);
  std::vector<LambdaRoom> rooms = make_lambda_rooms(task, n_slices);
  run_slices(n_slices, [&](int slice) noexcept {
    const auto s = static_cast<std::size_t>(slice);
    for (std::size_t g = first[s]; g < first[s + 1]; ++g)
      noisy.compute(groups[g], sort_spaces[s], rooms[s], out);
  });
}

}  // namespace skgraded
