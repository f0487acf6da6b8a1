// Python bindings of the TREC kernels: columns in, columns out, checked as fit.hpp says.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "id_hash.hpp"
#include "queries.hpp"
#include "trec_ids.hpp"
#include "trec_lines.hpp"
#include "trec_order.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace skgraded;
using trec::Documents;
using trec::Lines;
using trec::Rows;
using trec::Table;

using Bytes = In<std::uint8_t>;
using Integers = In<std::int64_t>;

Documents documents_of(const Fit& fit, const Integers& end, const Bytes& bytes) {
  if (end.size() > 0) fit.queries(end, bytes);
  return {end.data(), reinterpret_cast<const char*>(bytes.data())};
}

// Rows of lists of documents, query by query.
Rows rows_of(const Fit& fit, const Integers& start, const Integers& indptr, const Integers& end) {
  const Rows rows{start.data(), fit.queries(indptr)};
  fit.require(start.size() == count_of(rows.queries));
  fit.inspect([&] {
    for (std::int64_t q = 0; q < rows.queries.count; ++q)
      if (rows.start[q] < 0 || rows.start[q] + rows.queries.size(q) > length_of(end)) return false;
    return true;
  });
  return rows;
}

template <class T, class Column>
Out<T> array_of_column(Column&& column) {
  const std::size_t n = column.size();
  auto owned = column.release();
  using Item = typename decltype(owned)::element_type;
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete[] static_cast<Item*>(p); });
  return Out<T>(reinterpret_cast<T*>(owned.release()), {n}, owner);
}

// Drawn at random by the caller.
using PyKey = std::pair<std::uint64_t, std::uint64_t>;

HashKey key_of(const PyKey& key) { return {key.first, key.second}; }

// The fault and where it begins and ends.
using PyFault = std::tuple<int, std::int64_t, std::int64_t>;

using PyLines = std::tuple<Sealed<std::int64_t>, Sealed<std::int32_t>, Sealed<std::int64_t>,
                           Out<std::int64_t>, Out<std::uint8_t>, Out<double>, Out<std::int32_t>,
                           Sealed<std::int64_t>, nb::bytes, std::int64_t, std::int64_t, PyFault>;

PyLines py_read_lines(const nb::bytes& text, bool is_run, bool with_ranks, bool final,
                      const PyKey& key) {
  const std::string_view view(text.c_str(), text.size());
  const trec::Columns& of_run = with_ranks ? trec::kRun : trec::kRunWithoutRanks;
  const trec::Columns& columns = is_run ? of_run : trec::kQrels;
  Lines lines =
      without_gil([&] { return trec::LineReader(view, columns, key_of(key)).read(final); });
  return {array_of<std::int64_t>(lines.topic_extent),
          array_of<std::int32_t>(lines.span_topic),
          array_of<std::int64_t>(lines.span_begin),
          array_of_column<std::int64_t>(std::move(lines.document_end)),
          array_of_column<std::uint8_t>(std::move(lines.document)),
          array_of_column<double>(std::move(lines.value)),
          array_of_column<std::int32_t>(std::move(lines.rank)),
          array_of<std::int64_t>(lines.skipped),
          nb::bytes(lines.tag.data(), lines.tag.size()),
          lines.n_lines,
          lines.consumed,
          PyFault{static_cast<int>(lines.fault), lines.fault_begin, lines.fault_end}};
}

Sealed<std::int64_t> py_find_duplicates(const Integers& document_end, const Bytes& document,
                                        const Integers& indptr, const PyKey& key) {
  const Fit fit("find_duplicates");
  const Documents documents = documents_of(fit, document_end, document);
  const Queries queries = fit.queries(indptr, document_end);
  return array_of<std::int64_t>(
      without_gil([&] { return trec::find_duplicates(documents, queries, key_of(key)); }));
}

std::tuple<Sealed<std::uint64_t>, Sealed<std::int64_t>> py_index_documents(
    const Integers& document_end, const Bytes& document, const Integers& indptr, const PyKey& key) {
  const Fit fit("index_documents");
  const Documents documents = documents_of(fit, document_end, document);
  const Queries queries = fit.queries(indptr, document_end);
  Table table = without_gil([&] { return trec::index_documents(documents, queries, key_of(key)); });
  return {array_of<std::uint64_t>(table.slots), array_of<std::int64_t>(table.indptr)};
}

std::tuple<Sealed<std::int64_t>, Sealed<std::int64_t>> py_look_up_documents(
    const Integers& document_end, const Bytes& document, const Integers& start,
    const Integers& indptr, const Integers& known_end, const Bytes& known,
    const In<std::uint64_t>& slots, const Integers& slot_indptr, const PyKey& key) {
  const Fit fit("look_up_documents");
  const Documents documents = documents_of(fit, document_end, document);
  const Documents all_known = documents_of(fit, known_end, known);
  const Rows rows = rows_of(fit, start, indptr, document_end);
  fit.require(fit.queries(slot_indptr, slots).count == rows.queries.count);
  trec::Found found = without_gil([&] {
    return trec::look_up(documents, rows, all_known, key_of(key), slots.data(), slot_indptr.data());
  });
  return {array_of<std::int64_t>(found.place), array_of<std::int64_t>(found.number)};
}

auto py_order_documents(const In<double>& scores, const Integers& document_end,
                        const Bytes& document, const Integers& start, const Integers& indptr,
                        bool single_precision) {
  const Fit fit("order_documents");
  const Documents documents = documents_of(fit, document_end, document);
  const Rows rows = rows_of(fit, start, indptr, document_end);
  fit.require(indptr.data()[0] == 0 && scores.size() == document_end.size());
  const auto n = static_cast<std::size_t>(rows.queries.documents());
  const auto order_by =
      single_precision ? &trec::order_documents<float> : &trec::order_documents<double>;
  return fill_all(
      [&](std::int32_t* order, std::uint8_t* tied) {
        order_by(scores.data(), documents, rows, order, tied);
      },
      New<std::int32_t>{n}, New<std::uint8_t>{n});
}

std::tuple<Sealed<std::int64_t>, Sealed<std::uint8_t>> py_take_documents(
    const Integers& document_end, const Bytes& document, const Integers& rows) {
  const Fit fit("take_documents");
  const Documents documents = documents_of(fit, document_end, document);
  fit.below(document_end.size(), rows);
  std::vector<std::int64_t> end;
  std::vector<char> bytes;
  without_gil([&] { trec::take_documents(documents, rows.data(), length_of(rows), end, bytes); });
  return {array_of<std::int64_t>(end), array_of<std::uint8_t>(bytes)};
}

}  // namespace

void define_trec(nb::module_& m) {
  m.def("read_trec_lines", &py_read_lines, "text"_a, "is_run"_a, "with_ranks"_a, "final"_a, "key"_a,
        "Columns of the lines of a run or of qrels.");
  m.def("find_duplicates", &py_find_duplicates, "document_end"_a, "document"_a, "indptr"_a, "key"_a,
        "Pairs of documents of one query with the same id, the later one first.");
  m.def("index_documents", &py_index_documents, "document_end"_a, "document"_a, "indptr"_a, "key"_a,
        "Hash table of the document ids of every query: slots and their borders.");
  m.def("look_up_documents", &py_look_up_documents, "document_end"_a, "document"_a, "start"_a,
        "indptr"_a, "known_end"_a, "known"_a, "slots"_a, "slot_indptr"_a, "key"_a,
        "Documents that are in a hash table, and their numbers there.");
  m.def("order_documents", &py_order_documents, "scores"_a, "document_end"_a, "document"_a,
        "start"_a, "indptr"_a, "single_precision"_a,
        "Order by score, then by document id, both descending, and the ties of scores.");
  m.def("take_documents", &py_take_documents, "document_end"_a, "document"_a, "rows"_a,
        "Document ids at some rows.");
}
