/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearAdd and ONNX>QLinearMul by micro/'s kernels, or by the loops of bytes.h. */
#include "cpu/base/families.h"
#include "cpu/quantised/bytes.h"
#include "cpu/quantised/quantized.h"

#include "micro/elementwise/qlinear_binary_prepare.h"

typedef struct binary_state {
    struct oribi_micro_qlinear_binary_spec spec; /* dims unset */
} binary_state;

static int32_t read_sign(oribi_kit_setup *setup, const char *name)
{
    TF_DataType type = TF_INT8;
    oribi_kit_attr_type(setup, name, &type);
    return type == TF_INT8 ? 1 : 0;
}

static void binary_read(oribi_kit_setup *setup, binary_state *state)
{
    struct oribi_micro_qlinear_binary_spec *s = &state->spec;
    s->a_signed = read_sign(setup, "Ta");
    s->b_signed = read_sign(setup, "Tb");
    s->output_signed = read_sign(setup, "T");
    oribi_qlinear_attr(setup, "a", s->a_signed != 0, &s->a);
    oribi_qlinear_attr(setup, "b", s->b_signed != 0, &s->b);
    oribi_qlinear_attr(setup, "output", s->output_signed != 0, &s->output);
    oribi_qlinear_bounds(setup, s->output_signed != 0, &s->low, &s->high);
}
ORIBI_KIT_CREATE(binary, binary_state)

void *oribi_qlinear_binary_create(TF_OpKernelConstruction *construction)
{
    return binary_create(construction);
}

typedef int32_t prepare_function(const struct oribi_micro_qlinear_binary_spec *,
                                 struct oribi_micro_qlinear_binary_args *);
typedef void loop_function(const struct oribi_micro_qlinear_binary_args *, const void *,
                           const void *, void *);

typedef struct binary_call {
    struct oribi_micro_qlinear_binary_args args;
    loop_function *loop;
} binary_call;

static void call_loop(const void *all, const struct oribi_micro_broadcast *shape, const void *a,
                      const void *b, void *y)
{
    const binary_call *call = all;
    struct oribi_micro_qlinear_binary_args args = call->args;
    args.shape = *shape;
    call->loop(&args, a, b, y);
}

static bool binary_run(const binary_state *state, oribi_kit_run *run, prepare_function *prepare,
                       loop_function *loop)
{
    struct oribi_micro_qlinear_binary_spec spec = state->spec;
    binary_call call = {.loop = loop};
    oribi_quantized_operands in;
    if (!oribi_quantized_operands_take(run, 0, &in)) {
        return false;
    }
    if (oribi_cpu_product(in.y.at, in.y.n) == 0) {
        return oribi_kit_output(run, 0, in.y.at, in.y.n) != NULL;
    }
    spec.a_dims = in.a.at;
    spec.a_rank = in.a.n;
    spec.b_dims = in.b.at;
    spec.b_rank = in.b.n;
    if (!oribi_quantized_check(run, prepare(&spec, &call.args))) {
        return false;
    }
    /* The host refuses the memory of an input of another type. */
    void *output = oribi_kit_output_in_place(run, in.whole, in.n_whole, in.y.at, in.y.n);
    if (output != NULL) {
        const oribi_quantized_pairs pairs = {&call,     &call.args.shape, call_loop, in.a_data,
                                             in.b_data, output,           1,         false};
        oribi_quantized_run_pairs(run, &pairs);
    }
    return output != NULL;
}

#define BINARY(name)                                                                               \
    bool oribi_qlinear_##name##_run(const void *state, oribi_kit_run *run,                         \
                                    const oribi_bytes *loops)                                      \
    {                                                                                              \
        return binary_run(state, run, oribi_micro_qlinear_##name##_prepare, loops->name);          \
    }                                                                                              \
    static bool name##_run(const void *state, oribi_kit_run *run)                                  \
    {                                                                                              \
        return binary_run(state, run, oribi_micro_qlinear_##name##_prepare,                        \
                          oribi_micro_qlinear_##name);                                             \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(name, 2)
BINARY(add)
BINARY(mul)

const oribi_cpu_kernel oribi_cpu_qlinear_binary_kernels[] = {
    ORIBI_QUANTIZED_ROW("ONNX>QLinearAdd", binary, add, {"T", ORIBI_QUANTIZED_BYTES}),
    ORIBI_QUANTIZED_ROW("ONNX>QLinearMul", binary, mul, {"T", ORIBI_QUANTIZED_BYTES}),
    {.op_name = NULL},
};
