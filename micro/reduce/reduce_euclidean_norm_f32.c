/* SPDX-License-Identifier: Apache-2.0 */
/* See reduce_euclidean_norm_f32.h. */
#include "micro/float_rules.h"

#include "micro/math_f32.h"
#include "micro/reduce/reduce_euclidean_norm_f32.h"

#define ORIBI_MICRO_REDUCE       oribi_micro_reduce_euclidean_norm_f32
#define ORIBI_MICRO_FIRST        0.0F
#define ORIBI_MICRO_WITH(acc, v) ((acc) + (v) * (v))
#define ORIBI_MICRO_LAST(acc)    oribi_micro_sqrt(acc)
#include "micro/reduce/reduce_f32_body.h"
