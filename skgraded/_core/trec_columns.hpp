// What is read from the lines of a TREC file: columns that grow, and the fault that ended it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skgraded::trec {

enum class Fault : int {
  none = 0,
  columns = 1,
  value = 2,
  not_finite = 3,
  not_text = 4,
  lone_return = 5,
  two_records = 6,
  too_long = 7,
  shifted = 8
};

constexpr int kMostColumns = 6;
constexpr std::size_t kRankOfRuns = 3;  // the column, whether it is read or not

// Bytes of the longest line, without its end. A file without line ends would otherwise be held in
// memory whole, looking for one.
constexpr std::size_t kLongestLine = 1000000;

// Which column holds what. A column of -1 is not there.
struct Columns {
  int count, document, value, rank, tag;
};

constexpr Columns kQrels{4, 2, 3, -1, -1};
constexpr Columns kRun{6, 2, 4, 3, 5};
constexpr Columns kRunWithoutRanks{6, 2, 4, -1, 5};

// Tokens of a text of which `before` bytes can be read in front: token i has the bytes from
// edge[i * step] to edge[i * step + 1].
struct Tokens {
  const char* text;
  std::size_t before;
  const std::uint32_t* edge;
  std::size_t step, size;

  std::string_view operator[](std::size_t i) const noexcept {
    const std::uint32_t* of_token = edge + i * step;
    return {text + of_token[0], of_token[1] - of_token[0]};
  }
  std::size_t before_token(std::size_t i) const noexcept { return before + edge[i * step]; }
};

// A column whose room is made before it is filled.
template <class T>
class Column {
 public:
  void reserve(std::size_t room) {
    if (room <= room_) return;
    std::unique_ptr<T[]> items(new T[room]);  // not filled
    std::copy(items_.get(), items_.get() + size_, items.get());
    items_ = std::move(items);
    room_ = room;
  }

  void push(T item) noexcept { items_[size_++] = item; }

  // Where items are written that `grow` then takes in.
  T* room() noexcept { return items_.get() + size_; }
  void grow(std::size_t n) noexcept { size_ += n; }

  // Gives back memory of which less than half is in use.
  void shrink() {
    if (room_ <= 2 * size_) return;
    room_ = 0;
    reserve(size_);
  }

  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return room_; }
  std::unique_ptr<T[]> release() noexcept { return std::move(items_); }

 private:
  std::unique_ptr<T[]> items_;
  std::size_t size_ = 0, room_ = 0;
};

// Text that grows at its end, at the cost of little more than a copy of sixteen bytes.
class Text : public Column<char> {
 public:
  void append(std::string_view text) {
    make_room(text.size());
    std::memcpy(room(), text.data(), text.size());
    grow(text.size());
  }

  // Appends the first n tokens, which end within so many bytes of their text, and tells where each
  // of them ends here.
  void append(const Tokens& tokens, std::size_t n, std::size_t text_size, std::int64_t* end) {
    std::size_t added = 0;
    for (std::size_t i = 0; i < n; ++i) added += tokens[i].size();
    make_room(added);
    char* bytes = room();
    for (std::size_t i = 0, at = 0; i < n; ++i) {
      const std::string_view token = tokens[i];
      if (token.size() <= kStep && text_size - tokens.before_token(i) >= kStep)
        std::memcpy(bytes + at, token.data(), kStep);
      else
        std::memcpy(bytes + at, token.data(), token.size());
      at += token.size();
      end[i] = static_cast<std::int64_t>(size() + at);
    }
    grow(added);
  }

 private:
  static constexpr std::size_t kStep = 16;

  void make_room(std::size_t n) {
    if (size() + n + kStep > capacity()) reserve(2 * capacity() + n + kStep);
  }
};

struct Lines {
  std::vector<std::int64_t> topic_extent;  // begin and end in the text of each topic
  std::vector<std::int32_t> span_topic;    // topics of consecutive records
  std::vector<std::int64_t> span_begin;    // the first of these records
  Column<std::int64_t> document_end;       // ends of the document ids in `document`
  Text document;
  Column<double> value;
  Column<std::int32_t> rank;
  std::vector<std::int64_t> skipped;  // records before lines that hold none, and how many lines
  std::string tag;                    // of the first record
  std::int64_t n_lines = 0, consumed = 0;
  Fault fault = Fault::none;
  std::int64_t fault_begin = 0, fault_end = 0;
};

}  // namespace skgraded::trec
