/* SPDX-License-Identifier: Apache-2.0 */
/* What makes float arithmetic the same on every target: each operation rounds once to its type,
 * nothing is fused, reordered or kept wider. Every float kernel includes this first.
 */
#ifndef ORIBI_MICRO_FLOAT_RULES_H_
#define ORIBI_MICRO_FLOAT_RULES_H_

#include <float.h>
#include <stdint.h>

#if defined(__FAST_MATH__)
#error "compile without -ffast-math (or -Ofast): float results would differ between targets"
#endif
#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2)
#error "floats are computed wider than they are stored; on x86 compile with -msse2 -mfpmath=sse"
#endif
#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || DBL_MANT_DIG != 53
#error "float and double must be the 32 and 64 bit formats of IEC 60559"
#endif

/* A compiler in GNU mode would make one fused operation of a product and a sum. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#if defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE >= 2
/* Vectors of Helium make nought of subnormal numbers. */
#pragma GCC optimize("no-tree-loop-vectorize", "no-tree-slp-vectorize")
#endif
#endif

#endif
