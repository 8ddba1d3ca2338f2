/* SPDX-License-Identifier: Apache-2.0 */
/* SimplePhilox: one number after the other. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_RANDOM_SIMPLE_PHILOX_H_
#define ORIBI_TENSORFLOW_CORE_LIB_RANDOM_SIMPLE_PHILOX_H_

#include "tensorflow/core/lib/random/random_distributions.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace random
{

class SimplePhilox
{
  public:
    explicit SimplePhilox(PhiloxRandom *generator) : single_(generator)
    {
    }
    uint32 Rand32()
    {
        return single_();
    }
    uint64 Rand64()
    {
        const uint32 low = single_(), high = single_();
        return low | (static_cast<uint64>(high) << 32);
    }
    float RandFloat()
    {
        return Uint32ToFloat(single_());
    }
    double RandDouble()
    {
        const uint32 first = single_(), second = single_();
        return Uint64ToDouble(first, second);
    }
    /* [0, n), each as often as the others: what would favour the small ones is drawn again. */
    uint32 Uniform(uint32 n)
    {
        uint32 x = Rand32();
        if ((n & (n - 1)) == 0) {
            return n == 0 ? 0 : x & (n - 1);
        }
        while (x < kuint32max % n + 1) {
            x = Rand32();
        }
        return x % n;
    }
    uint64 Uniform64(uint64 n)
    {
        uint64 x = Rand64();
        if ((n & (n - 1)) == 0) {
            return n == 0 ? 0 : x & (n - 1);
        }
        while (x < kuint64max % n + 1) {
            x = Rand64();
        }
        return x % n;
    }
    bool OneIn(uint32 n)
    {
        return Uniform(n) == 0;
    }
    /* Small numbers more often: a number of bits up to max_log, then so many bits. */
    uint32 Skewed(int max_log)
    {
        const int shift = static_cast<int>(Rand32() % static_cast<uint32>(max_log + 1));
        return Rand32() & (shift == 32 ? kuint32max : (1u << shift) - 1);
    }

  private:
    SingleSampleAdapter<PhiloxRandom> single_;
};

} // namespace random
} // namespace tensorflow

#endif
