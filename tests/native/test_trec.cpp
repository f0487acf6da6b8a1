// The TREC kernels against naive loops on random text.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "id_hash.hpp"
#include "queries.hpp"
#include "text_marks.hpp"
#include "trec_ids.hpp"
#include "trec_lines.hpp"
#include "trec_numbers.hpp"

namespace {

using namespace skgraded::trec;
using skgraded::hash_of;
using skgraded::HashKey;
using skgraded::Queries;
using skgraded::same_text;
using namespace skgraded::tests;

constexpr HashKey kKey = {0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};

std::string random_text(Random& random, std::string_view alphabet, std::int64_t longest) {
  std::string text(static_cast<std::size_t>(below(random, longest + 1)), ' ');
  for (char& c : text)
    c = alphabet[static_cast<std::size_t>(
        below(random, static_cast<std::int64_t>(alphabet.size())))];
  return text;
}

// A copy without a byte to spare, so that the sanitizer sees a read past its end.
struct Exact {
  std::unique_ptr<char[]> bytes;
  std::size_t size;

  explicit Exact(const std::string& text) : bytes(new char[text.size()]), size(text.size()) {
    std::copy(text.begin(), text.end(), bytes.get());
  }

  std::string_view view() const { return {bytes.get(), size}; }
};

void test_lines_are_cut_at_their_blanks(Random& random) {
  std::vector<std::string_view> words;
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random_text(random, "ab \t\r\v\f1.\x80\xff\x01\x1f!", 63);
    const Exact exact(text);
    read_words(exact.view(), words);
    std::istringstream expected(text);
    std::string word;
    for (const std::string_view found : words)
      expect(expected >> word && word == found, "word", text);
    expect(!(expected >> word), "all words", text);
  }
}

std::string random_lines(Random& random, int n_columns) {
  std::string text;
  for (std::int64_t left = below(random, 200); left >= 0; --left) {
    const bool is_usual = random() % 64 != 0;
    for (int j = is_usual ? n_columns : static_cast<int>(below(random, 8)); j > 0; --j)
      text += random_text(random, " \t\r", 2) + "a#"[random() % 64 == 0 ? 1 : 0] +
              random_text(random, "ab#", random() % 64 == 0 ? 40 : 5) + ' ';
    if (left > 0 || random() % 2 == 0) text += '\n';
  }
  return text;
}

// Lines of just so many columns, up to a comment, a line longer than a block, one without its end
// or one of other columns.
template <int kColumns>
void test_usual_lines_are_cut(Random& random) {
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_lines(random, kColumns);
    const Exact exact(text);
    skgraded::TextMarks marks(exact.view());
    CutLines lines;
    const std::size_t end = lines.cut<kColumns>(exact.view(), 0, marks);
    std::vector<std::string_view> expected;
    const auto is_usual = [&](std::size_t at) {
      const std::size_t n = exact.view().find('\n', at) - at;
      read_words(exact.view().substr(at, n), expected);
      return n < skgraded::kBlockBytes && text[at] != '#' && expected.size() == kColumns;
    };
    std::size_t at = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      expect(is_usual(at), "usual line", text);
      for (int j = 0; j < kColumns; ++j)
        expect(lines.column(j)[i] == expected[static_cast<std::size_t>(j)], "column", text);
      at = exact.view().find('\n', at) + 1;
    }
    expect(at == end, "where the lines end", text);
    expect(lines.size() == 128 || at == text.size() || !is_usual(at), "all usual lines", text);
  }
}

// Byte by byte, across the parts that are marked at a time and to the text's last byte.
void test_marks_are_those_of_the_bytes(Random& random) {
  std::string letters;
  for (int c = 1; c < 256; ++c) letters += static_cast<char>(c);
  for (int round = 0; round < 40; ++round) {
    std::string text = random_text(random, round % 2 == 0 ? letters : "a \n\t", 40000);
    if (round % 4 == 3 && !text.empty())
      text[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(text.size())))] = 0;
    const Exact exact(text);
    skgraded::TextMarks marks(exact.view());
    bool zero = false;
    for (std::size_t at = 0; at < text.size(); at += 1 + random() % 90) {
      marks.cover(at);
      zero = zero || marks.has_zero();
      for (std::size_t i = 0; i < skgraded::kBlockBytes; ++i) {
        const char c = at + i < text.size() ? text[at + i] : 'x';
        expect((marks.blanks(at) >> i & 1) == (is_blank(c) ? 1U : 0U), "blank");
        expect((marks.ends(at) >> i & 1) == (c == '\n' ? 1U : 0U), "line end");
      }
    }
    expect(zero == (text.find('\0') != std::string::npos), "zero byte");
  }
}

void test_any_bytes_can_be_read(Random& random) {
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random_text(random, "1 2\n\t.e+-naif#\rQ0", 200);
    const Exact exact(text);
    for (const bool final : {false, true}) {
      const Lines lines =
          LineReader(exact.view(), round % 2 == 0 ? kRun : kQrels, kKey).read(final);
      expect(lines.value.size() == lines.document_end.size(), "as many documents as values");
      expect(lines.span_begin.size() == lines.span_topic.size(), "as many spans as their topics");
      expect(lines.span_begin.empty() == (lines.value.size() == 0),
             "spans where there are records");
      expect(lines.consumed <= static_cast<std::int64_t>(text.size()), "no more than there is");
    }
  }
}

// Quotients that are half-way between two doubles, or next to such, and ones of all lengths.
void test_decimals_are_rounded_once(Random& random) {
  const auto compare = [&](const std::string& text) {
    double number = 0, rare = 0;
    expect(read_number(text, number), "decimal", text);
    expect(number == std::strtod(text.c_str(), nullptr), "nearest double", text);
    expect(read_rare_number(text, rare) && rare == number, "the other way to read it", text);
    expect(read_number("-" + text, rare) && rare == -number && std::signbit(rare), "sign", text);
  };
  for (int round = 0; round < 100000; ++round) {
    std::uint64_t mantissa = random() >> (1 + random() % 40);
    if (round % 3 == 0) mantissa = ((std::uint64_t{1} << 53 | mantissa >> 11) << 1) + 1;
    std::string digits = std::to_string(mantissa);
    const std::size_t decimals = random() % (digits.size() + 1);
    digits.insert(digits.size() - decimals, ".");
    compare(digits);
    if (digits[0] == '.') compare("0" + digits);
  }
  for (const char* text : {"9007199254740993", "9007199254740993.0", "9007199254740992.5",
                           "9007199254740995.0", "9999999999999999999", "0.0000000000000000001",
                           "0.0000000000000000000", "5.", ".5", "0.9999999999999999999"})
    compare(text);
}

void test_ranks() {
  for (const char* text : {"0", "1", "12", "12345678", "00000012"})
    expect(read_rank(text) == std::atoi(text), "rank", text);
  for (const char* text : {"-1", "1.0", "x", "99999999999", "1x", "+1"})
    expect(read_rank(text) == kNoRank, "no rank", text);
}

// Signs and exponents wherever they stand, and digits beyond the range of doubles.
void test_signs_and_exponents(Random& random) {
  double number = 0;
  expect(read_number("1e999999999999999999999", number) && std::isinf(number), "overflow");
  expect(read_number("1e-99999999999999999999", number) && number == 0.0, "underflow");
  const std::string zeros(100000, '0');
  expect(read_number("0." + zeros + "1e100001", number) && number == 1.0, "many decimals");
  expect(read_number("1" + zeros + "e-100000", number) && number == 1.0, "many digits");
  for (int round = 0; round < 100000; ++round) {
    const std::string text = round % 2 == 0 ? random_text(random, "0123456789.+-eE", 9)
                                            : random_text(random, "0123456789.", 22);
    char* end = nullptr;
    const double expected = std::strtod(text.c_str(), &end);
    const bool is_number = !text.empty() && end == text.c_str() + text.size();
    expect(read_number(text, number) == is_number, "whether it is a number", text);
    if (!is_number) continue;
    expect(number == expected && std::signbit(number) == std::signbit(expected), "number", text);
    const bool has_sign = text[0] == '+' || text[0] == '-';
    expect(read_rare_number(text.substr(has_sign ? 1 : 0), number), "rare number", text);
    expect(number == std::abs(expected), "rare number", text);
  }
}

void test_skipped_lines_take_no_memory() {
  const std::string record = "q Q0 d 1 2.5 t\n";
  const Exact text(std::string(1000000, '\n') + record + record + "#\n\n" + record);
  const Lines lines = LineReader(text.view(), kRun, kKey).read(true);
  expect(lines.skipped == std::vector<std::int64_t>{0, 1000000, 2, 2}, "ranges of lines");
  expect(lines.value.capacity() < 100 && lines.document.capacity() < 100, "memory");
}

struct Ids {
  std::vector<std::int64_t> end;
  std::string bytes;
  std::vector<std::string> ids;

  void add(const std::string& id) {
    ids.push_back(id);
    bytes += id;
    end.push_back(static_cast<std::int64_t>(bytes.size()));
  }

  Documents documents() const { return {end.data(), bytes.data()}; }
};

// Two queries of the same ids, of which every one finds itself, or the first of its kind.
void test_documents_are_found(Random& random) {
  for (int round = 0; round < 2000; ++round) {
    Ids ids;
    const std::int64_t half = below(random, round % 100 == 0 ? 400 : 60);
    const std::int64_t longest = round % 2 == 0 ? 4 : 12;  // many repeated ids, or few
    for (std::int64_t i = 0; i < half; ++i) ids.add(random_text(random, "ab", longest));
    for (std::int64_t i = 0; i < half; ++i)
      ids.add(std::string(ids.ids[static_cast<std::size_t>(i)]));
    const std::vector<std::int64_t> indptr = {0, half, 2 * half}, start = {0, half};
    const Queries queries{indptr.data(), 2};
    std::vector<std::int64_t> repeated;
    for (std::int64_t i = 0; i < 2 * half; ++i) {
      const auto begin = ids.ids.begin() + (i < half ? 0 : half), end = ids.ids.begin() + i;
      const auto first = std::find(begin, end, *end);
      if (first != end) repeated.insert(repeated.end(), {i, first - ids.ids.begin()});
    }
    expect(find_duplicates(ids.documents(), queries, kKey) == repeated, "repeated documents");
    const Table table = index_documents(ids.documents(), queries, kKey);
    const Found found = look_up(ids.documents(), Rows{start.data(), queries}, ids.documents(), kKey,
                                table.slots.data(), table.indptr.data());
    expect(found.place.size() == ids.ids.size(), "all documents are found");
    for (std::size_t i = 0; i < found.place.size(); ++i) {
      const auto place = static_cast<std::size_t>(found.place[i]);
      const auto number = static_cast<std::size_t>(found.number[i]);
      expect((found.place[i] < half) == (found.number[i] < half), "query of a document");
      expect(ids.ids[place] == ids.ids[number], "number of a document");
    }
  }
}

// Every text has a hash of its own, which every bit of the key changes.
void test_hashes_differ(Random& random) {
  std::map<std::uint64_t, std::string> text_of;
  for (int round = 0; round < 100000; ++round) {
    const Exact id(random_text(random, std::string_view("ab\0\xff", 4), 30));
    const std::string text(id.view());
    const auto place = text_of.emplace(hash_of(id.view(), kKey), text).first;
    expect(place->second == text, "two texts with one hash", text);
    const Exact other(random_text(random, std::string_view("ab\0\xff", 4), 3));
    const Exact same(text);
    expect(same_text(id.view(), same.view()), "equal texts", text);
    expect(same_text(id.view(), other.view()) == (id.view() == other.view()), "texts", text);
  }
  for (std::size_t n = 0; n < 30; ++n) {
    const std::string id(n, 'a');
    for (int bit = 0; bit < 128; ++bit) {
      HashKey key = kKey;
      key[static_cast<std::size_t>(bit / 64)] ^= std::uint64_t{1} << (bit % 64);
      // The factor is odd whatever the key.
      if (bit != 64) expect(hash_of(id, key) != hash_of(id, kKey), "bit of the key", id);
    }
  }
}

// Ids of eight bytes that an unkeyed hash, whose mixing can be undone, sent to one slot.
std::vector<std::string> crafted_ids(std::int64_t n) {
  const auto undo = [](std::uint64_t h) {
    h ^= h >> 32;
    h *= 0xcfee444d8b59a89bULL;  // times the factor of mix: 1
    return h ^ (h >> 32);
  };
  std::vector<std::string> ids;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t hash = static_cast<std::uint64_t>(i) << 32;
    const std::uint64_t word = undo(undo(hash)) ^ (0x9e3779b97f4a7c15ULL ^ 8U);
    ids.emplace_back(reinterpret_cast<const char*>(&word), sizeof word);
  }
  return ids;
}

// Slots that are read beyond the first one to find every id again.
std::int64_t count_detours(const std::vector<std::string>& texts, const HashKey& key) {
  Ids ids;
  for (const std::string& each : texts) ids.add(each);
  const std::vector<std::int64_t> indptr = {0, static_cast<std::int64_t>(texts.size())};
  const Table table = index_documents(ids.documents(), Queries{indptr.data(), 1}, key);
  const std::int64_t n_slots = slots_in(static_cast<std::int64_t>(table.slots.size()));
  std::int64_t detours = 0;
  for (const std::string& each : texts) {
    const std::uint64_t hash = hash_of(each, key);
    const auto* slot = find_slot(table.slots.data(), n_slots, ids.documents(), each, hash);
    const std::int64_t home =
        static_cast<std::int64_t>(hash & static_cast<std::uint64_t>(n_slots - 1));
    detours += ((slot - table.slots.data()) - home + n_slots) % n_slots;
  }
  return detours;
}

void test_crafted_ids_are_found_as_fast_as_others(Random& random) {
  constexpr std::int64_t kIds = 80000;
  std::vector<std::string> others;
  for (std::int64_t i = 0; i < kIds; ++i) others.push_back(std::to_string(i));
  for (int round = 0; round < 3; ++round) {
    const HashKey key = {random(), random()};
    expect(count_detours(crafted_ids(kIds), key) < kIds, "crafted ids");
    expect(count_detours(others, key) < kIds, "other ids");
  }
}

}  // namespace

int main() {
  Random random(20240607);
  test_lines_are_cut_at_their_blanks(random);
  test_usual_lines_are_cut<6>(random);
  test_usual_lines_are_cut<4>(random);
  test_marks_are_those_of_the_bytes(random);
  test_any_bytes_can_be_read(random);
  test_decimals_are_rounded_once(random);
  test_ranks();
  test_signs_and_exponents(random);
  test_skipped_lines_take_no_memory();
  test_documents_are_found(random);
  test_hashes_differ(random);
  test_crafted_ids_are_found_as_fast_as_others(random);
  return report();
}
