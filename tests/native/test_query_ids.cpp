// Numbers of query ids against a map, under sanitizers.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "expect.hpp"
#include "query_ids.hpp"
#include "scores.hpp"

namespace {

using namespace skgraded;
using namespace skgraded::tests;

constexpr std::size_t kAny = ~std::size_t{0};
constexpr std::int64_t kUnset = -7;  // results are written into memory that holds anything

void expect_equal(const NumberedRows& found, const NumberedRows& expected) {
  expect(found.first_rows == expected.first_rows, "first rows");
  expect(found.is_grouped == expected.is_grouped, "whether rows are grouped");
}

// By a table where the range is short, else by a hash.
template <class Word>
void check_any_words(const std::vector<Word>& ids, const std::vector<std::int32_t>& expected,
                     const NumberedRows& rows) {
  const auto n = static_cast<std::int64_t>(ids.size());
  std::vector<std::int32_t> found(ids.size());
  expect_equal(number_words(ids.data(), n, 3, kAny, found.data()), rows);
  expect(found == expected, "numbers of words in a range");
  const std::size_t few = rows.first_rows.size() / 2;
  const auto some = number_rows(WordIds<Word>(ids.data()), n, 3, few, found.data());
  expect(some.first_rows.size() > few, "a stop after too many");
}

void check_text(const std::vector<std::int64_t>& ids, const std::vector<std::int32_t>& expected,
                const NumberedRows& rows) {
  std::string text;
  std::vector<std::int64_t> offsets = {0};
  for (const std::int64_t id : ids) {
    if (id != 0) text += std::string(static_cast<std::size_t>(id & 15), 'q') + std::to_string(id);
    offsets.push_back(static_cast<std::int64_t>(text.size()));
  }
  std::vector<std::int32_t> found(ids.size());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const TextIds of_text(offsets.data(), bytes);
  const auto n = static_cast<std::int64_t>(ids.size());
  expect_equal(number_rows(of_text, n, 5, kAny, found.data()), rows);
  expect(found == expected, "numbers of text");
}

// A row is at the place whose row it is.
void check_places(const std::vector<std::int32_t>& query_of_row,
                  const std::vector<std::int64_t>& indptr,
                  const std::vector<std::int64_t>& row_order) {
  const auto n_rows = static_cast<std::int64_t>(query_of_row.size());
  const auto n_queries = static_cast<std::int64_t>(indptr.size()) - 1;
  std::vector<std::int64_t> extents(indptr.size(), kUnset), places(query_of_row.size(), kUnset);
  place_rows(query_of_row.data(), n_rows, n_queries, extents.data(), places.data());
  expect(extents == indptr, "extents");
  std::vector<double> scores, placed(query_of_row.size());
  for (std::int64_t row = 0; row < n_rows; ++row) {
    expect(row_order[static_cast<std::size_t>(places[static_cast<std::size_t>(row)])] == row,
           "place of a row");
    scores.push_back(static_cast<double>(row));
  }
  std::vector<std::int64_t> moved(row_order.size()), rows;
  for (std::int64_t row = 0; row < n_rows; ++row) rows.push_back(row);
  put_in_places(rows.data(), places.data(), n_rows, moved.data());
  expect(moved == row_order, "rows in their places");
  const auto last = static_cast<std::size_t>(n_rows - 1);
  for (const bool is_bad : {false, true}) {
    if (is_bad) scores[last] = scores[last / 2] = std::nan("");
    const std::int64_t bad = place_scores(scores.data(), places.data(), n_rows, placed.data());
    expect(bad == (is_bad ? (n_rows - 1) / 2 : -1), "the first score that is not finite");
    for (std::size_t row = 0; row < scores.size(); ++row) {
      const double score = placed[static_cast<std::size_t>(places[row])];
      expect(score == scores[row] || (std::isnan(score) && std::isnan(scores[row])), "score");
    }
  }
}

void check_words(std::int64_t n_rows, std::int64_t n_ids, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> ids;
  for (std::int64_t row = 0; row < n_rows; ++row)
    ids.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n_ids)) -
                  n_ids / 2);
  std::unordered_map<std::int64_t, std::int32_t> known;
  std::vector<std::int32_t> expected;
  for (const std::int64_t id : ids)
    expected.push_back(known.emplace(id, static_cast<std::int32_t>(known.size())).first->second);

  std::vector<std::int32_t> found(ids.size());
  const auto words = number_rows(WordIds(ids.data()), n_rows, seed, kAny, found.data());
  expect(found == expected, "numbers of words");
  expect(words.first_rows.size() == known.size(), "first rows of words");

  std::vector<std::int32_t> again(ids.size());
  const auto* bytes = reinterpret_cast<const unsigned char*>(ids.data());
  number_rows(ByteIds(bytes, 8), n_rows, seed + 1, kAny, again.data());
  expect(again == expected, "numbers of bytes");
  check_any_words(ids, expected, words);
  check_any_words(std::vector<std::int32_t>(ids.begin(), ids.end()), expected, words);
  check_text(ids, expected, words);

  const auto n_queries = static_cast<std::int64_t>(known.size());
  std::vector<std::int64_t> indptr(known.size() + 1, kUnset), rows(ids.size(), kUnset);
  group_rows(found.data(), n_rows, n_queries, indptr.data(), rows.data());
  std::int64_t place = 0;
  for (std::int64_t q = 0; q < n_queries; ++q)
    for (; place < indptr[static_cast<std::size_t>(q) + 1]; ++place) {
      const auto p = static_cast<std::size_t>(place);
      expect(found[static_cast<std::size_t>(rows[p])] == q, "rows of a query");
      expect(place == indptr[static_cast<std::size_t>(q)] || rows[p - 1] < rows[p], "row order");
    }
  expect(place == n_rows, "all rows");
  check_places(found, indptr, rows);
}

void check_widths() {
  for (std::size_t width = 1; width < 40; ++width) {
    std::string text;
    for (int id : {0, 1, 0, 2, 1}) {
      std::string each(width, 'x');
      each.back() = static_cast<char>('a' + id);
      text += each;
    }
    std::vector<std::int32_t> found(5);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    const auto rows = number_rows(ByteIds(bytes, width), 5, 7, kAny, found.data());
    expect(found == std::vector<std::int32_t>({0, 1, 0, 2, 1}), "ids that differ in the last byte");
    expect(!rows.is_grouped, "an id that comes back");
  }
}

}  // namespace

int main() {
  for (const std::int64_t n_ids : {1, 2, 10, 5000, 1000000})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      check_words(1, n_ids, seed);
      check_words(33, n_ids, seed);
      check_words(20000, n_ids, seed);
    }
  check_widths();
  return report();
}
