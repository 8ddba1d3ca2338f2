/* SPDX-License-Identifier: Apache-2.0 */
/* PhiloxRandom: the generator of Salmon et al., 2011 (Philox4x32-10): four numbers from a counter
 * and a key, so that any thread may begin anywhere. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_RANDOM_PHILOX_RANDOM_H_
#define ORIBI_TENSORFLOW_CORE_LIB_RANDOM_PHILOX_RANDOM_H_

#include <cstddef>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace random
{

template <typename T, int kSize> class Array
{
  public:
    static constexpr int kElementCount = kSize;
    Array()
    {
        for (T &element : data_) {
            element = T(0);
        }
    }
    const T &operator[](int i) const
    {
        return data_[i];
    }
    T &operator[](int i)
    {
        return data_[i];
    }
    int size() const
    {
        return kSize;
    }

  private:
    T data_[kSize];
};

class PhiloxRandom
{
  public:
    using ResultType = Array<uint32, 4>;
    using ResultElementType = uint32;
    using Key = Array<uint32, 2>;
    static constexpr int kResultElementCount = 4;
    static constexpr int kElementCost = 10;

    PhiloxRandom() = default;
    explicit PhiloxRandom(uint64 seed)
    {
        Put(seed, &key_[0], &key_[1]);
    }
    PhiloxRandom(uint64 seed_lo, uint64 seed_hi) : PhiloxRandom(seed_lo)
    {
        Put(seed_hi, &counter_[2], &counter_[3]);
    }
    PhiloxRandom(ResultType counter, Key key) : counter_(counter), key_(key)
    {
    }
    const ResultType &counter() const
    {
        return counter_;
    }
    const Key &key() const
    {
        return key_;
    }
    /* As many results further. A carry out of 64 bits is lost, as in TensorFlow. */
    void Skip(uint64 count)
    {
        const uint64 before = counter_[0] | (static_cast<uint64>(counter_[1]) << 32);
        const uint64 after = before + count;
        const bool low_carries = static_cast<uint32>(after) < static_cast<uint32>(count);
        const uint32 high = static_cast<uint32>(count >> 32) + (low_carries ? 1 : 0);
        Put(after, &counter_[0], &counter_[1]);
        if (counter_[1] < high && ++counter_[2] == 0) {
            ++counter_[3];
        }
    }
    ResultType operator()()
    {
        ResultType x = counter_;
        Key key = key_;
        for (int round = 0; round < 10; round++) {
            const uint64 a = static_cast<uint64>(0xd2511f53u) * x[0];
            const uint64 b = static_cast<uint64>(0xcd9e8d57u) * x[2];
            const uint32 x1 = x[1], x3 = x[3];
            x[0] = static_cast<uint32>(b >> 32) ^ x1 ^ key[0];
            x[1] = static_cast<uint32>(b);
            x[2] = static_cast<uint32>(a >> 32) ^ x3 ^ key[1];
            x[3] = static_cast<uint32>(a);
            key[0] += 0x9e3779b9u;
            key[1] += 0xbb67ae85u;
        }
        Skip(1);
        return x;
    }

  private:
    static void Put(uint64 value, uint32 *low, uint32 *high)
    {
        *low = static_cast<uint32>(value);
        *high = static_cast<uint32>(value >> 32);
    }
    ResultType counter_;
    Key key_;
};

} // namespace random
} // namespace tensorflow

#endif
