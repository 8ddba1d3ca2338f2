/* SPDX-License-Identifier: Apache-2.0 */
/* port::prefetch: a hint that bytes will be read. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_PREFETCH_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_PREFETCH_H_

#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace port
{

enum PrefetchHint {
    PREFETCH_HINT_T0 = 3,
    PREFETCH_HINT_T1 = 2,
    PREFETCH_HINT_T2 = 1,
    PREFETCH_HINT_NTA = 0
};
template <PrefetchHint hint> void prefetch(const void *place)
{
    __builtin_prefetch(place, 0, hint);
}

} // namespace port
} // namespace tensorflow

#endif
