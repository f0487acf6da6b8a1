// Threads: one std::thread per slice of queries, started and joined within the call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <type_traits>
#include <vector>

#include "queries.hpp"

namespace skgraded {

// Below this many documents a slice is not worth the start of a thread.
constexpr std::int64_t kDocumentsWorthAThread = 16384;

// More than any machine has processors; every slice takes memory.
constexpr std::int64_t kMostThreads = 1024;

inline int slices_for(const Queries& queries, std::int64_t n_threads) noexcept {
  const std::int64_t worth = 1 + queries.documents() / kDocumentsWorthAThread;
  const std::int64_t most = std::min({n_threads, queries.count, worth, kMostThreads});
  return static_cast<int>(std::max<std::int64_t>(most, 1));
}

// Calls body(slice) for every slice. The body must not throw: an exception cannot leave a thread.
template <class Body>
void run_slices(int n_slices, const Body& body) {
  static_assert(std::is_nothrow_invocable_v<const Body&, int>);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(n_slices - 1));
  int started = 1;
  try {
    for (; started < n_slices; ++started) threads.emplace_back(std::cref(body), started);
  } catch (const std::exception&) {
    // No thread to be had: this one does the remaining slices itself.
  }
  body(0);
  for (int slice = started; slice < n_slices; ++slice) body(slice);
  for (std::thread& thread : threads) thread.join();
}

// First query of a slice, such that every slice holds about as many documents.
inline std::int64_t slice_begin(const Queries& queries, int slice, int n_slices) noexcept {
  if (slice == n_slices) return queries.count;
  const std::int64_t documents_before = queries.documents() / n_slices * slice;
  const std::int64_t* border = std::lower_bound(queries.indptr, queries.indptr + queries.count,
                                                queries.indptr[0] + documents_before);
  return border - queries.indptr;
}

// Calls body(first query, one past the last query) over contiguous slices of the queries.
template <class Body>
void for_query_slices(const Queries& queries, std::int64_t n_threads, const Body& body) {
  static_assert(std::is_nothrow_invocable_v<const Body&, std::int64_t, std::int64_t>);
  const int n_slices = slices_for(queries, n_threads);
  run_slices(n_slices, [&](int slice) noexcept {
    body(slice_begin(queries, slice, n_slices), slice_begin(queries, slice + 1, n_slices));
  });
}

// Calls body(q, space) for every query q, where every slice has a space of its own. All of them are
// made before the threads start, since these must not throw.
template <class Make, class Body>
void for_queries(const Queries& queries, std::int64_t n_threads, const Make& make_space,
                 const Body& body) {
  const int n_slices = slices_for(queries, n_threads);
  std::vector<decltype(make_space())> spaces;
  spaces.reserve(static_cast<std::size_t>(n_slices));
  for (int slice = 0; slice < n_slices; ++slice) spaces.push_back(make_space());
  run_slices(n_slices, [&](int slice) noexcept {
    auto& own = spaces[static_cast<std::size_t>(slice)];
    const std::int64_t last = slice_begin(queries, slice + 1, n_slices);
    for (std::int64_t q = slice_begin(queries, slice, n_slices); q < last; ++q) body(q, own);
  });
}

}  // namespace skgraded
