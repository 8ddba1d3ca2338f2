/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of functions of one byte: a table, computed here. */
#include "compile/compile_internal.h"
#include "micro/unary_8_prepare.h"
#include "tensor/status.h"

static bool read_function(oribi_lowering *lowering, const oribi_call *call, int32_t *out)
{
    static const char *const names[] = {
        [ORIBI_MICRO_UNARY_RELU] = "RELU",
        [ORIBI_MICRO_UNARY_RELU6] = "RELU6",
        [ORIBI_MICRO_UNARY_RELU_N1_TO_1] = "RELU_N1_TO_1",
        [ORIBI_MICRO_UNARY_LOGISTIC] = "LOGISTIC",
        [ORIBI_MICRO_UNARY_TANH] = "TANH",
        [ORIBI_MICRO_UNARY_HARD_SWISH] = "HARD_SWISH",
        [ORIBI_MICRO_UNARY_LEAKY_RELU] = "LEAKY_RELU",
        [ORIBI_MICRO_UNARY_REQUANTIZE] = "REQUANTIZE",
    };
    for (int32_t i = 0; i < ORIBI_MICRO_UNARY_FUNCTIONS; i++) {
        if (oribi_lower_is(call, "function", names[i])) {
            *out = i;
            return true;
        }
    }
    return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                      "node '%s': this function of int8 is not there", call->node->name);
}

bool oribi_lower_table(oribi_lowering *lowering, oribi_call *call,
                       const struct oribi_micro_unary_8_spec *spec)
{
    uint8_t table[256];
    const int64_t count = oribi_lower_count(oribi_lower_output(lowering, call));
    const int32_t code =
        count > INT32_MAX ? ORIBI_MICRO_TOO_LARGE : oribi_micro_unary_8_table(spec, table);
    if (code != ORIBI_MICRO_OK) {
        return oribi_lower_fail(lowering, call, code);
    }
    const void *copy = oribi_arena_memdup(lowering->arena, table, sizeof table);
    if (copy == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    call->kernel = "lookup_8";
    call->n_inputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    oribi_call_number(call, "count", (int32_t)count);
    oribi_call_place(call, "table", ORIBI_ELEMENT_U8, sizeof table, copy);
    return true;
}

bool oribi_lower_unary(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_unary_8_spec spec = {0};
    ORIBI_TRY(read_function(lowering, call, &spec.function));
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    spec.in_unsigned = oribi_lower_output(lowering, call)->dtype == TF_UINT8 ? 1 : 0;
    spec.out_unsigned = spec.in_unsigned;
    spec.variant = oribi_lower_variant(call);
    spec.alpha = oribi_lower_float(call, "alpha");
    return oribi_lower_table(lowering, call, &spec);
}
