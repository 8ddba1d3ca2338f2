/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of softmax and of its logarithm. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower.h"
#include "micro/element.h"
#include "micro/norm/log_softmax_8_prepare.h"
#include "micro/norm/softmax_s16_prepare.h"

/* The result may be written over the input. */
static void set_common(oribi_call *call)
{
    call->n_inputs = 1;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
}

static bool lower_16(oribi_lowering *lowering, oribi_call *call,
                     const struct oribi_micro_softmax_spec *spec)
{
    struct oribi_micro_softmax_s16_args args = {0};
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_softmax_s16_prepare(spec, &args)));
    set_common(call);
    return ORIBI_CALL_SET(lowering, call, "softmax_s16", softmax_s16, &args);
}

static bool lower_8(oribi_lowering *lowering, oribi_call *call,
                    const struct oribi_micro_softmax_spec *spec)
{
    struct oribi_micro_softmax_8_args args = {0};
    ORIBI_TRY(oribi_lower_check(lowering, call, oribi_micro_softmax_8_prepare(spec, &args)));
    set_common(call);
    call->has_scratch = true;
    call->scratch_bytes = args.scratch_bytes;
    return ORIBI_CALL_SET(lowering, call,
                          spec->kind == ORIBI_MICRO_U8 ? "softmax_u8" : "softmax_s8", softmax_8,
                          &args);
}

static bool read_spec(oribi_lowering *lowering, oribi_call *call,
                      struct oribi_micro_softmax_spec *spec)
{
    const oribi_value *input = oribi_lower_input(lowering, call, 0);
    const int64_t count = oribi_lower_count(input);
    const int64_t columns = input->shape.rank > 0 ? input->shape.dims[input->shape.rank - 1] : 1;
    if (columns < 1 || columns > INT32_MAX || count / columns > INT32_MAX) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
    }
    spec->kind = oribi_element_kind_of(input->dtype);
    spec->rows = (int32_t)(count / columns);
    spec->columns = (int32_t)columns;
    oribi_lower_quantisation(call, "input_scale", "input_zero", &spec->input);
    oribi_lower_quantisation(call, "output_scale", "output_zero", &spec->output);
    return true;
}

bool oribi_lower_softmax(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_softmax_spec spec = {.variant = oribi_lower_variant(call),
                                            .beta = oribi_lower_float(call, "beta")};
    return read_spec(lowering, call, &spec) &&
           (spec.kind == ORIBI_MICRO_S16 ? lower_16(lowering, call, &spec)
                                         : lower_8(lowering, call, &spec));
}

bool oribi_lower_q_log_softmax(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_softmax_spec spec = {.beta = 1.0F};
    struct oribi_micro_log_softmax_8_args args = {0};
    ORIBI_TRY(read_spec(lowering, call, &spec) &&
              oribi_lower_check(lowering, call, oribi_micro_log_softmax_8_prepare(&spec, &args)));
    set_common(call);
    return ORIBI_CALL_SET(lowering, call, "log_softmax_8", log_softmax_8, &args);
}

bool oribi_lower_wide_softmax(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_softmax_spec spec = {.beta = oribi_lower_float(call, "beta")};
    struct oribi_micro_softmax_wide_args args = {0};
    ORIBI_TRY(read_spec(lowering, call, &spec) &&
              oribi_lower_check(lowering, call, oribi_micro_softmax_wide_prepare(&spec, &args)));
    call->n_inputs = 1;
    return ORIBI_CALL_SET(lowering, call, "softmax_wide", softmax_wide, &args);
}
