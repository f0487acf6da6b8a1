// The way of the derivatives from places to documents. lambdas.hpp defines the words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "queries.hpp"

namespace skgraded {

// The derivatives of all documents, to which every query adds its own, times `share`.
struct Derivatives {
  double* gradient;
  double* hessian;
  double share = 1.0;

  void add(std::int64_t document, double lambda, double second, double factor) const noexcept {
    gradient[document] += lambda * factor;
    hessian[document] += second * factor;
  }
};

// The derivatives of one query by place, and the place of every rank.
struct PlacedDerivatives {
  const std::int32_t* place;
  const double* lambda;
  const double* hessian;
};

// The slots of one query by rank: those of the documents there, and those that count there.
struct RankedSlots {
  RankedList<std::int32_t> own;
  const std::int32_t* slot;
  std::int64_t n_slots;
};

// In a tied block, the documents of one slot are interchangeable and get the mean derivatives.
class TieShares {
  const RankedSlots& ranked_;
  const PlacedDerivatives& found_;
  double *count_, *lambda_, *second_;

 public:
  // `room` has space for three numbers per slot.
  TieShares(const RankedSlots& ranked, const PlacedDerivatives& found, double* room) noexcept
      : ranked_(ranked),
        found_(found),
        count_(room),
        lambda_(room + ranked.n_slots),
        second_(lambda_ + ranked.n_slots) {}

  // Calls put(rank, lambda, hessian) for every rank.
  template <class Put>
  void write(const Put& put) const noexcept {
    for (std::int64_t first = 0, end; first < ranked_.own.size; first = end) {
      end = ranked_.own.block_end(first);
      sum_block(first, end);
      for (std::int64_t i = first; i < end; ++i) {
        const std::int32_t s = ranked_.own.level[i];
        put(i, lambda_[s] / count_[s], second_[s] / count_[s]);
      }
    }
  }

 private:
  void sum_block(std::int64_t first, std::int64_t end) const noexcept {
    for (std::int64_t i = first; i < end; ++i) {
      const std::int32_t s = ranked_.slot[i];
      count_[s] = lambda_[s] = second_[s] = 0.0;
    }
    for (std::int64_t i = first; i < end; ++i) {
      const std::int32_t s = ranked_.slot[i], place = found_.place[i];
      count_[s] += 1.0;
      lambda_[s] += found_.lambda[place];
      second_[s] += found_.hessian[place];
    }
  }
};

}  // namespace skgraded
