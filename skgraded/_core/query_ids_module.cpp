// The Python border of the kernels for query ids.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "query_ids.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace skgraded;

template <class Ids>
nb::tuple numbered(Ids ids, std::size_t n_rows, std::uint64_t seed) {
  NumberedRows rows;
  Out<std::int32_t> query_of_row = fill(New<std::int32_t>{n_rows}, [&](std::int32_t* query) {
    rows = number_rows(std::move(ids), static_cast<std::int64_t>(n_rows), seed, query);
  });
  return nb::make_tuple(query_of_row, array_of<std::int64_t>(std::move(rows.first_rows)),
                        rows.is_grouped);
}

nb::tuple py_number_words(const In<std::int64_t>& ids, std::uint64_t seed) {
  return numbered(WordIds(ids.data()), ids.size(), seed);
}

nb::tuple py_number_bytes(const In<std::uint8_t>& ids, std::size_t width, std::uint64_t seed) {
  return numbered(ByteIds(ids.data(), width), ids.size() / width, seed);
}

auto py_group_rows(const In<std::int32_t>& query_of_row, std::size_t n_queries) {
  const std::size_t n_rows = query_of_row.size();
  return fill(New<std::int64_t>{n_queries + 1}, New<std::int64_t>{n_rows},
              [&](std::int64_t* indptr, std::int64_t* row_order) {
                group_rows(query_of_row.data(), static_cast<std::int64_t>(n_rows),
                           static_cast<std::int64_t>(n_queries), indptr, row_order);
              });
}

}  // namespace

void define_query_ids(nb::module_& m) {
  m.def("number_words", &py_number_words, "ids"_a, "seed"_a);
  m.def("number_bytes", &py_number_bytes, "ids"_a, "width"_a, "seed"_a);
  m.def("group_rows", &py_group_rows, "query_of_row"_a, "n_queries"_a);
}
