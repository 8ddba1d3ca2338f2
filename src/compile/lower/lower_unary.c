/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of functions of one quantised number: of a byte a table, computed here; of int16 a
 * kernel. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/unary/unary_real_prepare.h"
#include "micro/norm/l2_normalize_8.h"
#include "micro/quantize/through_bytes.h"
#include "tensor/status.h"

static bool read_function(oribi_lowering *lowering, const oribi_call *call, int32_t *out)
{
    for (int32_t i = 0; i < ORIBI_MICRO_UNARY_FUNCTIONS; i++) {
        if (oribi_lower_is(call, "function", oribi_micro_unary_words()[i])) {
            *out = i;
            return true;
        }
    }
    return oribi_fail(lowering->status, TF_UNIMPLEMENTED,
                      "node '%s': this function of quantised numbers is not supported",
                      call->node->name);
}

bool oribi_lower_table(oribi_lowering *lowering, oribi_call *call,
                       const struct oribi_micro_unary_8_spec *spec)
{
    uint8_t table[256];
    const int64_t count = oribi_lower_count(oribi_lower_output(lowering, call));
    const int32_t code =
        count > INT32_MAX ? ORIBI_MICRO_TOO_LARGE : oribi_micro_unary_8_table(spec, table);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    return oribi_call_lookup(lowering, call, table);
}

#define LOWER_16(name, kernel, prepare)                                                            \
    static bool name(oribi_lowering *lowering, oribi_call *call,                                   \
                     const struct oribi_micro_unary_16_spec *spec, int32_t count)                  \
    {                                                                                              \
        struct oribi_micro_##kernel##_args args = {.count = count};                                \
        ORIBI_TRY(oribi_lower_check(lowering, call, prepare(spec, &args)));                        \
        return ORIBI_CALL_SET(lowering, call, #kernel, kernel, &args);                             \
    }
LOWER_16(lower_curve, curve_points_s16, oribi_micro_curve_points_s16_prepare)
LOWER_16(lower_leaky, leaky_relu_s16, oribi_micro_leaky_relu_s16_prepare)
LOWER_16(lower_sqrt, sqrt_s16, oribi_micro_sqrt_s16_prepare)
LOWER_16(lower_relu, requantize, oribi_micro_relu_16_prepare)

static bool lower_lookup(oribi_lowering *lowering, oribi_call *call,
                         const struct oribi_micro_unary_16_spec *spec, int32_t count)
{
    int16_t *table = oribi_arena_array(lowering->arena, ORIBI_MICRO_LOOKUP_S16, sizeof *table);
    struct oribi_micro_lookup_s16_args args = {.count = count, .table = table};
    ORIBI_TRY(table != NULL || oribi_fail_memory(lowering->status));
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_lookup_s16_table(spec, table)));
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "lookup_s16", lookup_s16, &args));
    ORIBI_CALL_PLACE(call, &args, table, ORIBI_MICRO_LOOKUP_S16);
    return true;
}

static bool lower_16(oribi_lowering *lowering, oribi_call *call, int32_t function)
{
    struct oribi_micro_unary_16_spec spec = {.function = function,
                                             .variant = oribi_lower_variant(call),
                                             .alpha = oribi_lower_float(call, "alpha")};
    const int64_t count = oribi_lower_count(oribi_lower_output(lowering, call));
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    if (count > INT32_MAX / 2) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
    }
    call->n_inputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    switch (function) {
    case ORIBI_MICRO_UNARY_LOGISTIC:
    case ORIBI_MICRO_UNARY_TANH:
        return lower_curve(lowering, call, &spec, (int32_t)count);
    case ORIBI_MICRO_UNARY_LEAKY_RELU:
    case ORIBI_MICRO_UNARY_ABS:
        return lower_leaky(lowering, call, &spec, (int32_t)count);
    case ORIBI_MICRO_UNARY_SQRT:
        return lower_sqrt(lowering, call, &spec, (int32_t)count);
    case ORIBI_MICRO_UNARY_RSQRT:
    case ORIBI_MICRO_UNARY_EXP:
    case ORIBI_MICRO_UNARY_LOG:
    case ORIBI_MICRO_UNARY_GELU:
    case ORIBI_MICRO_UNARY_GELU_TANH:
        return lower_lookup(lowering, call, &spec, (int32_t)count);
    default:
        return lower_relu(lowering, call, &spec, (int32_t)count);
    }
}

bool oribi_lower_unary(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_unary_8_spec spec = {0};
    ORIBI_TRY(read_function(lowering, call, &spec.function));
    if (oribi_lower_output(lowering, call)->dtype == TF_INT16) {
        return lower_16(lowering, call, spec.function);
    }
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec.input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec.output);
    spec.in_unsigned = oribi_lower_output(lowering, call)->dtype == TF_UINT8 ? 1 : 0;
    spec.out_unsigned = spec.in_unsigned;
    spec.variant = oribi_lower_variant(call);
    spec.alpha = oribi_lower_float(call, "alpha");
    return oribi_lower_table(lowering, call, &spec);
}

bool oribi_lower_l2_normalize(oribi_lowering *lowering, oribi_call *call)
{
    const oribi_value *input = oribi_lower_input(lowering, call, 0);
    const int32_t rank = input->shape.rank;
    const int64_t count = oribi_lower_count(input);
    const int64_t columns = rank < 1 ? 1 : input->shape.dims[rank - 1];
    struct oribi_micro_l2_normalize_8_args args = {
        .rows = (int32_t)(columns > 0 ? count / columns : 0),
        .columns = (int32_t)columns,
        .is_unsigned = input->dtype == TF_UINT8 ? 1 : 0,
        .input_zero = (int32_t)oribi_lower_int(call, "input_zero", 0)};
    ORIBI_TRY(oribi_lower_check(lowering, call,
                                columns > 32768 ? ORIBI_MICRO_TOO_LARGE : ORIBI_MICRO_OK));
    call->n_inputs = 1;
    oribi_call_overwrite(lowering, call, 0);
    return ORIBI_CALL_SET(lowering, call, "l2_normalize_8", l2_normalize_8, &args);
}

static bool read_rows(oribi_lowering *lowering, oribi_call *call,
                      struct oribi_micro_through_bytes_args *args)
{
    const oribi_value *input = oribi_lower_input(lowering, call, 0);
    const int32_t rank = input->shape.rank, given = oribi_lower_int(call, "lead", 1);
    const int32_t lead = given < 0 ? given + rank : given;
    *args = (struct oribi_micro_through_bytes_args){
        .rows = 1, .columns = 1, .asymmetric = oribi_lower_bool(call, "asymmetric") ? 1 : 0};
    ORIBI_TRY(oribi_lower_check(lowering, call,
                                lead < 0 || lead > rank ? ORIBI_MICRO_INVALID : ORIBI_MICRO_OK));
    for (int32_t i = 0; i < rank; i++) {
        int32_t *product = i < lead ? &args->rows : &args->columns;
        *product *= (int32_t)input->shape.dims[i]; /* the bytes of all fit 31 bits */
    }
    call->n_inputs = 1;
    return true;
}

bool oribi_lower_through_bytes(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_through_bytes_args args;
    ORIBI_TRY(read_rows(lowering, call, &args));
    oribi_call_overwrite(lowering, call, 0);
    return ORIBI_CALL_SET(lowering, call, "through_bytes", through_bytes, &args);
}

bool oribi_lower_rows_to_bytes(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_through_bytes_args args;
    ORIBI_TRY(read_rows(lowering, call, &args));
    return ORIBI_CALL_SET(lowering, call, "rows_to_bytes", through_bytes, &args);
}
