/* SPDX-License-Identifier: Apache-2.0 */
/* half, bfloat16: Eigen's where Eigen is there, else storage that converts to float and back. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_BFLOAT16_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_BFLOAT16_H_

#include <cmath>
#include <cstdint>
#include <cstring>

#include "tensorflow/core/platform/eigen.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

#ifdef ORIBI_HAS_EIGEN
using Eigen::bfloat16;
using Eigen::half;
#else
/* Upper half of a float, rounded to nearest even. */
struct bfloat16 {
    uint16 value = 0;
    bfloat16() = default;
    explicit bfloat16(float f)
    {
        uint32 bits;
        std::memcpy(&bits, &f, sizeof(bits));
        value = static_cast<uint16>(f != f ? 0x7fc0u | (bits >> 16)
                                           : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
    }
    operator float() const
    {
        const uint32 bits = static_cast<uint32>(value) << 16;
        float f;
        std::memcpy(&f, &bits, sizeof(f));
        return f;
    }
};
/* IEEE binary16. */
struct half {
    uint16 x = 0;
    half() = default;
    explicit half(float f)
    {
        const float magnitude = std::fabs(f);
        const uint16 sign = std::signbit(f) ? 0x8000u : 0u;
        uint16 bits = 0x7c00u;
        if (f != f) {
            bits = 0x7e00u;
        } else if (magnitude < 65520.0f) {
            int exponent = 0;
            std::frexp(magnitude, &exponent);
            exponent = exponent < -13 ? -13 : exponent; /* subnormal from here down */
            const float steps = std::ldexp(magnitude, 11 - exponent);
            const long mantissa = std::lrint(steps); /* ties to even */
            bits = static_cast<uint16>(
                magnitude == 0.0f ? 0 : (exponent + 13) * 1024 + static_cast<int>(mantissa));
        }
        x = static_cast<uint16>(sign | bits);
    }
    operator float() const
    {
        const int exponent = (x >> 10) & 31;
        const int mantissa = x & 1023;
        const float sign = (x & 0x8000u) != 0 ? -1.0f : 1.0f;
        if (exponent == 31) {
            return mantissa != 0 ? NAN : sign * INFINITY;
        }
        return sign * (exponent == 0
                           ? std::ldexp(static_cast<float>(mantissa), -24)
                           : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25));
    }
};
#endif

} // namespace tensorflow

#endif
