// The Python border of the TREC kernels: columns in, columns out, no checks.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "trec.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using skgraded::Queries;
using skgraded::trec::Documents;
using skgraded::trec::Lines;
using skgraded::trec::Rows;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

// An array that owns the vector's memory.
template <class Element, class T>
Out<Element> array_of(std::vector<T>&& values) {
  static_assert(sizeof(Element) == sizeof(T));
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  auto* data = reinterpret_cast<Element*>(owned->data());
  const std::size_t n = owned->size();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return Out<Element>(data, {n}, owner);
}

Documents documents_of(const In<std::int64_t>& end, const In<std::uint8_t>& bytes) {
  return {end.data(), reinterpret_cast<const char*>(bytes.data())};
}

Queries queries_of(const In<std::int64_t>& indptr) {
  return {indptr.data(), static_cast<std::int64_t>(indptr.shape(0)) - 1};
}

nb::tuple read_trec_lines(const nb::bytes& text, bool is_run, bool final) {
  const std::string_view view(text.c_str(), text.size());
  Lines lines;
  {
    nb::gil_scoped_release release;
    lines = skgraded::trec::LineReader(view, is_run ? skgraded::trec::kRun : skgraded::trec::kQrels)
                .read(final);
  }
  const nb::tuple fault =
      nb::make_tuple(static_cast<int>(lines.fault), lines.fault_begin, lines.fault_end);
  const nb::bytes tag(lines.tag.data(), lines.tag.size());
  return nb::make_tuple(
      array_of<std::int32_t>(std::move(lines.topic)),
      array_of<std::int64_t>(std::move(lines.topic_extent)),
      array_of<std::int64_t>(std::move(lines.document_end)),
      array_of<std::uint8_t>(std::move(lines.document)), array_of<double>(std::move(lines.value)),
      array_of<std::int32_t>(std::move(lines.rank)),
      array_of<std::int64_t>(std::move(lines.skipped)), tag, lines.n_lines, lines.consumed, fault);
}

Out<std::int64_t> find_duplicates(const In<std::int64_t>& document_end,
                                  const In<std::uint8_t>& document,
                                  const In<std::int64_t>& indptr) {
  std::vector<std::int64_t> pairs;
  {
    nb::gil_scoped_release release;
    pairs =
        skgraded::trec::find_duplicates(documents_of(document_end, document), queries_of(indptr));
  }
  return array_of<std::int64_t>(std::move(pairs));
}

std::pair<Out<std::uint64_t>, Out<std::int64_t>> index_documents(
    const In<std::int64_t>& document_end, const In<std::uint8_t>& document,
    const In<std::int64_t>& indptr) {
  skgraded::trec::Table table;
  {
    nb::gil_scoped_release release;
    table =
        skgraded::trec::index_documents(documents_of(document_end, document), queries_of(indptr));
  }
  return {array_of<std::uint64_t>(std::move(table.slots)),
          array_of<std::int64_t>(std::move(table.indptr))};
}

Out<std::int32_t> look_up_documents(const In<std::int64_t>& document_end,
                                    const In<std::uint8_t>& document, const In<std::int64_t>& start,
                                    const In<std::int64_t>& indptr,
                                    const In<std::int64_t>& known_end,
                                    const In<std::uint8_t>& known, const In<std::uint64_t>& slots,
                                    const In<std::int64_t>& slot_indptr) {
  const Queries queries = queries_of(indptr);
  std::vector<std::int32_t> found(static_cast<std::size_t>(queries.documents()));
  {
    nb::gil_scoped_release release;
    skgraded::trec::look_up(documents_of(document_end, document), Rows{start.data(), queries},
                            documents_of(known_end, known), slots.data(), slot_indptr.data(),
                            found.data());
  }
  return array_of<std::int32_t>(std::move(found));
}

std::pair<Out<std::int32_t>, Out<std::uint8_t>> order_documents(
    const In<double>& scores, const In<std::int64_t>& document_end,
    const In<std::uint8_t>& document, const In<std::int64_t>& start, const In<std::int64_t>& indptr,
    bool single_precision) {
  const Queries queries = queries_of(indptr);
  const auto n = static_cast<std::size_t>(queries.documents());
  std::vector<std::int32_t> order(n);
  std::vector<std::uint8_t> tied(n);
  {
    nb::gil_scoped_release release;
    const Documents documents = documents_of(document_end, document);
    const Rows rows{start.data(), queries};
    const auto order_by = single_precision ? &skgraded::trec::order_documents<float>
                                           : &skgraded::trec::order_documents<double>;
    order_by(scores.data(), documents, rows, order.data(), tied.data());
  }
  return {array_of<std::int32_t>(std::move(order)), array_of<std::uint8_t>(std::move(tied))};
}

std::pair<Out<std::int64_t>, Out<std::uint8_t>> take_documents(const In<std::int64_t>& document_end,
                                                               const In<std::uint8_t>& document,
                                                               const In<std::int64_t>& rows) {
  std::vector<std::int64_t> end;
  std::vector<char> bytes;
  {
    nb::gil_scoped_release release;
    skgraded::trec::take_documents(documents_of(document_end, document), rows.data(),
                                   static_cast<std::int64_t>(rows.shape(0)), end, bytes);
  }
  return {array_of<std::int64_t>(std::move(end)), array_of<std::uint8_t>(std::move(bytes))};
}

}  // namespace

void define_trec(nb::module_& m) {
  m.def("read_trec_lines", &read_trec_lines, "text"_a, "is_run"_a, "final"_a,
        "Columns of the lines of a run or of qrels.");
  m.def("find_duplicates", &find_duplicates, "document_end"_a.noconvert(), "document"_a.noconvert(),
        "indptr"_a.noconvert(),
        "Pairs of documents of one query with the same id, the later one first.");
  m.def("index_documents", &index_documents, "document_end"_a.noconvert(), "document"_a.noconvert(),
        "indptr"_a.noconvert(), "Hash table of the document ids of every query.");
  m.def("look_up_documents", &look_up_documents, "document_end"_a.noconvert(),
        "document"_a.noconvert(), "start"_a.noconvert(), "indptr"_a.noconvert(),
        "known_end"_a.noconvert(), "known"_a.noconvert(), "slots"_a.noconvert(),
        "slot_indptr"_a.noconvert(), "Number of each document in a hash table, or -1.");
  m.def("order_documents", &order_documents, "scores"_a.noconvert(), "document_end"_a.noconvert(),
        "document"_a.noconvert(), "start"_a.noconvert(), "indptr"_a.noconvert(),
        "single_precision"_a,
        "Order by score, then by document id, both descending, and the ties of scores.");
  m.def("take_documents", &take_documents, "document_end"_a.noconvert(), "document"_a.noconvert(),
        "rows"_a.noconvert(), "Document ids at some rows.");
}
