/* SPDX-License-Identifier: Apache-2.0 */
/* What compilers spell in ways of their own: loops over the sums of a tile, which stay in
 * registers, and shuffles. */
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

/* The lanes of two vectors that are named, of which the second one's begin behind the first's.
 * `places`: a vector of as many integers. */
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLED(places, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLED(places, a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif

#endif
