// Numbers in TREC files: scores, grades and ranks as decimals.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace skgraded::trec {

// Numbers that from_chars does not take: a leading plus sign, and what it calls out of range.
inline bool read_rare_number(std::string_view token, double& number) {
  const std::string copy(token.substr(!token.empty() && token[0] == '+' ? 1 : 0));
  if (copy.empty() || copy.find_first_not_of("0123456789.eE+-") != std::string::npos) return false;
  char* end = nullptr;
  number = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size();
}

inline const char* read_digits(const char* at, const char* end, std::uint64_t& number) noexcept {
  for (; at < end; ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit > 9) break;
    number = 10 * number + digit;
  }
  return at;
}

// Plain decimals of few digits, by one exact division: a mantissa below 2^53 and a power of ten up
// to 10^22 are doubles without error, so that their quotient is the double nearest to the decimal.
inline bool read_short_decimal(std::string_view token, double& number) noexcept {
  constexpr double kPowers[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17};
  constexpr std::ptrdiff_t kLongest = 17;  // sixteen digits and a point; more are rarely below 2^53
  const char* end = token.data() + token.size();
  const bool negative = !token.empty() && token[0] == '-';
  const char* first = token.data() + (negative ? 1 : 0);
  if (end - first > kLongest) return false;
  std::uint64_t mantissa = 0;
  const char* at = read_digits(first, end, mantissa);
  std::ptrdiff_t digits = at - first, decimals = 0;
  if (at < end && *at == '.') {
    const char* point = at++;
    at = read_digits(at, end, mantissa);
    decimals = at - point - 1;
    digits += decimals;
  }
  if (at != end || digits == 0 || mantissa >> 53 != 0) return false;
  number = static_cast<double>(mantissa) / kPowers[decimals];
  if (negative) number = -number;
  return true;
}

inline bool read_number(std::string_view token, double& number) {
  if (read_short_decimal(token, number)) return true;
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error == std::errc() && end == token.data() + token.size()) return true;
#endif
  if (read_rare_number(token, number)) return true;
  std::string word(token.substr(!token.empty() && (token[0] == '+' || token[0] == '-') ? 1 : 0));
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  number = std::nan("");
  return word == "nan" || word == "inf" || word == "infinity";
}

constexpr std::int32_t kNoRank = -1;

inline std::int32_t read_rank(std::string_view token) noexcept {
  std::int32_t rank = kNoRank;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, rank);
  return error == std::errc() && end == last && rank >= 0 ? rank : kNoRank;
}

}  // namespace skgraded::trec
