/* SPDX-License-Identifier: Apache-2.0 */
/* GuardedPhiloxRandom: a generator that threads share, by the attributes seed and seed2 of an op;
 * both 0 is another seed each time. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_GUARDED_PHILOX_RANDOM_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_GUARDED_PHILOX_RANDOM_H_

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/random/philox_random.h"
#include "tensorflow/core/lib/random/random.h"
#include "tensorflow/core/platform/mutex.h"

namespace tensorflow ORIBI_HIDDEN
{

class GuardedPhiloxRandom
{
  public:
    Status Init(OpKernelConstruction *ctx)
    {
        int64 seed = 0, seed2 = 0;
        TF_RETURN_IF_ERROR(ctx->GetAttr("seed", &seed));
        TF_RETURN_IF_ERROR(ctx->GetAttr("seed2", &seed2));
        Init(seed, seed2);
        return Status();
    }
    void Init(int64 seed, int64 seed2)
    {
        const bool any = seed == 0 && seed2 == 0;
        generator_ = random::PhiloxRandom(any ? random::New64() : static_cast<uint64>(seed),
                                          any ? random::New64() : static_cast<uint64>(seed2));
    }
    void Init(random::PhiloxRandom::ResultType counter, random::PhiloxRandom::Key key)
    {
        generator_ = random::PhiloxRandom(counter, key);
    }
    /* A generator for the caller alone, whose first `samples` results nobody else gets. */
    random::PhiloxRandom ReserveSamples128(int64 samples)
    {
        mutex_lock held(mutex_);
        const random::PhiloxRandom out = generator_;
        generator_.Skip(static_cast<uint64>(samples));
        return out;
    }
    random::PhiloxRandom ReserveSamples32(int64 samples)
    {
        return ReserveSamples128((samples + 3) / 4);
    }
    /* For so many outputs of a distribution, each of which takes at most `multiplier` numbers. */
    random::PhiloxRandom ReserveRandomOutputs(int64 outputs, int multiplier)
    {
        return ReserveSamples128(outputs * multiplier);
    }

  private:
    mutex mutex_;
    random::PhiloxRandom generator_;
};

} // namespace tensorflow

#endif
