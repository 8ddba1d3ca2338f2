/* SPDX-License-Identifier: Apache-2.0 */
/* Maxima of float. */
#include "micro/float_rules.h"

#include "micro/math_f32.h"
#include "micro/reduce/reduce_f32.h"

#define ORIBI_MICRO_REDUCE       oribi_micro_reduce_max_f32
#define ORIBI_MICRO_FIRST        oribi_micro_from_bits(UINT32_C(0xff800000))
#define ORIBI_MICRO_WITH(acc, v) ((v) > (acc) || (v) != (v) ? (v) : (acc))
#define ORIBI_MICRO_LAST(acc)    (acc)
#include "micro/reduce/reduce_f32_body.h"
