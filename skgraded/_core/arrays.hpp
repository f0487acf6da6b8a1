// NumPy arrays as kernels take and return them, and calls without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fit.hpp"
#include "queries.hpp"

namespace skgraded {

namespace nb = nanobind;

// An array argument without conversion: it must have the very dtype, in C order, and one dimension
// or any shape. It keeps the array alive.
template <class T, bool kAnyShape>
struct Taken {
  nb::object owner;
  const T* values = nullptr;
  std::size_t n_values = 0;

  const T* data() const noexcept { return values; }
  std::size_t size() const noexcept { return n_values; }
};

template <class T>
using In = Taken<T, false>;

template <class T>
using Table = Taken<T, true>;

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

// The same for several arrays.
template <class Kernel, class... T>
std::tuple<Out<T>...> fill_all(const Kernel& kernel, New<T>... made) {
  without_gil([&] { kernel(made.data()...); });
  return {std::move(made).array()...};
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

template <class Array>
auto or_null(const Array& values) noexcept {
  return values.size() > 0 ? values.data() : nullptr;
}

}  // namespace skgraded

namespace nanobind::detail {

// Reads a buffer, which takes half of the time of a capsule of DLPack, and converts nothing: a
// silent copy would cost more than the kernel.
template <class T, bool kAnyShape>
struct type_caster<skgraded::Taken<T, kAnyShape>> {
  using Value_ = skgraded::Taken<T, kAnyShape>;
  NB_TYPE_CASTER(Value_, (make_caster<ndarray<numpy, T>>::Name))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    Py_buffer view;
    if (PyObject_GetBuffer(source.ptr(), &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
      PyErr_Clear();
      return false;
    }
    const bool fits = is_of_type(view) && (kAnyShape || view.ndim == 1);
    if (fits)
      value = {borrow(source), static_cast<const T*>(view.buf),
               static_cast<std::size_t>(view.len) / sizeof(T)};
    PyBuffer_Release(&view);
    return fits;
  }

  // The format is a letter of Python's module struct, behind the order of bytes where a dtype says
  // it.
  static bool is_of_type(const Py_buffer& view) noexcept {
    const char* integers = std::is_signed_v<T> ? "bhilq" : "BHILQ";
    const char* letters = std::is_floating_point_v<T> ? "fd" : integers;
    const char* format = view.format + std::strspn(view.format, "<=");
    return view.itemsize == sizeof(T) && std::strlen(format) == 1 &&
           std::strchr(letters, format[0]) != nullptr;
  }
};

}  // namespace nanobind::detail
