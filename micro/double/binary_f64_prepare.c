/* SPDX-License-Identifier: Apache-2.0 */
/* See binary_f64_prepare.h. */
#include "micro/double/binary_f64_prepare.h"

#include <string.h>

int32_t oribi_micro_binary_f64_find(const char *name)
{
    static const char *const names[ORIBI_MICRO_F64_BINARY_COUNT] = {
        [ORIBI_MICRO_F64_LESS] = "Less",
        [ORIBI_MICRO_F64_LESS_EQUAL] = "LessEqual",
        [ORIBI_MICRO_F64_GREATER] = "Greater",
        [ORIBI_MICRO_F64_GREATER_EQUAL] = "GreaterEqual",
        [ORIBI_MICRO_F64_EQUAL] = "Equal",
        [ORIBI_MICRO_F64_NOT_EQUAL] = "NotEqual",
        [ORIBI_MICRO_F64_ADD] = "add",
        [ORIBI_MICRO_F64_SUB] = "sub",
        [ORIBI_MICRO_F64_MUL] = "mul",
        [ORIBI_MICRO_F64_DIV] = "div",
        [ORIBI_MICRO_F64_FLOOR_DIV] = "floor_div",
        [ORIBI_MICRO_F64_MAXIMUM] = "maximum",
        [ORIBI_MICRO_F64_MINIMUM] = "minimum",
        [ORIBI_MICRO_F64_POW] = "pow",
        [ORIBI_MICRO_F64_PRELU] = "prelu",
        [ORIBI_MICRO_F64_SQUARED_DIFFERENCE] = "squared_difference",
    };
    for (int32_t i = 0; i < ORIBI_MICRO_F64_BINARY_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}
