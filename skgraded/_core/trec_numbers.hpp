// Numbers in TREC files: scores, grades and ranks as decimals.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "simd.hpp"
#include "wide_product.hpp"

namespace skgraded::trec {

// Eight bytes, the first one in the lowest bits.
inline std::uint64_t eight_bytes(const char* at) noexcept {
  std::uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  std::memcpy(&word, at, 8);
#else
  for (int i = 0; i < 8; ++i)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
#endif
  return word;
}

// The last n bytes of eight, with the digits' values for their characters; zeros stand before them.
inline std::uint64_t digits_before(const char* end, std::size_t n) noexcept {
  const std::uint64_t digits = eight_bytes(end - 8) ^ 0x3030303030303030ULL;
  return digits >> (8 * (8 - n)) << (8 * (8 - n));
}

inline bool are_digits(std::uint64_t values) noexcept {
  return ((values | (values + 0x0606060606060606ULL)) & 0xf0f0f0f0f0f0f0f0ULL) == 0;
}

// The number of eight digits, two, four and eight of which are put together at a time.
inline std::uint64_t number_of_digits(std::uint64_t values) noexcept {
  values = values * 10 + (values >> 8);
  const std::uint64_t even = (values & 0x000000ff000000ffULL) * 0x000f424000000064ULL;
  const std::uint64_t odd = (values >> 16 & 0x000000ff000000ffULL) * 0x0000271000000001ULL;
  return (even + odd) >> 32;
}

constexpr std::uint64_t kPowersOfTen[] = {1ULL,
                                          10ULL,
                                          100ULL,
                                          1000ULL,
                                          10000ULL,
                                          100000ULL,
                                          1000000ULL,
                                          10000000ULL,
                                          100000000ULL,
                                          1000000000ULL,
                                          10000000000ULL,
                                          100000000000ULL,
                                          1000000000000ULL,
                                          10000000000000ULL,
                                          100000000000000ULL,
                                          1000000000000000ULL,
                                          10000000000000000ULL,
                                          100000000000000000ULL,
                                          1000000000000000000ULL,
                                          10000000000000000000ULL};
constexpr std::size_t kMostDigits = 19;  // all numbers of so many digits fit into 64 bits

// The number of n <= kMostDigits digits, of which eight bytes before their end can be read.
inline bool read_digits(const char* at, std::size_t n, std::uint64_t& number) noexcept {
  number = 0;
  bool all = true;
  for (; n > 8; at += 8, n -= 8) {
    const std::uint64_t values = digits_before(at + 8, 8);
    all = all && are_digits(values);
    number = number * kPowersOfTen[8] + number_of_digits(values);
  }
  const std::uint64_t values = n == 0 ? 0 : digits_before(at + n, n);
  number = number * kPowersOfTen[n] + number_of_digits(values);
  return all && are_digits(values);
}

// 2^exponent, of a number that is not subnormal.
inline double power_of_two(int exponent) noexcept {
  static_assert(std::numeric_limits<double>::is_iec559 && sizeof(double) == 8);
  const std::uint64_t bits = static_cast<std::uint64_t>(exponent + 1023) << 52;
  double power = 0;
  std::memcpy(&power, &bits, 8);
  return power;
}

// A divisor with its highest bit set, and its reciprocal: floor((2^128 - 1) / divisor) - 2^64.
struct Divisor {
  std::uint64_t divisor = 0, reciprocal = 0;
  int up = 0;  // bits by which the divisor was shifted
};

constexpr Divisor divisor_of(std::uint64_t number) noexcept {
  Divisor made;
  for (made.divisor = number; made.divisor >> 63 == 0; made.divisor <<= 1) ++made.up;
  // By long division: 2^128 - 1 less the divisor times 2^64 leaves ~divisor and 64 ones.
  std::uint64_t rest = ~made.divisor;
  for (int bit = 0; bit < 64; ++bit) {
    const bool carries = rest >> 63 != 0;
    rest = rest << 1 | 1;
    made.reciprocal <<= 1;
    if (!carries && rest < made.divisor) continue;
    rest -= made.divisor;
    made.reciprocal |= 1;
  }
  return made;
}

constexpr std::size_t kMostDecimals = 19;

struct Divisors {
  Divisor of_decimals[kMostDecimals + 1];
};

constexpr Divisors make_divisors() noexcept {
  Divisors made{};
  for (std::size_t i = 0; i <= kMostDecimals; ++i)
    made.of_decimals[i] = divisor_of(kPowersOfTen[i]);
  return made;
}

constexpr Divisors kDivisors = make_divisors();

// The double nearest to mantissa / 10^decimals, of a mantissa that is not 0: 61 bits or more of the
// quotient, and whether there are others, decide how it is rounded. The division by a known divisor
// is that of N. Moeller and T. Granlund (2011), "Improved division by invariant integers".
SKGRADED_ALWAYS_INLINE double nearest_quotient(std::uint64_t mantissa,
                                               std::size_t decimals) noexcept {
  const Divisor& by = kDivisors.of_decimals[decimals];
  const int up = leading_zeros(mantissa);
  const std::uint64_t high = mantissa << up >> 1, low = mantissa << up << 63;
  const WideProduct product = multiply_wide(by.reciprocal, high);
  const std::uint64_t below = product.low + low;
  std::uint64_t quotient = product.high + high + (below < low ? 1 : 0) + 1;
  std::uint64_t rest = low - quotient * by.divisor;
  const std::uint64_t too_large = rest > below ? 1 : 0;
  quotient -= too_large;
  rest += by.divisor & (0 - too_large);
  const std::uint64_t too_small = rest >= by.divisor ? 1 : 0;
  quotient += too_small;
  rest -= by.divisor & (0 - too_small);
  const std::uint64_t others = (quotient & 1) | (rest != 0 ? 1 : 0);
  // Below 2^63, so that it is converted as a signed number, which takes no branch.
  const auto rounded = static_cast<double>(static_cast<std::int64_t>(quotient >> 1 | others));
  return rounded * power_of_two(by.up - up - 62);
}

constexpr std::size_t kLongest = 24;  // bytes of a number without its sign
constexpr std::size_t kReach = 33;    // bytes up to its end that can be read

// Masks of the last n of 32 bytes, eight to a word.
struct LastBytes {
  alignas(32) std::uint64_t of[kLongest + 1][4];
};

constexpr LastBytes make_last_bytes() noexcept {
  LastBytes made{};
  for (std::size_t n = 0; n <= kLongest; ++n)
    for (std::size_t i = 32 - n; i < 32; ++i)
      made.of[n][i / 8] |= std::uint64_t{0xff} << (8 * (i % 8));
  return made;
}

constexpr LastBytes kLastBytes = make_last_bytes();

// Digits that end at `end`: n of them, the last `behind` of which stand behind a point, or all
// where there is none.
struct Digits {
  const char* end;
  std::size_t n, behind;
};

// The numbers of up to eight digits each that make up a number.
struct Parts {
  std::uint64_t leading = 0, second = 0, third = 0;
  bool are_digits = true;
};

// The values of eight digits of the last 32, zeros where there are none: bytes before the point
// move up by one, over the point.
inline std::uint64_t values_of(const Digits& digits, std::size_t part) noexcept {
  const char* at = digits.end - 32 + 8 * part;
  const std::uint64_t behind = kLastBytes.of[digits.behind][part];
  const std::uint64_t bytes = (eight_bytes(at) & behind) | (eight_bytes(at - 1) & ~behind);
  return (bytes ^ 0x3030303030303030ULL) & kLastBytes.of[digits.n][part];
}

// How the bytes of a number are looked at: point_in tells the place of the first point in the n
// bytes before `end`, or n, and parts_of reads the digits. The results do not depend on it.
struct EightBytes {
  static std::size_t point_in(const char* end, std::size_t n) noexcept {
    const std::size_t beyond = n < 8 ? 8 - n : 0;
    const std::uint64_t bytes = eight_bytes(end - n - beyond) >> (8 * beyond);
    const std::uint64_t others = bytes ^ 0x2e2e2e2e2e2e2e2eULL;
    const std::uint64_t marks = (others - 0x0101010101010101ULL) & ~others & 0x8080808080808080ULL;
    if (marks != 0) return static_cast<std::size_t>(lowest_bit(marks)) / 8;
    return std::min(n, std::string_view(end - n, n).find('.'));
  }

  static Parts parts_of(const Digits& digits) noexcept {
    const std::uint64_t first = values_of(digits, 1), second = values_of(digits, 2);
    const std::uint64_t third = values_of(digits, 3);
    return {number_of_digits(first), number_of_digits(second), number_of_digits(third),
            are_digits(first) && are_digits(second) && are_digits(third)};
  }
};

#if SKGRADED_HAS_AVX_VARIANT
struct InAvx2 {
  [[gnu::target("avx2")]] static __m256i load_32(const void* at) noexcept {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
  }

  [[gnu::target("avx2")]] static std::size_t point_in(const char* end, std::size_t n) noexcept {
    const __m256i are_points = _mm256_cmpeq_epi8(load_32(end - 32), _mm256_set1_epi8('.'));
    const auto points = static_cast<std::uint32_t>(_mm256_movemask_epi8(are_points));
    return static_cast<std::size_t>(lowest_bit(points >> (32 - n) | std::uint64_t{1} << n));
  }

  [[gnu::target("avx2")]] static Parts parts_of(const Digits& digits) noexcept {
    const __m256i bytes = _mm256_blendv_epi8(load_32(digits.end - 33), load_32(digits.end - 32),
                                             load_32(kLastBytes.of[digits.behind]));
    const __m256i values = _mm256_and_si256(_mm256_sub_epi8(bytes, _mm256_set1_epi8('0')),
                                            load_32(kLastBytes.of[digits.n]));
    const __m256i nine = _mm256_set1_epi8(9);
    const __m256i twos = _mm256_maddubs_epi16(values, _mm256_set1_epi16(1 << 8 | 10));
    const __m256i fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(1 << 16 | 100));
    const __m256i eights =
        _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), _mm256_set1_epi32(1 << 16 | 10000));
    const auto low = static_cast<std::uint64_t>(_mm256_extract_epi64(eights, 0));
    const auto high = static_cast<std::uint64_t>(_mm256_extract_epi64(eights, 2));
    const __m256i most = _mm256_max_epu8(values, nine);
    return {low >> 32, high & 0xffffffffU, high >> 32,
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(most, nine)) == -1};
  }
};
#endif

// Plain decimals of few digits. Where kReach bytes up to the token's end cannot be read, it is not
// taken.
template <class Bytes>
SKGRADED_ALWAYS_INLINE bool read_short_decimal(std::string_view token, std::size_t before,
                                               double& number) noexcept {
  const bool negative = !token.empty() && token[0] == '-';
  const std::size_t n = token.size() - (negative ? 1 : 0);
  const char* end = token.data() + token.size();
  if (n == 0 || n > kLongest || before + token.size() < kReach) return false;
  const std::size_t point = Bytes::point_in(end, n);
  const bool has_point = point < n;
  const std::size_t decimals = has_point ? n - 1 - point : 0;
  if (decimals > kMostDecimals || (has_point && n == 1)) return false;
  const Parts parts = Bytes::parts_of(has_point ? Digits{end, n - 1, decimals} : Digits{end, n, n});
  if (!parts.are_digits || parts.leading >= kPowersOfTen[kMostDigits - 16]) return false;
  const std::uint64_t mantissa =
      (parts.leading * kPowersOfTen[8] + parts.second) * kPowersOfTen[8] + parts.third;
  number = mantissa == 0 ? 0.0 : nearest_quotient(mantissa, decimals);
  if (negative) number = -number;
  return true;
}

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

// Reads tokens from one on, up to one that is not a plain decimal of few digits; returns its
// number.
template <class Bytes>
SKGRADED_ALWAYS_INLINE std::size_t read_each(const Tokens& tokens, std::size_t i,
                                             double* number) noexcept {
  while (i < tokens.size && read_short_decimal<Bytes>(tokens[i], tokens.before_token(i), number[i]))
    ++i;
  return i;
}

#if SKGRADED_HAS_AVX_VARIANT
[[gnu::target("avx2")]] inline std::size_t read_each_in_avx2(const Tokens& tokens, std::size_t i,
                                                             double* number) noexcept {
  return read_each<InAvx2>(tokens, i, number);
}
#endif

inline std::size_t read_short_decimals(const Tokens& tokens, std::size_t i, double* number,
                                       [[maybe_unused]] Registers registers) noexcept {
#if SKGRADED_HAS_AVX_VARIANT
  if (registers >= Registers::kAvx2) return read_each_in_avx2(tokens, i, number);
#endif
  return read_each<EightBytes>(tokens, i, number);
}

inline std::size_t count_digits(std::string_view text) noexcept {
  std::size_t n = 0;
  while (n < text.size() && static_cast<unsigned char>(text[n] - '0') <= 9) ++n;
  return n;
}

// The exponent of a decimal, such as e-3; false if the text is none. One too long for an integer is
// held at a bound beyond all numbers of digits.
inline bool read_exponent(std::string_view text, std::int64_t& exponent) noexcept {
  constexpr std::int64_t kBound = std::int64_t{1} << 40;
  exponent = 0;
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (text.empty() || count_digits(text) != text.size()) return false;
  for (const char digit : text) exponent = std::min(kBound, 10 * exponent + (digit - '0'));
  if (negative) exponent = -exponent;
  return true;
}

// Any decimal without a sign, however long or large, in any locale: strtod gets it without a point,
// for which a locale may have a comma.
inline bool read_rare_number(std::string_view token, double& number) {
  const std::size_t whole = count_digits(token);
  std::string digits(token.substr(0, whole));
  token.remove_prefix(whole);
  std::int64_t exponent = 0, decimals = 0;
  if (!token.empty() && token[0] == '.') {
    token.remove_prefix(1);
    const std::size_t n = count_digits(token);
    digits.append(token.substr(0, n));
    token.remove_prefix(n);
    decimals = static_cast<std::int64_t>(n);
  }
  if (digits.empty() || !read_exponent(token, exponent)) return false;
  digits += 'e' + std::to_string(exponent - decimals);
  number = std::strtod(digits.c_str(), nullptr);
  return true;
}

inline bool is_word_of_no_number(std::string_view token) {
  std::string word(token);
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return word == "nan" || word == "inf" || word == "infinity";
}

// A sign, digits with or without a point, and an exponent; the words for what is not a number are
// read as NaN. The locale plays no part. As many bytes as `before` can be read in front of the
// token.
inline bool read_number(std::string_view token, double& number, std::size_t before = 0) {
  if (read_short_decimal<EightBytes>(token, before, number)) return true;
  const bool negative = !token.empty() && token[0] == '-';
  if (!token.empty() && (token[0] == '+' || token[0] == '-')) token.remove_prefix(1);
  // from_chars would take a second minus sign.
  if (token.empty() || token[0] == '-') return false;
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  const bool is_read =
      error == std::errc() && end == token.data() + token.size() && std::isfinite(number);
#else
  const bool is_read = false;
#endif
  if (is_read || read_rare_number(token, number)) {
    if (negative) number = -number;
    return true;
  }
  number = std::nan("");
  return is_word_of_no_number(token);
}

constexpr std::int32_t kNoRank = -1;

inline std::int32_t read_rank(std::string_view token, std::size_t before = 0) noexcept {
  std::uint64_t number = 0;
  if (before >= 8 && !token.empty() && token.size() <= 8 &&
      read_digits(token.data(), token.size(), number))
    return static_cast<std::int32_t>(number);
  std::int32_t rank = kNoRank;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, rank);
  return error == std::errc() && end == last && rank >= 0 ? rank : kNoRank;
}

}  // namespace skgraded::trec
