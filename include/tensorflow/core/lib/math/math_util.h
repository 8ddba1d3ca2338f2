/* SPDX-License-Identifier: Apache-2.0 */
/* MathUtil: quotients rounded up and down, powers, divisors. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_MATH_MATH_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_LIB_MATH_MATH_UTIL_H_

#include <type_traits>

#include "tensorflow/core/platform/logging.h"

namespace tensorflow ORIBI_HIDDEN
{

class MathUtil
{
  public:
    template <typename T> static T CeilOfRatio(T a, T b)
    {
        static_assert(std::is_integral<T>::value, "of integers");
        return static_cast<T>(a / b + ((a % b != 0 && (a % b > 0) == (b > 0)) ? 1 : 0));
    }
    template <typename T> static T FloorOfRatio(T a, T b)
    {
        static_assert(std::is_integral<T>::value, "of integers");
        return static_cast<T>(a / b - ((a % b != 0 && (a % b > 0) != (b > 0)) ? 1 : 0));
    }
    template <typename T> static T GCD(T a, T b)
    {
        static_assert(std::is_unsigned<T>::value, "of numbers without a sign");
        while (b != 0) {
            const T rest = static_cast<T>(a % b);
            a = b;
            b = rest;
        }
        return a;
    }
    template <typename T> static T IPow(T base, int exponent)
    {
        CHECK_GE(exponent, 0);
        T out = T(1);
        for (; exponent > 0; exponent >>= 1) {
            out = (exponent & 1) != 0 ? static_cast<T>(out * base) : out;
            base = static_cast<T>(base * base);
        }
        return out;
    }
};

} // namespace tensorflow

#endif
