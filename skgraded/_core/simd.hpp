// Vector instructions: the one file that knows which of them a machine has, and how to ask for
// them.
//
// One build serves every machine. What the compiler may take for granted on the target (SSE2 on
// x86-64) is chosen when it compiles; wider registers are chosen when the program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// SKGRADED_PORTABLE: as on machines of which nothing is known; for tests.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SKGRADED_PORTABLE)
#include <immintrin.h>
#define SKGRADED_HAS_AVX_VARIANT 1
#define SKGRADED_ALWAYS_INLINE [[gnu::always_inline]] inline
#define SKGRADED_INLINE_BODY __attribute__((always_inline))  // stands behind a lambda's parameters
#else
#define SKGRADED_HAS_AVX_VARIANT 0
#define SKGRADED_ALWAYS_INLINE inline
#define SKGRADED_INLINE_BODY
#endif

// Stands before a loop over lanes. GCC would unroll a short one first, and then leave it to
// scalars.
#if defined(__GNUC__) && !defined(__clang__)
#define SKGRADED_IN_LANES _Pragma("GCC unroll 1")
#else
#define SKGRADED_IN_LANES
#endif

#if defined(__GNUC__)
#define SKGRADED_NEVER_INLINE [[gnu::noinline]]
#elif defined(_MSC_VER)
#define SKGRADED_NEVER_INLINE __declspec(noinline)
#else
#define SKGRADED_NEVER_INLINE
#endif

// GCC halves the registers unless told not to; Clang does not know the word.
#if defined(__clang__)
#define SKGRADED_AVX512 "avx512f,avx512dq"
#else
#define SKGRADED_AVX512 "avx512f,avx512dq,prefer-vector-width=512"
#endif

namespace skgraded {

// ---- Lanes of doubles

constexpr int kLanes = 8;

// One number of each lane: a cache line.
struct alignas(64) LaneRow {
  double lane[kLanes];
};

SKGRADED_ALWAYS_INLINE LaneRow row_at(const double* from) noexcept {
  LaneRow row;
  std::memcpy(row.lane, from, sizeof row.lane);
  return row;
}

SKGRADED_ALWAYS_INLINE void put_row(const LaneRow& row, double* to) noexcept {
  std::memcpy(to, row.lane, sizeof row.lane);
}

// ---- Registers, chosen when the program runs

// Which registers arithmetic fills. Its bits do not depend on it.
enum class Registers : int { kPlain, kAvx2, kAvx512 };

// The widest registers of this machine.
inline Registers widest_registers() noexcept {
#if SKGRADED_HAS_AVX_VARIANT
  if (__builtin_cpu_supports("avx512dq") != 0) return Registers::kAvx512;
  if (__builtin_cpu_supports("avx2") != 0) return Registers::kAvx2;
#endif
  return Registers::kPlain;
}

#if SKGRADED_HAS_AVX_VARIANT

template <class Body>
[[gnu::target("avx2")]] auto run_in_avx2(const Body& body) noexcept {
  return body();
}

template <class Body>
[[gnu::target(SKGRADED_AVX512)]] auto run_in_avx512(const Body& body) noexcept {
  return body();
}

#endif

template <class Body>
auto run_in_plain(const Body& body) noexcept {
  return body();
}

// Calls body(), compiled for the given registers. The body is a lambda marked SKGRADED_INLINE_BODY
// that calls nothing but SKGRADED_ALWAYS_INLINE functions where it matters: only what is inlined
// here is compiled for these registers.
template <class Body>
auto run_in([[maybe_unused]] Registers registers, const Body& body) noexcept {
#if SKGRADED_HAS_AVX_VARIANT
  if (registers == Registers::kAvx512) return run_in_avx512(body);
  if (registers == Registers::kAvx2) return run_in_avx2(body);
#endif
  return run_in_plain(body);
}

// Rows become lanes.
inline void transpose(LaneRow* rows) noexcept {
  for (int i = 0; i < kLanes; ++i)
    for (int j = 0; j < i; ++j) std::swap(rows[i].lane[j], rows[j].lane[i]);
}

// ---- Blocks of bytes

constexpr std::size_t kBlockBytes = 64;

// One bit for each of 64 bytes: whether it is a blank, that is ' ' or one of \t \n \v \f \r, and
// whether it is a line end \n.
struct BlockMarks {
  std::uint64_t blank = 0, end = 0;
  bool has_zero = false;  // among the bytes
};

#if defined(__SSE2__)

inline std::uint64_t mask_of(__m128i truths, int part) noexcept {
  return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(truths)))
         << (16 * part);
}

inline BlockMarks marks_of(const char* text) noexcept {
  const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t'), four = _mm_set1_epi8(4);
  const __m128i line_end = _mm_set1_epi8('\n');
  BlockMarks marks;
  __m128i least = space;
  for (int part = 0; part < 4; ++part) {
    const __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * part));
    const __m128i above_tab = _mm_sub_epi8(c, tab);
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(above_tab, four), above_tab);
    marks.blank |= mask_of(_mm_or_si128(_mm_cmpeq_epi8(c, space), control), part);
    marks.end |= mask_of(_mm_cmpeq_epi8(c, line_end), part);
    least = _mm_min_epu8(least, c);
  }
  marks.has_zero = _mm_movemask_epi8(_mm_cmpeq_epi8(least, _mm_setzero_si128())) != 0;
  return marks;
}

#else

inline BlockMarks marks_of(const char* text) noexcept {
  BlockMarks marks;
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    const char c = text[i];
    marks.blank |= static_cast<std::uint64_t>(c == ' ' || (c >= '\t' && c <= '\r')) << i;
    marks.end |= static_cast<std::uint64_t>(c == '\n') << i;
    marks.has_zero |= c == '\0';
  }
  return marks;
}

#endif

// Number of the lowest bit that is set; at least one is.
inline int lowest_bit(std::uint64_t bits) noexcept {
#if defined(__GNUC__)
  return __builtin_ctzll(bits);
#else
  int lowest = 0;
  for (; (bits & 1) == 0; bits >>= 1) ++lowest;
  return lowest;
#endif
}

}  // namespace skgraded
