/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>LRN: x [n, channels, ...], windows of any size over the channels, in float and double. Four
 * dims and odd sizes are TensorFlow's LRN: norm.c.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include <math.h>

typedef struct lrn_state {
    int64_t size;
    float alpha, beta, bias;
} lrn_state;

static void lrn_read(oribi_kit_setup *setup, lrn_state *state)
{
    oribi_kit_attr_int(setup, "size", &state->size);
    oribi_kit_attr_float(setup, "alpha", &state->alpha);
    oribi_kit_attr_float(setup, "beta", &state->beta);
    oribi_kit_attr_float(setup, "bias", &state->bias);
    if (state->size < 1 || state->size > INT32_MAX) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "size %lld is not possible",
                                   (long long)state->size);
    }
}
ORIBI_KIT_CREATE(lrn, lrn_state)

typedef struct lrn_call {
    const lrn_state *state;
    const void *x;
    void *y;
    int64_t channels, inner;
} lrn_call;

/* Lines (n, inner) of channels. */
#define LRN(T)                                                                                     \
    static void lrn_##T##_lines(void *object, int64_t begin, int64_t end)                          \
    {                                                                                              \
        const lrn_call *c = object;                                                                \
        const lrn_state *s = c->state;                                                             \
        const int64_t back = (s->size - 1) / 2, ahead = s->size - 1 - back;                        \
        for (int64_t line = begin; line < end; line++) {                                           \
            const int64_t at = line / c->inner * c->channels * c->inner + line % c->inner;         \
            const T *x = (const T *)c->x + at;                                                     \
            T *y = (T *)c->y + at;                                                                 \
            for (int64_t k = 0; k < c->channels; k++) {                                            \
                const int64_t last = c->channels - 1;                                              \
                const int64_t from = k > back ? k - back : 0;                                      \
                const int64_t to = last - k > ahead ? k + ahead : last;                            \
                double sum = 0;                                                                    \
                for (int64_t i = from; i <= to; i++) {                                             \
                    sum += (double)x[i * c->inner] * (double)x[i * c->inner];                      \
                }                                                                                  \
                const double base = (double)s->bias + (double)s->alpha / (double)s->size * sum;    \
                y[k * c->inner] = (T)((double)x[k * c->inner] * pow(base, -(double)s->beta));      \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static bool lrn_##T##_run(const void *state, oribi_kit_run *run)                               \
    {                                                                                              \
        return lrn(state, run, lrn_##T##_lines);                                                   \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(lrn_##T, 1)

static bool lrn(const lrn_state *state, oribi_kit_run *run, oribi_kit_range loop)
{
    oribi_cpu_shape x;
    if (!oribi_cpu_input_shape(run, 0, &x)) {
        return false;
    }
    if (x.n < 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %s has no channels",
                              oribi_cpu_shape_text(&x).chars);
    }
    lrn_call c = {.state = state,
                  .x = TF_TensorData(run->in[0]),
                  .channels = x.at[1],
                  .inner = oribi_cpu_product(x.at + 2, x.n - 2)};
    c.y = oribi_kit_output(run, 0, x.at, x.n);
    if (c.y != NULL && oribi_cpu_product(x.at, x.n) > 0) {
        const int64_t size = state->size < c.channels ? state->size : c.channels;
        int64_t cost = 0;
        if (__builtin_mul_overflow(c.channels, 100 + 2 * size, &cost)) {
            cost = INT64_MAX;
        }
        oribi_kit_parallel(run, x.at[0] * c.inner, cost, &c, loop);
    }
    return c.y != NULL;
}
LRN(float)
LRN(double)

#define ROW(T, dtype)                                                                              \
    ORIBI_CPU_STATE_ROW("ONNX>LRN", lrn, lrn_##T, "plain loops in double", ORIBI_CPU_OF(dtype))
const oribi_cpu_kernel oribi_cpu_lrn_onnx_kernels[] = {
    ROW(float, TF_FLOAT),
    ROW(double, TF_DOUBLE),
    {.op_name = NULL},
};
