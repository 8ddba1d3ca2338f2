/* SPDX-License-Identifier: Apache-2.0 */
/* How many floats a core computes side by side: a vector register full where the compiler says that
 * there are such, else one. Each element of a vector is one result, whose operations and their
 * order are those of one alone, so that the bits are the same everywhere.
 */
#ifndef ORIBI_MICRO_VECTOR_F32_H_
#define ORIBI_MICRO_VECTOR_F32_H_

#include "micro/float_rules.h"

#if defined(__GNUC__) && !defined(ORIBI_MICRO_PLAIN_C) && defined(__AVX__)
#define ORIBI_MICRO_F32_WIDTH 8
#elif defined(__GNUC__) && !defined(ORIBI_MICRO_PLAIN_C) &&                                        \
    (defined(__SSE2__) || defined(__aarch64__))
#define ORIBI_MICRO_F32_WIDTH 4
#elif defined(__GNUC__) && !defined(ORIBI_MICRO_PLAIN_C) && defined(__OPTIMIZE__) &&               \
    defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE >= 2
#define ORIBI_MICRO_F32_WIDTH 4
#define ORIBI_MICRO_F32_HELIUM
#else
#define ORIBI_MICRO_F32_WIDTH 1
#endif

#if ORIBI_MICRO_F32_WIDTH == 1
typedef float oribi_micro_f32s;
#else /* wherever floats lie, and of them */
typedef float oribi_micro_f32s
    __attribute__((vector_size(4 * ORIBI_MICRO_F32_WIDTH), aligned(4), may_alias));
#endif

/* As many floats as there are side by side, from an address on. */
#define ORIBI_MICRO_F32S(address)            (*(const oribi_micro_f32s *)(address))
#define ORIBI_MICRO_F32S_SET(address, value) (*(oribi_micro_f32s *)(address) = (value))

/* sum + x * weight, each rounded. */
#ifndef ORIBI_MICRO_F32_HELIUM
#define ORIBI_MICRO_ROUNDED_F32S(sum, x, weight) ((sum) + (x) * (weight))
#else
#include "micro/mve/mve_f32.h"
#define ORIBI_MICRO_ROUNDED_F32S(sum, x, weight) oribi_micro_mve_rounded_f32s(sum, x, weight)
#endif

/* Have vectors lost anything since this was asked before? */
#ifndef ORIBI_MICRO_F32_HELIUM
#define ORIBI_MICRO_F32S_LOST() 0
#else
#define ORIBI_MICRO_F32S_LOST() oribi_micro_mve_lost()
#endif

#endif
