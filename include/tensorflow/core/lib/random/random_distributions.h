/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform and normal numbers from a generator of 32-bit ones. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_RANDOM_RANDOM_DISTRIBUTIONS_H_
#define ORIBI_TENSORFLOW_CORE_LIB_RANDOM_RANDOM_DISTRIBUTIONS_H_

#include <cmath>
#include <cstring>

#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/lib/random/philox_random.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace random
{

/* [0, 1): the bits behind the point of a number in [1, 2). */
inline float Uint32ToFloat(uint32 x)
{
    const uint32 bits = (127u << 23) | (x & 0x7fffffu);
    float out;
    std::memcpy(&out, &bits, sizeof out);
    return out - 1.0f;
}
inline double Uint64ToDouble(uint32 low, uint32 high)
{
    const uint64 bits =
        (static_cast<uint64>(1023) << 52) | (static_cast<uint64>(low & 0xfffffu) << 32) | high;
    double out;
    std::memcpy(&out, &bits, sizeof out);
    return out - 1.0;
}
/* Two normal numbers (Box and Muller, 1958). */
inline void BoxMullerFloat(uint32 x0, uint32 x1, float *f0, float *f1)
{
    const float u = std::fmax(Uint32ToFloat(x0), 1.0e-7f);
    const float angle = static_cast<float>(2.0 * 3.14159265358979323846 * Uint32ToFloat(x1));
    const float radius = std::sqrt(-2.0f * std::log(u));
    *f0 = std::sin(angle) * radius;
    *f1 = std::cos(angle) * radius;
}
inline void BoxMullerDouble(uint32 x0, uint32 x1, uint32 x2, uint32 x3, double *d0, double *d1)
{
    const double u = std::fmax(Uint64ToDouble(x0, x1), 1.0e-7);
    const double angle = 2.0 * 3.14159265358979323846 * Uint64ToDouble(x2, x3);
    const double radius = std::sqrt(-2.0 * std::log(u));
    *d0 = std::sin(angle) * radius;
    *d1 = std::cos(angle) * radius;
}

/* One number after the other from a generator of several. */
template <typename Generator> class SingleSampleAdapter
{
  public:
    using ResultElementType = typename Generator::ResultElementType;
    static constexpr int kResultElementCount = 1;
    explicit SingleSampleAdapter(Generator *generator) : generator_(generator)
    {
    }
    ResultElementType operator()()
    {
        if (used_ == Generator::kResultElementCount) {
            results_ = (*generator_)();
            used_ = 0;
        }
        return results_[used_++];
    }
    void Skip(uint64 count)
    {
        for (; count > 0; count--) {
            (void)(*this)();
        }
    }

  private:
    Generator *generator_;
    typename Generator::ResultType results_;
    int used_ = Generator::kResultElementCount;
};

/* As many results a call as Generator gives: [0, 1), or [lo, hi) of integers. */
template <typename Generator, typename T> class UniformDistribution
{
  public:
    static constexpr bool kIsWide = sizeof(T) == 8;
    static constexpr int kResultElementCount =
        kIsWide ? Generator::kResultElementCount / 2 : Generator::kResultElementCount;
    static constexpr int kElementCost = 3;
    using ResultType = Array<T, kResultElementCount>;
    using ResultElementType = T;
    UniformDistribution() = default;
    UniformDistribution(T lo, T hi) : lo_(lo), range_(static_cast<uint64>(hi - lo))
    {
    }
    ResultType operator()(Generator *generator)
    {
        const typename Generator::ResultType bits = (*generator)();
        ResultType out;
        for (int i = 0; i < kResultElementCount; i++) {
            out[i] = Convert(bits, i, T());
        }
        return out;
    }

  private:
    using Bits = typename Generator::ResultType;
    static float Convert(const Bits &bits, int i, float)
    {
        return Uint32ToFloat(bits[i]);
    }
    static double Convert(const Bits &bits, int i, double)
    {
        return Uint64ToDouble(bits[2 * i], bits[2 * i + 1]);
    }
    template <typename Integer> Integer Convert(const Bits &bits, int i, Integer) const
    {
        const uint64 x = kIsWide ? static_cast<uint64>(bits[2 * i]) |
                                       (static_cast<uint64>(bits[2 * i + 1]) << 32)
                                 : bits[i];
        return static_cast<Integer>(static_cast<uint64>(lo_) + x % range_);
    }
    T lo_ = T(0);
    uint64 range_ = 1;
};

template <typename Generator, typename T> class NormalDistribution;
template <typename Generator> class NormalDistribution<Generator, float>
{
  public:
    static constexpr int kResultElementCount = Generator::kResultElementCount;
    static constexpr int kElementCost = 70;
    using ResultType = Array<float, kResultElementCount>;
    using ResultElementType = float;
    ResultType operator()(Generator *generator)
    {
        const typename Generator::ResultType bits = (*generator)();
        ResultType out;
        for (int i = 0; i < kResultElementCount; i += 2) {
            BoxMullerFloat(bits[i], bits[i + 1], &out[i], &out[i + 1]);
        }
        return out;
    }
};
template <typename Generator> class NormalDistribution<Generator, double>
{
  public:
    static constexpr int kResultElementCount = Generator::kResultElementCount / 2;
    static constexpr int kElementCost = 70;
    using ResultType = Array<double, kResultElementCount>;
    using ResultElementType = double;
    ResultType operator()(Generator *generator)
    {
        const typename Generator::ResultType bits = (*generator)();
        ResultType out;
        for (int i = 0; i < kResultElementCount; i += 2) {
            BoxMullerDouble(bits[2 * i], bits[2 * i + 1], bits[2 * i + 2], bits[2 * i + 3], &out[i],
                            &out[i + 1]);
        }
        return out;
    }
};

} // namespace random
} // namespace tensorflow

#endif
