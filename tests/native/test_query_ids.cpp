// Numbers of query ids against a map, under sanitizers.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "query_ids.hpp"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::exit(1);
}

void check_words(std::int64_t n_rows, std::int64_t n_ids, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> ids;
  for (std::int64_t row = 0; row < n_rows; ++row)
    ids.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n_ids)) -
                  n_ids / 2);
  std::unordered_map<std::int64_t, std::int32_t> known;
  std::vector<std::int32_t> expected;
  for (const std::int64_t id : ids)
    expected.push_back(known.emplace(id, static_cast<std::int32_t>(known.size())).first->second);

  std::vector<std::int32_t> found(ids.size());
  const auto words =
      skgraded::number_rows(skgraded::WordIds(ids.data()), n_rows, seed, found.data());
  require(found == expected, "numbers of words");
  require(words.first_rows.size() == known.size(), "first rows of words");

  std::vector<std::int32_t> again(ids.size());
  const auto* bytes = reinterpret_cast<const unsigned char*>(ids.data());
  skgraded::number_rows(skgraded::ByteIds(bytes, 8), n_rows, seed + 1, again.data());
  require(again == expected, "numbers of bytes");

  const auto n_queries = static_cast<std::int64_t>(known.size());
  std::vector<std::int64_t> indptr(known.size() + 1), rows(ids.size());
  skgraded::group_rows(found.data(), n_rows, n_queries, indptr.data(), rows.data());
  std::int64_t place = 0;
  for (std::int64_t q = 0; q < n_queries; ++q)
    for (; place < indptr[static_cast<std::size_t>(q) + 1]; ++place) {
      const auto p = static_cast<std::size_t>(place);
      require(found[static_cast<std::size_t>(rows[p])] == q, "rows of a query");
      require(place == indptr[static_cast<std::size_t>(q)] || rows[p - 1] < rows[p], "row order");
    }
  require(place == n_rows, "all rows");
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
    const auto rows = skgraded::number_rows(skgraded::ByteIds(bytes, width), 5, 7, found.data());
    require(found == std::vector<std::int32_t>({0, 1, 0, 2, 1}),
            "ids that differ in the last byte");
    require(!rows.is_grouped, "an id that comes back");
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
  std::puts("query ids: ok");
}
