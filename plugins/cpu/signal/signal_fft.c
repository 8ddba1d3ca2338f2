/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>SignalRfft and Oribi>SignalIrfft: transforms of real numbers in int16, int32 and float, bit
 * for bit those of TensorFlow Lite Micro (real_fft.inc).
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include <math.h>
#include <string.h>

#define PI 3.141592653589793238462643383279502884197169399375105820974944

typedef struct real_fft {
    int32_t n;                 /* real numbers, a power of two */
    int64_t rows, given, room; /* elements of a row of the input, and of those that matter */
    bool is_inverse;
} real_fft;

#define T            int16_t
#define W            int64_t
#define NAME(x)      s16_##x
#define WRAP(x)      ((int16_t)(x))
#define ROUND(x)     ((int16_t)(((x) + (1 << 14)) >> 15))
#define DIVIDE(x, k) ROUND((int64_t)(x) * (INT16_MAX / (k)))
#define HALF(x)      ((int16_t)((x) >> 1))
#define TABLE(x)     ((int16_t)floor(.5 + INT16_MAX * (x)))
#define DIVIDES      false
#include "cpu/signal/real_fft.inc"

#define T            int32_t
#define W            int64_t
#define NAME(x)      s32_##x
#define WRAP(x)      ((int32_t)(x))
#define ROUND(x)     ((int32_t)(((x) + (1 << 30)) >> 31))
#define DIVIDE(x, k) ROUND((int64_t)(x) * (INT32_MAX / (k)))
#define HALF(x)      ((int32_t)((int32_t)(x) >> 1))
#define TABLE(x)     ((int32_t)floor(.5 + INT32_MAX * (x)))
#define DIVIDES      false
#include "cpu/signal/real_fft.inc"

#define T            float
#define W            float
#define NAME(x)      f32_##x
#define WRAP(x)      (x)
#define ROUND(x)     (x)
#define DIVIDE(x, k) (x)
#define HALF(x)      ((x)*.5F)
#define TABLE(x)     ((float)(x))
#define DIVIDES      true
#include "cpu/signal/real_fft.inc"

typedef struct fft_state {
    int64_t n;
} fft_state;

static void fft_read(oribi_kit_setup *setup, fft_state *state)
{
    oribi_kit_attr_int(setup, "fft_length", &state->n);
}
ORIBI_KIT_CREATE(fft, fft_state)

static bool fft_run(const fft_state *state, oribi_kit_run *run, bool is_inverse)
{
    enum { LEAST = 4, MOST = 1 << 24 };
    oribi_cpu_shape shape;
    TF_Tensor *memory = NULL;
    real_fft f = {.n = (int32_t)state->n, .is_inverse = is_inverse};
    const TF_DataType type = TF_TensorType(run->in[0]);
    const int64_t width = type == TF_INT16 ? 2 : 4;
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    if (state->n < LEAST || state->n > MOST || (state->n & (state->n - 1)) != 0 || shape.n < 1) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED,
                              "a transform of length %lld of %s: the length must be a power of two "
                              "from %d to %d",
                              (long long)state->n, oribi_cpu_shape_text(&shape).chars, (int)LEAST,
                              (int)MOST);
    }
    f.given = shape.at[shape.n - 1];
    f.rows = oribi_cpu_product(shape.at, shape.n - 1);
    f.room = is_inverse ? f.n + 2 : f.n;
    if (f.given > f.room) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "rows of %lld values are longer than %lld",
                              (long long)f.given, (long long)f.room);
    }
    shape.at[shape.n - 1] = is_inverse ? f.n : f.n + 2;
    const void *x = TF_TensorData(run->in[0]);
    void *y = oribi_kit_output(run, 0, shape.at, shape.n);
    void *room = y == NULL ? NULL : oribi_kit_scratch(run, (4 * f.n + 8) * 2 * width, &memory);
    const bool good = room != NULL && (type == TF_INT16   ? s16_rows
                                       : type == TF_INT32 ? s32_rows
                                                          : f32_rows)(run, &f, room, x, y);
    TF_DeleteTensor(memory);
    return good;
}

static bool rfft_run(const fft_state *state, oribi_kit_run *run)
{
    return fft_run(state, run, false);
}
ORIBI_KIT_COMPUTE(rfft, 1)

static bool irfft_run(const fft_state *state, oribi_kit_run *run)
{
    return fft_run(state, run, true);
}
ORIBI_KIT_COMPUTE(irfft, 1)

#define ROW(op, fn)                                                                                \
    {                                                                                              \
        .op_name = op, .priority = ORIBI_CPU_REFERENCE, .create = fft_create,                      \
        .compute = fn##_compute, .destroy = oribi_kit_free, .why = "the steps of KISS FFT"         \
    }
const oribi_cpu_kernel oribi_cpu_signal_fft_kernels[] = {
    ROW("Oribi>SignalRfft", rfft),
    ROW("Oribi>SignalIrfft", irfft),
    {.op_name = NULL},
};
