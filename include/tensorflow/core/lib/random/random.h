/* SPDX-License-Identifier: Apache-2.0 */
/* random::New64: a number that is another one each time. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_RANDOM_RANDOM_H_
#define ORIBI_TENSORFLOW_CORE_LIB_RANDOM_RANDOM_H_

#include <mutex>
#include <random>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace random
{

inline uint64 New64From(std::mt19937_64 *state)
{
    static std::mutex mutex;
    std::lock_guard<std::mutex> held(mutex);
    return (*state)();
}
inline uint64 New64()
{
    static std::mt19937_64 state{std::random_device()()};
    return New64From(&state);
}
/* The same numbers in each process. */
inline uint64 New64DefaultSeed()
{
    static std::mt19937_64 state{5489};
    return New64From(&state);
}
inline float New01()
{
    return static_cast<float>(New64() >> 40) / 16777216.0f;
}

} // namespace random
} // namespace tensorflow

#endif
