/* SPDX-License-Identifier: Apache-2.0 */
/* Branch hints. Read next: config.h. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/base/optimization.h>
#elif !defined(ORIBI_ABSL_BASE_OPTIMIZATION_H_)
#define ORIBI_ABSL_BASE_OPTIMIZATION_H_
#define ABSL_PREDICT_TRUE(x)   (__builtin_expect(!!(x), 1))
#define ABSL_PREDICT_FALSE(x)  (__builtin_expect(!!(x), 0))
#define ABSL_CACHELINE_SIZE    64
#define ABSL_CACHELINE_ALIGNED __attribute__((aligned(64)))
#define ABSL_BLOCK_TAIL_CALL_OPTIMIZATION()                                                        \
    if (volatile int oribi_no_tail = 0) {                                                          \
        (void)oribi_no_tail;                                                                       \
    }
#endif
