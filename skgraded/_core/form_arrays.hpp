// What a measure of the prefix form takes from the labels, as arrays that Python passes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "fit.hpp"
#include "pair_matrix.hpp"
#include "prefix_values.hpp"
#include "queries.hpp"

namespace skgraded {

// It keeps the arrays alive. What a measure lacks is empty.
struct FormArrays {
  Table<double> constant, scale;  // by query, or one for all
  In<double> gain;
  Table<double> pair_scale;  // the same; empty without pairs
  Table<double> f, h;        // by level, or by query and level
  In<double> u, w;
  Table<double> K;  // in place of the factors, by query, level above and level below
  In<std::int64_t> n_relevant;
  std::int64_t n_levels;
  bool shares_levels;
  double empty;
  std::int64_t cutoff;
  In<double> best;  // value of the ideal ranking
  std::vector<double> base, scaled;
  std::vector<std::int32_t> column;
  std::int64_t n_empty = 0;  // queries with nothing relevant
  PrefixMeasure measure{};   // the same as kernels read it, but for the weights of ranks

  // Makes one where Python has room for it.
  template <class... Arguments>
  static void make(FormArrays* place, const Arguments&... arguments) {
    FormArrays form{arguments..., {}, {}, {}, {}};
    const std::int64_t* counts = form.n_relevant.data();
    form.n_empty = std::count(counts, counts + form.n_queries(), 0);
    form.check();
    PrefixMeasure& measure = form.measure;
    measure.constant = by_query(form.constant);
    measure.scale = by_query(form.scale);
    measure.gains = {or_null(form.gain), length_of(form.gain)};
    measure.pair_scale = by_query(form.pair_scale);
    if (form.f.size() > 0)
      measure.factors = {form.f.data(), or_null(form.h),        nullptr,
                         nullptr,       form.stride_of(form.f), form.stride_of(form.h)};
    if (form.u.size() > 0 && form.w.size() > 0) {
      measure.factors.u = form.u.data();
      measure.factors.w = form.w.data();
    }
    if (measure.has_pairs() && form.shares_levels) form.lay_out_cells();
    measure.cutoff = form.cutoff;
    measure.n_relevant = counts;
    measure.empty = form.empty;
    new (place) FormArrays(std::move(form));
  }

  std::int64_t n_queries() const noexcept { return length_of(n_relevant); }

  void divide_by(const In<double>& values) {
    Fit("divide_by").require(length_of(values) == n_queries());
    best = values;
    measure.best = best.data();
  }

 private:
  static ByQuery by_query(const Table<double>& numbers) noexcept {
    return {or_null(numbers), numbers.size() > 1 ? 1 : 0};
  }

  std::int64_t stride_of(const Table<double>& factor) const noexcept {
    return factor.n_rows > 0 ? n_levels : 0;
  }

  void check() const {
    const Fit fit("PrefixForm");
    fit.require(0 < n_levels && n_levels <= std::numeric_limits<std::int32_t>::max());
    for (const auto* each : {&constant, &scale, &pair_scale})
      fit.require(each->n_rows == 0 && (each->size() <= 1 || length_of(*each) == n_queries()));
    fit.require(gain.size() == 0 || (constant.size() > 0 && scale.size() > 0));
    for (const auto* each : {&gain, &u, &w}) fit.require_length(*each, n_levels);
    for (const auto* each : {&f, &h}) {
      const bool differs = each->n_rows > 0;
      fit.require_length(*each, differs ? n_queries() * n_levels : n_levels);
      fit.require(!differs || each->size() > 0);
      fit.require(!differs || (shares_levels && each->n_rows == n_relevant.size()));
      fit.require(!differs || (u.size() + w.size() == 0 && (each == &h || h.size() == 0)));
    }
    fit.require_length(K, n_queries() * n_levels * n_levels);
  }

  // The factor that differs between queries is the scale, and f or h by query times the scale.
  void lay_out_cells() {
    const auto n_cells = static_cast<std::size_t>(n_levels * n_levels);
    base.assign(n_cells, 1.0);
    column.resize(n_cells);
    measure.K = {base.data(), K.data(), column.data(), n_levels * n_levels};
    if (K.size() > 0) return std::iota(column.begin(), column.end(), 0);
    const PairFactors& factors = measure.factors;
    const bool f_differs = factors.f_stride > 0, h_differs = factors.h_stride > 0;
    const ByQuery whole = measure.pair_scale;
    measure.K = {base.data(), whole.values, column.data(), whole.stride};
    if (f_differs || h_differs) {
      const Table<double>& differing = f_differs ? f : h;
      const bool is_scaled = whole.stride > 0 || whole[0] != 1.0;  // else it is not copied
      if (is_scaled) scaled.assign(differing.data(), differing.data() + differing.size());
      for (std::size_t i = 0; i < scaled.size(); ++i)
        scaled[i] *= whole[static_cast<std::int64_t>(i) / n_levels];
      measure.K.factor = is_scaled ? scaled.data() : differing.data();
      measure.K.n_columns = n_levels;
    }
    std::size_t cell = 0;
    for (std::int32_t a = 0; a < n_levels; ++a)
      for (std::int32_t b = 0; b < n_levels; ++b, ++cell) {
        const std::int32_t lower = std::min(a, b);
        if (!f_differs) base[cell] = factors.f == nullptr ? 0.0 : factors.f[lower];
        if (!h_differs) base[cell] *= factors.h_at(b);
        if (factors.u != nullptr) base[cell] += factors.u[a] * factors.w[b];
        column[cell] = f_differs ? lower : h_differs ? b : 0;
      }
  }
};

}  // namespace skgraded
