/* SPDX-License-Identifier: Apache-2.0 */
/* See unary_f64_prepare.h. */
#include "micro/double/unary_f64_prepare.h"

#include <string.h>

int32_t oribi_micro_unary_f64_find(const char *name)
{
    static const char *const names[ORIBI_MICRO_F64_UNARY_COUNT] = {
        [ORIBI_MICRO_F64_ABS] = "abs",
        [ORIBI_MICRO_F64_CEIL] = "ceil",
        [ORIBI_MICRO_F64_COS] = "cos",
        [ORIBI_MICRO_F64_ELU] = "elu",
        [ORIBI_MICRO_F64_ERF] = "erf",
        [ORIBI_MICRO_F64_EXP] = "exp",
        [ORIBI_MICRO_F64_FLOOR] = "floor",
        [ORIBI_MICRO_F64_HARD_SWISH] = "hard_swish",
        [ORIBI_MICRO_F64_LEAKY_RELU] = "leaky_relu",
        [ORIBI_MICRO_F64_LOG] = "log",
        [ORIBI_MICRO_F64_NEG] = "neg",
        [ORIBI_MICRO_F64_RECIPROCAL] = "reciprocal",
        [ORIBI_MICRO_F64_RELU] = "relu",
        [ORIBI_MICRO_F64_RELU6] = "relu6",
        [ORIBI_MICRO_F64_ROUND] = "round",
        [ORIBI_MICRO_F64_RSQRT] = "rsqrt",
        [ORIBI_MICRO_F64_SELU] = "selu",
        [ORIBI_MICRO_F64_SIGMOID] = "sigmoid",
        [ORIBI_MICRO_F64_SIGN] = "sign",
        [ORIBI_MICRO_F64_SIN] = "sin",
        [ORIBI_MICRO_F64_SOFTPLUS] = "softplus",
        [ORIBI_MICRO_F64_SOFTSIGN] = "softsign",
        [ORIBI_MICRO_F64_SQRT] = "sqrt",
        [ORIBI_MICRO_F64_SQUARE] = "square",
        [ORIBI_MICRO_F64_SWISH] = "swish",
        [ORIBI_MICRO_F64_TANH] = "tanh",
    };
    for (int32_t i = 0; i < ORIBI_MICRO_F64_UNARY_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}
