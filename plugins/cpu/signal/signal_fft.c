/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>SignalRfft and Oribi>SignalIrfft: transforms of real numbers in int16, int32 and float, by
 * micro/'s kernels, row by row.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include "micro/element.h"
#include "micro/signal/fft.h"
#include "micro/signal/fft_prepare.h"

typedef struct fft_state {
    int64_t n;
} fft_state;

static void fft_read(oribi_kit_setup *setup, fft_state *state)
{
    oribi_kit_attr_int(setup, "fft_length", &state->n);
}
ORIBI_KIT_CREATE(fft, fft_state)

typedef struct real_fft {
    TF_DataType type;
    bool is_inverse;
    int32_t n, given;
    const void *roots;
} real_fft;

#define ROW_OF(T, kind)                                                                            \
    do {                                                                                           \
        const struct oribi_micro_fft_##kind##_args args = {1, f->given, f->n, f->roots};           \
        const T *from = (const T *)x + row * f->given;                                             \
        if (f->is_inverse) {                                                                       \
            oribi_micro_irfft_##kind(&args, from, (T *)y + row * f->n);                            \
        } else {                                                                                   \
            oribi_micro_rfft_##kind(&args, from, (T *)y + row * (f->n + 2));                       \
        }                                                                                          \
    } while (0)

static void transform_row(const real_fft *f, int64_t row, const void *x, void *y)
{
    if (f->type == TF_INT16) {
        ROW_OF(int16_t, s16);
    } else if (f->type == TF_INT32) {
        ROW_OF(int32_t, s32);
    } else {
        ROW_OF(float, f32);
    }
}

static bool fft_run(const fft_state *state, oribi_kit_run *run, bool is_inverse)
{
    oribi_cpu_shape shape;
    TF_Tensor *memory = NULL;
    int64_t patience = 0;
    real_fft f = {
        .type = TF_TensorType(run->in[0]), .n = (int32_t)state->n, .is_inverse = is_inverse};
    if (!oribi_cpu_input_shape(run, 0, &shape)) {
        return false;
    }
    if (state->n < ORIBI_MICRO_FFT_LEAST || state->n > ORIBI_MICRO_FFT_MOST ||
        (state->n & (state->n - 1)) != 0 || shape.n < 1) {
        return oribi_kit_fail(run, TF_UNIMPLEMENTED,
                              "a transform of length %lld of %s: the length must be a power of two "
                              "from %d to %d",
                              (long long)state->n, oribi_cpu_shape_text(&shape).chars,
                              (int)ORIBI_MICRO_FFT_LEAST, (int)ORIBI_MICRO_FFT_MOST);
    }
    const int64_t given = shape.at[shape.n - 1], rows = oribi_cpu_product(shape.at, shape.n - 1);
    const int64_t most = is_inverse ? state->n + 2 : state->n;
    if (given > most) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "rows of %lld values are longer than %lld",
                              (long long)given, (long long)most);
    }
    f.given = (int32_t)given;
    shape.at[shape.n - 1] = is_inverse ? f.n : f.n + 2;
    const void *x = TF_TensorData(run->in[0]);
    void *y = oribi_kit_output(run, 0, shape.at, shape.n);
    void *roots =
        y == NULL ? NULL : oribi_kit_scratch(run, oribi_micro_fft_roots_count(f.n) * 4, &memory);
    if (roots != NULL) {
        const int32_t kind = f.type == TF_INT16   ? ORIBI_MICRO_S16
                             : f.type == TF_INT32 ? ORIBI_MICRO_S32
                                                  : ORIBI_MICRO_F32;
        oribi_micro_fft_roots(kind, f.n, is_inverse ? 1 : 0, roots);
        f.roots = roots;
    }
    bool good = roots != NULL;
    for (int64_t row = 0; good && row < rows; row++) {
        transform_row(&f, row, x, y);
        good = !oribi_kit_stops(run, &patience, 40 * (int64_t)f.n);
    }
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

const oribi_cpu_kernel oribi_cpu_signal_fft_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>SignalRfft", fft, rfft, "the steps of KISS FFT"),
    ORIBI_CPU_STATE_ROW("Oribi>SignalIrfft", fft, irfft, "the steps of KISS FFT"),
    {.op_name = NULL},
};
