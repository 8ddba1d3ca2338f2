/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>ThroughBytes: rows of floats to the nearest of 255 or 256 steps of their own range, in
 * floats: what TensorFlow Lite's operators with weights of int8 make of their inputs. Reference
 * kernel.
 */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include <math.h>

typedef struct through_state {
    int64_t lead;
    bool asymmetric;
} through_state;

static void *through_create(TF_OpKernelConstruction *construction)
{
    oribi_kit_setup setup;
    through_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        oribi_kit_attr_int(&setup, "lead", &state->lead);
        oribi_kit_attr_bool(&setup, "asymmetric", &state->asymmetric);
    }
    return oribi_kit_setup_end(&setup);
}

typedef struct through_call {
    const through_state *state;
    const float *x;
    float *y;
    int64_t columns;
} through_call;

static float between(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/* Steps of 1/127 of the largest magnitude. */
static void symmetric_row(const float *x, int64_t n, float range, float *y)
{
    const float scale = range / 127.0F, inverse = 127.0F / range;
    for (int64_t i = 0; i < n; i++) {
        y[i] = between(roundf(x[i] * inverse), -127.0F, 127.0F) * scale;
    }
}

/* Steps of 1/255 of what lies between the ends, of which 0 is one. */
static void asymmetric_row(const float *x, int64_t n, double low, double high, float *y)
{
    const double real = (high - low) / 255.0;
    const double from_low = -128.0 - low / real, from_high = 127.0 - high / real;
    const double wanted =
        128.0 + fabs(low / real) < 127.0 + fabs(high / real) ? from_low : from_high;
    const double nearest = wanted <= -128.0 ? -128.0 : wanted >= 127.0 ? 127.0 : round(wanted);
    const float zero = (float)nearest, scale = (float)real, inverse = 1.0F / scale;
    for (int64_t i = 0; i < n; i++) {
        y[i] = (between(roundf(zero + x[i] * inverse), -128.0F, 127.0F) - zero) * scale;
    }
}

static void through_rows(void *object, int64_t begin, int64_t end)
{
    const through_call *call = object;
    for (int64_t row = begin; row < end; row++) {
        const float *x = call->x + row * call->columns;
        float *y = call->y + row * call->columns;
        float low = 0.0F, high = 0.0F;
        for (int64_t i = 0; i < call->columns; i++) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        if (low >= 0.0F && high <= 0.0F) {
            for (int64_t i = 0; i < call->columns; i++) {
                y[i] = x[i] * 0.0F; /* a NaN stays one */
            }
        } else if (call->state->asymmetric) {
            asymmetric_row(x, call->columns, (double)low, (double)high, y);
        } else {
            symmetric_row(x, call->columns, high > -low ? high : -low, y);
        }
    }
}

static bool through_run(const through_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape shape;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    const int64_t lead = state->lead < 0 ? state->lead + shape.n : state->lead;
    if (lead < 0 || lead > shape.n) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "there are no %lld dimensions of %s",
                              (long long)state->lead, oribi_cpu_shape_text(&shape).chars);
    }
    const int64_t rows = oribi_cpu_product(shape.at, (int)lead);
    const int64_t columns = oribi_cpu_product(shape.at + lead, shape.n - (int)lead);
    through_call call = {state, TF_TensorData(run->in[0]), NULL, columns};
    call.y = oribi_kit_output_in_place(run, (const int[]){0}, 1, shape.at, shape.n);
    if (call.y != NULL && rows > 0 && columns > 0) {
        oribi_kit_parallel(run, rows, columns * 8, &call, through_rows);
    }
    return call.y != NULL;
}
ORIBI_KIT_COMPUTE(through, 1)

const oribi_cpu_kernel oribi_cpu_through_bytes_kernels[] = {
    {.op_name = "Oribi>ThroughBytes",
     .priority = ORIBI_CPU_REFERENCE,
     .create = through_create,
     .compute = through_compute,
     .destroy = oribi_kit_free,
     .why = "plain loops"},
    {.op_name = NULL},
};
