// The Python border of the kernels for query ids.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "query_ids.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

template <class T>
Out<T> array_of(std::unique_ptr<T[]> data, std::size_t n) {
  nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Out<T>(data.release(), {n}, owner);
}

template <class Ids>
nb::tuple number_rows(Ids ids, std::size_t n_rows, std::uint64_t seed) {
  std::unique_ptr<std::int32_t[]> query_of_row(new std::int32_t[n_rows]);
  std::unique_ptr<std::int64_t[]> first_rows;
  std::size_t n_queries = 0;
  bool is_grouped = false;
  {
    nb::gil_scoped_release release;
    const skgraded::NumberedRows found =
        skgraded::number_rows(ids, static_cast<std::int64_t>(n_rows), seed, query_of_row.get());
    n_queries = found.first_rows.size();
    is_grouped = found.is_grouped;
    first_rows.reset(new std::int64_t[n_queries]);
    std::copy(found.first_rows.begin(), found.first_rows.end(), first_rows.get());
  }
  return nb::make_tuple(array_of(std::move(query_of_row), n_rows),
                        array_of(std::move(first_rows), n_queries), is_grouped);
}

nb::tuple number_words(const In<std::int64_t>& ids, std::uint64_t seed) {
  return number_rows(skgraded::WordIds(ids.data()), ids.shape(0), seed);
}

nb::tuple number_bytes(const In<std::uint8_t>& ids, std::size_t width, std::uint64_t seed) {
  return number_rows(skgraded::ByteIds(ids.data(), width), ids.shape(0) / width, seed);
}

nb::tuple group_rows(const In<std::int32_t>& query_of_row, std::size_t n_queries) {
  const std::size_t n_rows = query_of_row.shape(0);
  std::unique_ptr<std::int64_t[]> indptr(new std::int64_t[n_queries + 1]);
  std::unique_ptr<std::int64_t[]> row_order(new std::int64_t[n_rows]);
  {
    nb::gil_scoped_release release;
    skgraded::group_rows(query_of_row.data(), static_cast<std::int64_t>(n_rows),
                         static_cast<std::int64_t>(n_queries), indptr.get(), row_order.get());
  }
  return nb::make_tuple(array_of(std::move(indptr), n_queries + 1),
                        array_of(std::move(row_order), n_rows));
}

}  // namespace

void define_query_ids(nb::module_& m) {
  m.def("number_words", &number_words, "ids"_a, "seed"_a);
  m.def("number_bytes", &number_bytes, "ids"_a, "width"_a, "seed"_a);
  m.def("group_rows", &group_rows, "query_of_row"_a, "n_queries"_a);
}
