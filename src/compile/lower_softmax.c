/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of softmax. */
#include "compile/lower.h"
#include "micro/softmax_s8_prepare.h"

bool oribi_lower_softmax(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_softmax_s8_args args;
    struct oribi_micro_softmax_s8_spec spec = {0};
    const oribi_value *input = oribi_lower_input(lowering, call, 0);
    const int64_t count = oribi_lower_count(input);
    const int64_t columns = input->shape.rank > 0 ? input->shape.dims[input->shape.rank - 1] : 1;
    if (columns < 1 || columns > INT32_MAX || count / columns > INT32_MAX) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_TOO_LARGE);
    }
    spec.rows = (int32_t)(count / columns);
    spec.columns = (int32_t)columns;
    spec.beta = oribi_lower_float(call, "beta");
    spec.input.scale = oribi_lower_float(call, "input_scale");
    spec.input.zero = oribi_lower_int(call, "input_zero", 0);
    spec.output.scale = oribi_lower_float(call, "output_scale");
    spec.output.zero = oribi_lower_int(call, "output_zero", 0);
    const int32_t code = oribi_micro_softmax_s8_prepare(&spec, &args);
    if (code != ORIBI_MICRO_OK) {
        return oribi_lower_fail(lowering, call, code);
    }
    call->kernel = "softmax_s8";
    call->n_inputs = 1;
    call->has_scratch = true;
    call->scratch_bytes = args.scratch_bytes;
    call->aliases[call->n_aliases++] = (oribi_call_alias){0, true, 0};
    oribi_call_number(call, "rows", args.rows);
    oribi_call_number(call, "columns", args.columns);
    oribi_call_number(call, "multiplier", args.multiplier);
    oribi_call_number(call, "shift", args.shift);
    oribi_call_number(call, "farthest", args.farthest);
    oribi_call_number(call, "scratch_bytes", args.scratch_bytes);
    return true;
}
