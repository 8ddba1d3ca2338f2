/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of choices, and of the comparisons and conditions that they choose by. */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f64.h"
#include "compile/lower/lower_parts.h"
#include "micro/binary/compare_f32.h"
#include "micro/binary/logical.h"
#include "micro/elementwise/lookup_8.h"
#include "micro/move/select_prepare.h"
#include "tensor/status.h"

static bool read_dims(oribi_lowering *lowering, const oribi_call *call, int32_t input,
                      oribi_sizes *out)
{
    return oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, input), out, NULL);
}

/* --- Comparisons and conditions -------------------------------------------------------------- */

static int32_t find(const char *const *words, int32_t n, const char *word)
{
    for (int32_t i = 0; i < n; i++) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return 0;
}

/* The broadcast of both inputs, which have elements of this type. */
static bool read_sides(oribi_lowering *lowering, oribi_call *call, TF_DataType type,
                       struct oribi_micro_broadcast *out)
{
    oribi_sizes a, b;
    if (oribi_lower_input(lowering, call, 0)->dtype != type ||
        oribi_lower_input(lowering, call, 1)->dtype != type) {
        return oribi_lower_refuse(lowering, call,
                                  type == TF_FLOAT ? "compiles for float elements only"
                                                   : "compiles for bool elements only");
    }
    ORIBI_TRY(oribi_lower_is_plain(lowering, call) && read_dims(lowering, call, 0, &a) &&
              read_dims(lowering, call, 1, &b));
    const int32_t code = oribi_micro_broadcast_resolve(a.at, a.n, b.at, b.n, out);
    call->n_inputs = 2;
    return oribi_lower_check(lowering, call, code);
}

bool oribi_lower_compare(oribi_lowering *lowering, oribi_call *call)
{
    static const char *const words[] = {
        [ORIBI_MICRO_LESS] = "Less",       [ORIBI_MICRO_LESS_EQUAL] = "LessEqual",
        [ORIBI_MICRO_GREATER] = "Greater", [ORIBI_MICRO_GREATER_EQUAL] = "GreaterEqual",
        [ORIBI_MICRO_EQUAL] = "Equal",     [ORIBI_MICRO_NOT_EQUAL] = "NotEqual"};
    struct oribi_micro_compare_f32_args args = {.kind = find(words, 6, call->node->op_name)};
    if (oribi_lower_is_integer(lowering, call)) {
        return oribi_lower_binary_int(lowering, call);
    }
    if (oribi_lower_is_f64(lowering, call)) {
        return oribi_lower_binary_f64(lowering, call);
    }
    return read_sides(lowering, call, TF_FLOAT, &args.shape) &&
           ORIBI_CALL_SET(lowering, call, "compare_f32", compare_f32, &args);
}

bool oribi_lower_logical(oribi_lowering *lowering, oribi_call *call)
{
    static const char *const words[] = {
        [ORIBI_MICRO_AND] = "LogicalAnd", [ORIBI_MICRO_OR] = "LogicalOr"};
    struct oribi_micro_logical_args args = {.kind = find(words, 2, call->node->op_name)};
    return read_sides(lowering, call, TF_BOOL, &args.shape) &&
           ORIBI_CALL_SET(lowering, call, "logical", logical, &args);
}

/* Any byte but 0 is true. */
bool oribi_lower_logical_not(oribi_lowering *lowering, oribi_call *call)
{
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_is_plain(lowering, call));
    call->n_inputs = 1;
    uint8_t *table = oribi_claim_array(lowering->arena, 256, sizeof *table, lowering->status);
    ORIBI_TRY(table != NULL);
    table[0] = 1;
    const struct oribi_micro_lookup_8_args args = {(int32_t)oribi_lower_count(x), table};
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "lookup_8", lookup_8, &args));
    ORIBI_CALL_PLACE(call, &args, table, 256);
    return true;
}

/* --- Choices --------------------------------------------------------------------------------- */

bool oribi_lower_select(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims[ORIBI_MICRO_SELECT_INPUTS];
    struct oribi_micro_shape shapes[ORIBI_MICRO_SELECT_INPUTS];
    struct oribi_micro_select_args args = {0};
    ORIBI_TRY(oribi_lower_is_plain(lowering, call));
    for (int32_t i = 0; i < ORIBI_MICRO_SELECT_INPUTS; i++) {
        ORIBI_TRY(read_dims(lowering, call, i, &dims[i]));
    }
    if (strcmp(call->node->op_name, "Select") == 0 && dims[0].n == 1) {
        while (dims[0].n < dims[1].n && oribi_sizes_add(&dims[0], 1)) { /* a condition for a row */
        }
    }
    for (int32_t i = 0; i < ORIBI_MICRO_SELECT_INPUTS; i++) {
        shapes[i].dims = dims[i].at;
        shapes[i].rank = dims[i].n;
    }
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_select_resolve(shapes, &args)));
    args.element_bytes = (int32_t)oribi_dtype_bytes(oribi_lower_output(lowering, call)->dtype);
    call->n_inputs = 3;
    return ORIBI_CALL_SET(lowering, call, "select", select, &args);
}
