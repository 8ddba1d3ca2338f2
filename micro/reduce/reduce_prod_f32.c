/* SPDX-License-Identifier: Apache-2.0 */
/* Products of float. */
#include "micro/float_rules.h"

#include "micro/reduce/reduce_f32.h"

#define ORIBI_MICRO_REDUCE       oribi_micro_reduce_prod_f32
#define ORIBI_MICRO_FIRST        1.0F
#define ORIBI_MICRO_WITH(acc, v) ((acc) * (v))
#define ORIBI_MICRO_LAST(acc)    (acc)
#include "micro/reduce/reduce_f32_body.h"
