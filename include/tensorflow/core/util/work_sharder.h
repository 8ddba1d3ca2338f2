/* SPDX-License-Identifier: Apache-2.0 */
/* Shard: a range of work over the computation's threads. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_WORK_SHARDER_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_WORK_SHARDER_H_

#include <functional>

#include "tensorflow/core/platform/threadpool.h"

namespace tensorflow ORIBI_HIDDEN
{

/* Calls work on ranges that cover [0, total), at most max_parallelism of them at a time. */
inline void Shard(int max_parallelism, thread::ThreadPool *workers, int64 total,
                  int64 cost_per_unit, std::function<void(int64, int64)> work)
{
    if (total == 0) {
        return;
    }
    if (max_parallelism <= 1 || workers == nullptr) {
        work(0, total);
    } else if (max_parallelism >= workers->NumThreads()) {
        workers->ParallelFor(total, cost_per_unit, work);
    } else {
        const int64 size = (total + max_parallelism - 1) / max_parallelism;
        workers->TransformRangeConcurrently(size, total, work);
    }
}

} // namespace tensorflow

#endif
