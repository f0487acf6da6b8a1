// Python bindings of the kernels for query ids.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "query_ids.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace skgraded;

// The query number of each row; the first row of each query and, behind them, the number of rows;
// the borders of the queries, and the place of each row, or none where the rows are grouped.
using Numbered = std::tuple<Out<std::int32_t>, Sealed<std::int64_t>, Sealed<std::int64_t>,
                            std::optional<Sealed<std::int64_t>>>;

// Calls number(query_of_row) for the numbers of the rows.
template <class Number>
Numbered numbered(std::size_t n_rows, std::size_t most, const Number& number) {
  New<std::int32_t> query_of_row{n_rows};
  auto [first_rows, is_grouped] = without_gil([&] { return number(query_of_row.data()); });
  const std::size_t n_queries = first_rows.size();
  first_rows.push_back(static_cast<std::int64_t>(n_rows));
  const auto starts = array_of<std::int64_t>(first_rows);
  if (is_grouped || n_queries > most)
    return {std::move(query_of_row).array(), starts, starts, std::nullopt};
  const auto [borders, places] = fill_all(
      [&](std::int64_t* indptr, std::int64_t* place) {
        place_rows(query_of_row.data(), static_cast<std::int64_t>(n_rows),
                   static_cast<std::int64_t>(n_queries), indptr, place);
      },
      NewSealed<std::int64_t>{n_queries + 1}, NewSealed<std::int64_t>{n_rows});
  return {std::move(query_of_row).array(), starts, borders, places};
}

template <class Word>
Numbered py_number_words(const In<Word>& ids, std::uint64_t seed, std::size_t most) {
  return numbered(ids.size(), most, [&](std::int32_t* query) {
    return number_words(ids.data(), static_cast<std::int64_t>(ids.size()), seed, most, query);
  });
}

Numbered py_number_bytes(const In<std::uint8_t>& ids, std::size_t width, std::uint64_t seed) {
  Fit("number_bytes").require(width > 0 && ids.size() % width == 0);
  const std::size_t n = ids.size() / width;
  return numbered(n, n, [&](std::int32_t* query) {
    return number_rows(ByteIds(ids.data(), width), static_cast<std::int64_t>(n), seed, n, query);
  });
}

Numbered py_number_text(const In<std::int64_t>& offsets, const In<std::uint8_t>& text,
                        std::uint64_t seed) {
  const auto n = count_of(Fit("number_text").queries(offsets, text));
  return numbered(n, n, [&](std::int32_t* query) {
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

Sealed<std::int64_t> py_borders_of_groups(const In<double>& sizes) {
  return array_of<std::int64_t>(
      without_gil([&] { return borders_of_groups(sizes.data(), length_of(sizes)); }));
}

template <class Value>
Sealed<Value> py_put_in_places(const In<Value>& values, const In<std::int64_t>& places) {
  const Fit fit("put_in_places");
  fit.require(values.size() == places.size());
  fit.below(places.size(), places);
  return fill(NewSealed<Value>{places.size()}, [&](Value* placed) {
    put_in_places(values.data(), places.data(), static_cast<std::int64_t>(places.size()), placed);
  });
}

}  // namespace

void define_query_ids(nb::module_& m) {
  for_types<std::int64_t, std::int32_t>([&](auto word) {
    m.def("number_words", &py_number_words<decltype(word)>, "ids"_a, "seed"_a, "most"_a,
          "Query number of each row; first row of each query, and behind them the number of rows;\n"
          "borders of the queries; place of each row, or None if the rows are grouped.\n\n"
          "Of no use where there are more than `most` queries.");
  });
  m.def("number_bytes", &py_number_bytes, "ids"_a, "width"_a, "seed"_a,
        "The same as `number_words`, for ids that are `width` bytes each.");
  m.def("number_text", &py_number_text, "offsets"_a, "text"_a, "seed"_a,
        "The same as `number_words`, for text from one offset up to the next.");
  m.def("place_rows", &py_place_rows, "query_of_row"_a, "n_queries"_a,
        "Extents of the queries, and the place of every row among those of all queries.");
  m.def("borders_of_groups", &py_borders_of_groups, "sizes"_a,
        "Borders of queries of these sizes, without those of 0; -1 behind them where a size is no\n"
        "integer >= 0.");
  for_types<std::uint8_t, std::int32_t, double>([&](auto value) {
    m.def("put_in_places", &py_put_in_places<decltype(value)>, "values"_a, "places"_a,
          "An array with values[i] at places[i].");
  });
}
