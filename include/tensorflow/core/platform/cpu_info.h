/* SPDX-License-Identifier: Apache-2.0 */
/* port::*: how many processors there are, and what they can. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_CPU_INFO_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_CPU_INFO_H_

#include <algorithm>
#include <thread>
#include <sys/types.h>
#include <unistd.h>

#include "tensorflow/core/platform/byte_order.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace port
{

/* Processors that this process may run on; at least 1. */
inline int NumSchedulableCPUs()
{
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
inline int MaxParallelism()
{
    return NumSchedulableCPUs();
}
inline int MaxParallelism(int)
{
    return NumSchedulableCPUs();
}
inline int NumTotalCPUs()
{
    return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}
inline int NumHyperthreadsPerCore()
{
    return 1;
}

#define ORIBI_CPU_FEATURES(X)                                                                      \
    X(SSE4_1, "sse4.1")                                                                            \
    X(SSE4_2, "sse4.2")                                                                            \
    X(SSSE3, "ssse3")                                                                              \
    X(POPCNT, "popcnt")                                                                            \
    X(FMA, "fma")                                                                                  \
    X(AVX, "avx")                                                                                  \
    X(AVX2, "avx2")                                                                                \
    X(AVX512F, "avx512f")                                                                          \
    X(AVX512BW, "avx512bw")                                                                        \
    X(AVX512DQ, "avx512dq")                                                                        \
    X(AVX512VL, "avx512vl")
enum CPUFeature {
#define ORIBI_CPU_FEATURE(NAME, name) NAME,
    ORIBI_CPU_FEATURES(ORIBI_CPU_FEATURE)
#undef ORIBI_CPU_FEATURE
};
/* False on a processor that is not x86. */
inline bool TestCPUFeature(CPUFeature feature)
{
#if defined(__x86_64__) || defined(__i386__)
    switch (feature) {
#define ORIBI_CPU_FEATURE(NAME, name)                                                              \
    case NAME:                                                                                     \
        return __builtin_cpu_supports(name) != 0;
        ORIBI_CPU_FEATURES(ORIBI_CPU_FEATURE)
#undef ORIBI_CPU_FEATURE
    }
#else
    (void)feature;
#endif
    return false;
}
#undef ORIBI_CPU_FEATURES

} // namespace port
} // namespace tensorflow

#endif
