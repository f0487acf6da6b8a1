// Python bindings of the kernels for query ids.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "query_ids.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace skgraded;

using Numbered = std::tuple<Out<std::int32_t>, Out<std::int64_t>, bool>;

// Calls number(query_of_row) for the numbers of the rows.
template <class Number>
Numbered numbered(std::size_t n_rows, const Number& number) {
  NumberedRows rows;
  Out<std::int32_t> query_of_row =
      fill(New<std::int32_t>{n_rows}, [&](std::int32_t* query) { rows = number(query); });
  return {query_of_row, array_of<std::int64_t>(std::move(rows.first_rows)), rows.is_grouped};
}

template <class Word>
Numbered py_number_words(const In<Word>& ids, std::uint64_t seed, std::size_t most) {
  return numbered(ids.size(), [&](std::int32_t* query) {
    return number_words(ids.data(), static_cast<std::int64_t>(ids.size()), seed, most, query);
  });
}

Numbered py_number_bytes(const In<std::uint8_t>& ids, std::size_t width, std::uint64_t seed) {
  Fit("number_bytes").require(width > 0 && ids.size() % width == 0);
  const std::size_t n = ids.size() / width;
  return numbered(n, [&](std::int32_t* query) {
    return number_rows(ByteIds(ids.data(), width), static_cast<std::int64_t>(n), seed, n, query);
  });
}

Numbered py_number_text(const In<std::int64_t>& offsets, const In<std::uint8_t>& text,
                        std::uint64_t seed) {
  const auto n = count_of(Fit("number_text").queries(offsets, text));
  return numbered(n, [&](std::int32_t* query) {
    return number_rows(TextIds(offsets.data(), text.data()), static_cast<std::int64_t>(n), seed, n,
                       query);
  });
}

auto py_place_rows(const In<std::int32_t>& query_of_row, std::size_t n_queries) {
  Fit("place_rows").below(n_queries, query_of_row);
  return fill_all(
      [&](std::int64_t* indptr, std::int64_t* places) {
        place_rows(query_of_row.data(), length_of(query_of_row),
                   static_cast<std::int64_t>(n_queries), indptr, places);
      },
      New<std::int64_t>{n_queries + 1}, New<std::int64_t>{query_of_row.size()});
}

template <class Value>
Out<Value> py_put_in_places(const In<Value>& values, const In<std::int64_t>& places) {
  const Fit fit("put_in_places");
  fit.require(values.size() == places.size());
  fit.below(places.size(), places);
  return fill(New<Value>{places.size()}, [&](Value* placed) {
    put_in_places(values.data(), places.data(), static_cast<std::int64_t>(places.size()), placed);
  });
}

template <class... Words>
void define_number_words(nb::module_& m) {
  (m.def("number_words", &py_number_words<Words>, "ids"_a, "seed"_a, "most"_a,
         "Query number of each row, first row of each query, and whether the rows are grouped.\n\n"
         "Of no use where there are more than `most` queries."),
   ...);
}

template <class... Values>
void define_put_in_places(nb::module_& m) {
  (m.def("put_in_places", &py_put_in_places<Values>, "values"_a, "places"_a,
         "An array with values[i] at places[i]."),
   ...);
}

}  // namespace

void define_query_ids(nb::module_& m) {
  define_number_words<std::int64_t, std::int32_t>(m);
  m.def("number_bytes", &py_number_bytes, "ids"_a, "width"_a, "seed"_a,
        "The same as `number_words`, for ids that are `width` bytes each.");
  m.def("number_text", &py_number_text, "offsets"_a, "text"_a, "seed"_a,
        "The same as `number_words`, for text from one offset up to the next.");
  m.def("place_rows", &py_place_rows, "query_of_row"_a, "n_queries"_a,
        "Extents of the queries, and the place of every row among those of all queries.");
  define_put_in_places<std::uint8_t, std::int32_t, double>(m);
}
