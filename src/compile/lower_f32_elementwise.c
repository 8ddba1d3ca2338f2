/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of functions of one and of two floats. */
#include "compile/lower_f32.h"
#include "compile/lower_parts.h"
#include "tensor/status.h"

/* The result may be written over an input of the same shape. */
static bool set_unary(oribi_lowering *lowering, oribi_call *call)
{
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    call->kernel = oribi_lower_f32_kernel(lowering, call);
    ORIBI_TRY(call->kernel != NULL);
    call->args = call->header = "unary_f32";
    call->n_inputs = 1;
    oribi_call_overwrite(lowering, call, 0);
    oribi_call_number(call, "count",
                      (int32_t)oribi_lower_count(oribi_lower_output(lowering, call)));
    return true;
}

bool oribi_lower_unary_f32(oribi_lowering *lowering, oribi_call *call)
{
    ORIBI_TRY(set_unary(lowering, call));
    if (oribi_attrs_find(&call->node->attrs, "alpha") != NULL) {
        oribi_call_real(call, "alpha", oribi_lower_float(call, "alpha"));
    }
    return true;
}

static bool bound(oribi_lowering *lowering, oribi_call *call, int32_t input, const char *name)
{
    if (oribi_lower_count(oribi_lower_input(lowering, call, input)) != 1) {
        return oribi_lower_refuse(lowering, call, "has bounds that are not single numbers");
    }
    const float *value = oribi_lower_constant(lowering, call, input, TF_FLOAT);
    ORIBI_TRY(value != NULL);
    oribi_call_real(call, name, *value);
    return true;
}

bool oribi_lower_clip_f32(oribi_lowering *lowering, oribi_call *call)
{
    return set_unary(lowering, call) && bound(lowering, call, 1, "low") &&
           bound(lowering, call, 2, "high");
}

bool oribi_lower_binary_f32(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes a, b;
    struct oribi_micro_broadcast shape;
    ORIBI_TRY(oribi_lower_is_f32(lowering, call) &&
              oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 0), &a, NULL) &&
              oribi_lower_sizes(lowering, call, oribi_lower_input(lowering, call, 1), &b, NULL));
    const int32_t code = oribi_micro_broadcast_resolve(a.at, a.n, b.at, b.n, &shape);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    call->kernel = oribi_lower_f32_kernel(lowering, call);
    ORIBI_TRY(call->kernel != NULL);
    call->args = call->header = "binary_f32";
    call->n_inputs = 2;
    oribi_call_overwrite(lowering, call, 0);
    oribi_call_overwrite(lowering, call, 1);
    return oribi_call_broadcast(lowering, call, ORIBI_BROADCAST_NAMES("shape"), &shape);
}
