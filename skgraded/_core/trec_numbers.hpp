// Numbers in TREC files: scores, grades and ranks as decimals.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

// Where the library lacks from_chars of floating point, and on machines of which nothing is known,
// read_rare_number reads all numbers.
#if defined(__cpp_lib_to_chars) && !defined(SKGRADED_PORTABLE)
#define SKGRADED_HAS_FLOAT_FROM_CHARS 1
#else
#define SKGRADED_HAS_FLOAT_FROM_CHARS 0
#endif

namespace skgraded::trec {

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

// A decimal without a sign; the locale plays no part.
inline bool read_decimal(std::string_view token, double& number) {
#if SKGRADED_HAS_FLOAT_FROM_CHARS
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, number);
  if (error == std::errc() && end == last && std::isfinite(number)) return true;
#endif
  return read_rare_number(token, number);
}

// A sign, digits with or without a point, and an exponent; the words for what is not a number are
// read as NaN.
inline bool read_number(std::string_view token, double& number) {
  const bool negative = !token.empty() && token[0] == '-';
  if (!token.empty() && (token[0] == '+' || token[0] == '-')) token.remove_prefix(1);
  // from_chars would take a second minus sign.
  if (token.empty() || token[0] == '-') return false;
  if (read_decimal(token, number)) {
    if (negative) number = -number;
    return true;
  }
  number = std::nan("");
  return is_word_of_no_number(token);
}

constexpr std::int32_t kNoRank = -1;

inline std::int32_t read_rank(std::string_view token) noexcept {
  std::int32_t rank = kNoRank;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, rank);
  return error == std::errc() && end == last && rank >= 0 ? rank : kNoRank;
}

}  // namespace skgraded::trec
