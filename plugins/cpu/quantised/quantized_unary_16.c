/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QUnary of int16 by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/bytes.h"
#include "cpu/quantised/quantized.h"

#include "micro/elementwise/curve_table_s16.h"
#include "micro/quantize/requantize.h"
#include "micro/unary/unary_real_prepare.h"

typedef struct unary_state {
    int32_t function;
    union {
        struct oribi_micro_requantize_args relu;
        struct oribi_micro_leaky_relu_s16_args leaky;
        struct oribi_micro_curve_points_s16_args curve;
        struct oribi_micro_sqrt_s16_args sqrt;
        int16_t table[ORIBI_MICRO_LOOKUP_S16];
    } u;                  /* counts unset */
    uint32_t points[256]; /* of a curve; see bytes.h */
} unary_state;

/* Places behind the last have its value. */
static void set_points(bool is_tanh, uint32_t *points)
{
    for (int i = 0; i < 255; i++) {
        const uint32_t low = oribi_micro_curve_table_s16[i];
        points[i] = low | (oribi_micro_curve_table_s16[i + 1] - low) << 16;
    }
    points[255] = is_tanh ? 0xFFFF : 0x7FFF * 2;
}

static int32_t prepare(const struct oribi_micro_unary_16_spec *spec, unary_state *state)
{
    switch (spec->function) {
    case ORIBI_MICRO_UNARY_LOGISTIC:
    case ORIBI_MICRO_UNARY_TANH:
        set_points(spec->function == ORIBI_MICRO_UNARY_TANH, state->points);
        return oribi_micro_curve_points_s16_prepare(spec, &state->u.curve);
    case ORIBI_MICRO_UNARY_LEAKY_RELU:
    case ORIBI_MICRO_UNARY_ABS:
        return oribi_micro_leaky_relu_s16_prepare(spec, &state->u.leaky);
    case ORIBI_MICRO_UNARY_SQRT:
        return oribi_micro_sqrt_s16_prepare(spec, &state->u.sqrt);
    case ORIBI_MICRO_UNARY_RSQRT:
    case ORIBI_MICRO_UNARY_EXP:
    case ORIBI_MICRO_UNARY_LOG:
    case ORIBI_MICRO_UNARY_GELU:
    case ORIBI_MICRO_UNARY_GELU_TANH:
        return oribi_micro_lookup_s16_table(spec, state->u.table);
    default:
        return oribi_micro_relu_16_prepare(spec, &state->u.relu);
    }
}

static void unary_read(oribi_kit_setup *setup, unary_state *state)
{
    struct oribi_micro_unary_16_spec spec = {0};
    oribi_quantized_attr_any(setup, "input", &spec.input);
    oribi_quantized_attr_any(setup, "output", &spec.output);
    oribi_quantized_variant(setup, &spec.variant);
    oribi_kit_attr_float(setup, "alpha", &spec.alpha);
    oribi_quantized_function(setup, &spec.function);
    state->function = spec.function;
    if (TF_GetCode(setup->status) == TF_OK) {
        (void)oribi_quantized_setup_check(setup, prepare(&spec, state));
    }
}
ORIBI_KIT_CREATE(unary, unary_state)

typedef struct unary_call {
    const unary_state *state;
    const oribi_bytes *loops; /* of curves; NULL: micro/'s */
} unary_call;

static void call_curve(const unary_call *of, int32_t count, const void *input, void *output)
{
    struct oribi_micro_curve_points_s16_args args = of->state->u.curve;
    args.count = count;
    if (of->loops != NULL) {
        of->loops->curve(&args, of->state->points, input, output);
    } else {
        oribi_micro_curve_points_s16(&args, input, output);
    }
}

static void call(const void *all, int32_t count, const void *input, void *output)
{
    const unary_state *s = ((const unary_call *)all)->state;
    const struct oribi_micro_lookup_s16_args lookup = {count, s->u.table};
    struct oribi_micro_requantize_args relu;
    struct oribi_micro_leaky_relu_s16_args leaky;
    struct oribi_micro_sqrt_s16_args sqrt;
    switch (s->function) {
    case ORIBI_MICRO_UNARY_LOGISTIC:
    case ORIBI_MICRO_UNARY_TANH:
        call_curve(all, count, input, output);
        break;
    case ORIBI_MICRO_UNARY_RSQRT:
    case ORIBI_MICRO_UNARY_EXP:
    case ORIBI_MICRO_UNARY_LOG:
    case ORIBI_MICRO_UNARY_GELU:
    case ORIBI_MICRO_UNARY_GELU_TANH:
        oribi_micro_lookup_s16(&lookup, input, output);
        break;
    case ORIBI_MICRO_UNARY_SQRT:
        sqrt = s->u.sqrt;
        sqrt.count = count;
        oribi_micro_sqrt_s16(&sqrt, input, output);
        break;
    case ORIBI_MICRO_UNARY_ABS:
    case ORIBI_MICRO_UNARY_LEAKY_RELU:
        leaky = s->u.leaky;
        leaky.count = count;
        oribi_micro_leaky_relu_s16(&leaky, input, output);
        break;
    default:
        relu = s->u.relu;
        relu.count = count;
        oribi_micro_requantize(&relu, input, output);
        break;
    }
}

static bool run_words(const unary_state *state, oribi_kit_run *run, const oribi_bytes *loops)
{
    oribi_cpu_shape shape;
    const int32_t values = oribi_quantized_count(run, &shape);
    if (values < 0) {
        return false;
    }
    void *output = oribi_kit_output(run, 0, shape.at, shape.n);
    if (output != NULL) {
        const unary_call of = {state, loops};
        const oribi_quantized_each each = {
            &of, call, TF_TensorData(run->in[0]), output, sizeof(int16_t), sizeof(int16_t)};
        oribi_quantized_run_each(run, &each, values, 10);
    }
    return output != NULL;
}

static bool unary_run(const unary_state *state, oribi_kit_run *run)
{
    return run_words(state, run, NULL);
}
ORIBI_KIT_COMPUTE(unary, 1)

void *oribi_unary_words_create(TF_OpKernelConstruction *construction)
{
    return unary_create(construction);
}

bool oribi_unary_words_run(const void *state, oribi_kit_run *run, const oribi_bytes *loops)
{
    return run_words(state, run, loops);
}

const oribi_cpu_kernel oribi_cpu_quantized_unary_16_kernels[] = {
    ORIBI_QUANTIZED_ROW("Oribi>QUnary", unary, unary, {"T", ORIBI_KIT_TYPE(TF_INT16)}),
    {.op_name = NULL},
};
