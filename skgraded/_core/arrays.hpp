// NumPy arrays as kernels take and return them, and calls without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fit.hpp"
#include "pair_matrix.hpp"
#include "queries.hpp"

namespace skgraded {

namespace nb = nanobind;

// An array argument without conversion: it must have the very dtype and shape, in C order.
template <class Array>
struct Taken {
  Array array;

  auto* data() const noexcept { return array.data(); }
  std::size_t size() const noexcept { return array.size(); }
};

// One-dimensional.
template <class T>
using In = Taken<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;

// Of any shape.
template <class T>
using Table = Taken<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>;

template <class T>
using Out = nb::ndarray<nb::numpy, T>;  // contiguous

// An array that nobody can make writeable.
template <class T>
using Sealed = nb::ndarray<nb::numpy, const T>;

// A new array that a kernel fills.
template <class T>
class New {
 public:
  New(std::initializer_list<std::size_t> shape) : shape_(shape) {
    std::size_t size = 1;
    for (const std::size_t n : shape_) size *= n;
    data_.reset(new T[size]);  // not filled
  }

  T* data() const noexcept { return data_.get(); }

  Out<T> array() && { return std::move(*this).template as<Out<T>>(); }

  Sealed<T> sealed() && { return std::move(*this).template as<Sealed<T>>(); }

 private:
  template <class Array>
  Array as() && {
    nb::capsule owner(data_.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Array(data_.release(), shape_.size(), shape_.data(), owner);
  }

  static_assert(std::is_trivial_v<T>);  // neither constructed nor destroyed

  std::vector<std::size_t> shape_;
  std::unique_ptr<T[]> data_;
};

// Calls the kernel without the GIL and returns its result.
template <class Kernel>
auto without_gil(const Kernel& kernel) {
  const nb::gil_scoped_release release;
  return kernel();
}

// Calls the kernel without the GIL on the memory of the new arrays, and returns them.
template <class T, class Kernel>
Out<T> fill(New<T> made, const Kernel& kernel) {
  without_gil([&] { kernel(made.data()); });
  return std::move(made).array();
}

// The same, for an array that nobody can make writeable.
template <class T, class Kernel>
Sealed<T> fill_sealed(New<T> made, const Kernel& kernel) {
  without_gil([&] { kernel(made.data()); });
  return std::move(made).sealed();
}

template <class T, class U, class Kernel>
std::tuple<Out<T>, Out<U>> fill(New<T> first, New<U> second, const Kernel& kernel) {
  without_gil([&] { kernel(first.data(), second.data()); });
  return {std::move(first).array(), std::move(second).array()};
}

template <class T, class U, class V, class Kernel>
std::tuple<Out<T>, Out<U>, Out<V>> fill(New<T> first, New<U> second, New<V> third,
                                        const Kernel& kernel) {
  without_gil([&] { kernel(first.data(), second.data(), third.data()); });
  return {std::move(first).array(), std::move(second).array(), std::move(third).array()};
}

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

inline std::size_t count_of(const Queries& queries) noexcept {
  return static_cast<std::size_t>(queries.count);
}

// The matrices K of the queries, whose factors stand query by query.
inline PairMatrix matrix_of(const Fit& fit, const Table<double>& base, const Table<double>& factor,
                            const Table<std::int32_t>& column, std::int64_t n_queries) {
  const std::int64_t n_columns = n_queries > 0 ? length_of(factor) / n_queries : 0;
  fit.require(column.size() == base.size() && length_of(factor) == n_columns * n_queries);
  fit.require(n_columns > 0 || n_queries == 0);
  fit.below(static_cast<std::size_t>(n_columns), column);
  return {base.data(), factor.data(), column.data(), n_columns};
}

}  // namespace skgraded

namespace nanobind::detail {

// The caster of the array, without the conversions that nanobind tries by default: a silent copy
// would cost more than the kernel.
template <class Source>
struct type_caster<skgraded::Taken<Source>> {
  using Array = make_caster<Source>;
  using Item = std::remove_const_t<typename Source::Scalar>;
  NB_TYPE_CASTER(skgraded::Taken<Source>, (make_caster<ndarray<numpy, Item>>::Name))

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    Array array;
    const auto no_conversion = static_cast<std::uint8_t>(~std::uint8_t{cast_flags::convert});
    if (!array.from_python(source, flags & no_conversion, cleanup)) return false;
    value.array = std::move(array.value);
    return true;
  }
};

}  // namespace nanobind::detail
