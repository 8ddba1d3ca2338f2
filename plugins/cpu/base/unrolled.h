/* SPDX-License-Identifier: Apache-2.0 */
/* For loops over the sums of a tile: how they stay in registers. */
#ifndef ORIBI_PLUGINS_CPU_UNROLLED_H_
#define ORIBI_PLUGINS_CPU_UNROLLED_H_

/* Sums of a tile are in registers if a compiler unrolls loops over them before it places them,
 * which GCC does when it is told to. */
#ifdef __clang__
#define UNROLL_LOOP
#else
#define UNROLL_LOOP _Pragma("GCC unroll 18")
#endif
#define ALWAYS __attribute__((always_inline)) static inline

#endif
