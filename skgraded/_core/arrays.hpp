// NumPy arrays as kernels take and return them, and calls without the GIL.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fit.hpp"
#include "queries.hpp"

namespace skgraded {

namespace nb = nanobind;

// The memory of an array in C order, while it is looked at; its `obj` is null for other objects.
class View {
  Py_buffer buffer_{};

 public:
  explicit View(nb::handle array) noexcept {
    if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0)
      PyErr_Clear();
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() { PyBuffer_Release(&buffer_); }

  const Py_buffer& operator*() const noexcept { return buffer_; }
  const Py_buffer* operator->() const noexcept { return &buffer_; }
};

// An array argument without conversion: it must have the very dtype, in C order, and one dimension
// or any shape. It keeps the array alive.
template <class T, bool kAnyShape>
struct Taken {
  nb::object owner;
  const T* values = nullptr;
  std::size_t n_values = 0;
  std::size_t n_rows = 0;  // of two dimensions or more

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

// A new array that a kernel fills, in the memory of a bytes object.
template <class T, bool kSealed = false>
class New {
  std::size_t n_dimensions_, shape_[2];
  nb::bytes memory_;
  T* data_;  // kernels read it without the GIL, and so do not ask Python for it

  New(std::size_t n_dimensions, std::size_t rows, std::size_t columns)
      : n_dimensions_(n_dimensions),
        shape_{rows, columns},
        memory_(nullptr, rows * columns * sizeof(T)),
        data_(reinterpret_cast<T*>(PyBytes_AsString(memory_.ptr()))) {}

 public:
  explicit New(std::size_t size) : New(1, size, 1) {}
  New(std::size_t rows, std::size_t columns) : New(2, rows, columns) {}

  T* data() const noexcept { return data_; }

  auto array() && {
    using Array = nb::ndarray<nb::numpy, std::conditional_t<kSealed, const T, T>>;
    return Array(data(), n_dimensions_, shape_, memory_);
  }
};

template <class T>
using NewSealed = New<T, true>;

// Calls the kernel without the GIL and returns its result.
template <class Kernel>
auto without_gil(const Kernel& kernel) {
  const nb::gil_scoped_release release;
  return kernel();
}

// Calls the kernel without the GIL on the memory of the new arrays, and returns them.
template <class T, bool kSealed, class Kernel>
auto fill(New<T, kSealed> made, const Kernel& kernel) {
  without_gil([&] { kernel(made.data()); });
  return std::move(made).array();
}

// The same for several arrays.
template <class Kernel, class... Arrays>
auto fill_all(const Kernel& kernel, Arrays... made) {
  without_gil([&] { kernel(made.data()...); });
  return std::make_tuple(std::move(made).array()...);
}

// Calls define(T{}) for several types T.
template <class... T, class Define>
void for_types(const Define& define) {
  (define(T{}), ...);
}

// An array of the values of a vector.
template <class Element, class T>
Sealed<Element> array_of(const std::vector<T>& values) {
  static_assert(sizeof(Element) == sizeof(T));
  NewSealed<Element> made{values.size()};
  std::copy(values.begin(), values.end(), made.data());
  return std::move(made).array();
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
    const skgraded::View view(source);
    if (view->obj == nullptr || !is_of_type(*view) || !(kAnyShape || view->ndim == 1)) return false;
    value = {borrow(source), static_cast<const T*>(view->buf),
             static_cast<std::size_t>(view->len) / sizeof(T),
             view->ndim > 1 ? static_cast<std::size_t>(view->shape[0]) : 0};
    return true;
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
