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
constexpr std::size_t kDigitsOfDouble = 12;  // far fewer than 2^53 has
constexpr std::size_t kMostDigits = 19;      // all numbers of so many digits fit into 64 bits

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

#if defined(__SIZEOF_INT128__)
// The double nearest to mantissa / 10^decimals, of a mantissa that is not 0: 62 bits or more of the
// quotient, and whether there are others, decide how it is rounded.
inline double nearest_quotient(std::uint64_t mantissa, std::size_t decimals) noexcept {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t power = kPowersOfTen[decimals];
  const int up = __builtin_clzll(mantissa), power_up = __builtin_clzll(power);
  const Wide dividend = static_cast<Wide>(mantissa << up) << 63;
  const std::uint64_t divisor = power << power_up;
  const auto quotient = static_cast<std::uint64_t>(dividend / divisor);
  const bool is_exact = static_cast<Wide>(quotient) * divisor == dividend;
  return static_cast<double>(is_exact ? quotient : quotient | 1) * power_of_two(power_up - up - 63);
}
#endif

// Plain decimals of few digits. A mantissa below 2^53 and a power of ten up to 10^19 are doubles
// without error, so that their quotient is the double nearest to the decimal. Where eight bytes
// before the token cannot be read, it is not taken.
inline bool read_short_decimal(std::string_view token, std::size_t before,
                               double& number) noexcept {
  const char* end = token.data() + token.size();
  const bool negative = !token.empty() && token[0] == '-';
  const char* first = token.data() + (negative ? 1 : 0);
  const char* point = first;
  while (point < end && *point != '.') ++point;
  const auto whole = static_cast<std::size_t>(point - first);
  const std::size_t decimals = point == end ? 0 : static_cast<std::size_t>(end - point) - 1;
  // A zero before the point is no digit of the mantissa.
  const bool is_fraction = whole == 1 && *first == '0';
  const std::size_t digits = (is_fraction ? 0 : whole) + decimals;
  if (before < 8 || digits > kMostDigits || whole + decimals == 0) return false;
  std::uint64_t mantissa = 0, fraction = 0;
  if (!is_fraction && !read_digits(first, whole, mantissa)) return false;
  if (!read_digits(end - decimals, decimals, fraction)) return false;
  mantissa = mantissa * kPowersOfTen[decimals] + fraction;
#if defined(__SIZEOF_INT128__)
  // Also for small mantissas of long numbers: a file mixes numbers just below 2^53 and above.
  if (digits > kDigitsOfDouble && mantissa != 0)
    number = nearest_quotient(mantissa, decimals);
  else
#endif
      if (mantissa >> 53 == 0)
    number = static_cast<double>(mantissa) / static_cast<double>(kPowersOfTen[decimals]);
  else
    return false;
  if (negative) number = -number;
  return true;
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

// A sign, digits with or without a point, and an exponent; the words for what is no number are read
// as NaN. The locale plays no part. As many bytes as `before` can be read in front of the token.
inline bool read_number(std::string_view token, double& number, std::size_t before = 0) {
  if (read_short_decimal(token, before, number)) return true;
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
