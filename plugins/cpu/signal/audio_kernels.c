/* SPDX-License-Identifier: Apache-2.0 */
/* Ops Oribi>Signal... but for the transforms (signal_fft.c): by micro/'s kernels, which emitted C
 * carries, too. Here sizes and shifts are checked.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include "micro/prepare.h"
#include "micro/signal/filter_bank_prepare.h"
#include "micro/signal/overlap_add.h"
#include "micro/signal/listen.h"

#include <string.h>

static bool check(oribi_kit_run *run, bool good, const char *what)
{
    return good || oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s", what);
}

/* Looks once, by what a run costs: frames are short. */
static bool goes_on(oribi_kit_run *run)
{
    int64_t patience = 0;
    return !oribi_kit_stops(run, &patience, TF_TensorElementCount(run->in[0]) * 20);
}

/* Output 0 as large as input 0, whose size emitted code has in an int32. */
static void *output_like(oribi_kit_run *run, int32_t *out_count)
{
    oribi_cpu_shape shape;
    if (!oribi_cpu_input_shape(run, 0, &shape) || !goes_on(run)) {
        return NULL;
    }
    const int64_t count = oribi_cpu_product(shape.at, shape.n);
    if (!check(run, count <= INT32_MAX / 2, "more samples than 2^30")) {
        return NULL;
    }
    *out_count = (int32_t)count;
    return oribi_kit_output(run, 0, shape.at, shape.n);
}

/* A shift count of the model, which the attributes of each op below name. */
static bool check_shift(oribi_kit_run *run, int64_t shift, int64_t most)
{
    return shift >= 0 && shift <= most
               ? true
               : oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a shift by %lld: 0 to %lld is wanted",
                                (long long)shift, (long long)most);
}

/* --- Windows ---------------------------------------------------------------------------------- */

typedef struct one_number {
    int64_t value;
} one_number;

static void window_read(oribi_kit_setup *setup, one_number *state)
{
    oribi_kit_attr_int(setup, "shift", &state->value);
}
ORIBI_KIT_CREATE(window, one_number)

static bool window_run(const one_number *state, oribi_kit_run *run)
{
    struct oribi_micro_signal_window_args args = {.shift = (int32_t)state->value};
    const int16_t *x = TF_TensorData(run->in[0]), *weights = TF_TensorData(run->in[1]);
    const int64_t width = TF_TensorElementCount(run->in[1]);
    if (!check_shift(run, state->value, 31) ||
        !check(run, width > 0 && TF_TensorElementCount(run->in[0]) % width == 0,
               "the window does not divide the input")) {
        return false;
    }
    int16_t *y = output_like(run, &args.count);
    if (y != NULL) {
        args.width = width < INT32_MAX ? (int32_t)width : INT32_MAX; /* of no samples */
        oribi_micro_signal_window(&args, x, weights, y);
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(window, 2)

/* --- Spectra ---------------------------------------------------------------------------------- */

typedef struct energy_state {
    int64_t start, end;
} energy_state;

static void energy_read(oribi_kit_setup *setup, energy_state *state)
{
    oribi_kit_attr_int(setup, "start_index", &state->start);
    oribi_kit_attr_int(setup, "end_index", &state->end);
}
ORIBI_KIT_CREATE(energy, energy_state)

static bool energy_run(const energy_state *state, oribi_kit_run *run)
{
    const int16_t *x = TF_TensorData(run->in[0]);
    const int64_t count = TF_TensorElementCount(run->in[0]) / 2;
    if (!check(run, state->start >= 0 && state->end <= count && count < INT32_MAX / 2,
               "the bins are not all there")) {
        return false;
    }
    const struct oribi_micro_signal_energy_args args = {
        (int32_t)count, (int32_t)(state->start < count ? state->start : count),
        (int32_t)(state->end > 0 ? state->end : 0)};
    uint32_t *y = goes_on(run) ? oribi_kit_output(run, 0, &count, 1) : NULL;
    if (y != NULL) {
        oribi_micro_signal_energy(&args, x, y);
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(energy, 1)

static bool auto_scale_run(const void *state, oribi_kit_run *run)
{
    struct oribi_micro_signal_scale_args args;
    const int16_t *x = TF_TensorData(run->in[0]);
    int16_t *y = output_like(run, &args.count);
    int32_t *bits = y == NULL ? NULL : oribi_kit_output(run, 1, NULL, 0);
    (void)state;
    if (bits != NULL) {
        oribi_micro_signal_auto_scale(&args, x, y, bits);
    }
    return bits != NULL;
}
ORIBI_KIT_COMPUTE(auto_scale, 1)

/* --- Banks of filters ------------------------------------------------------------------------- */

static void bank_read(oribi_kit_setup *setup, one_number *state)
{
    oribi_kit_attr_int(setup, "num_channels", &state->value);
}
ORIBI_KIT_CREATE(bank, one_number)

/* The tables are copied before they are checked: inputs may change meanwhile. */
static bool bank_run(const one_number *state, oribi_kit_run *run)
{
    TF_Tensor *memory = NULL;
    const int64_t n = state->value, n_x = TF_TensorElementCount(run->in[0]);
    const int64_t n_weights = TF_TensorElementCount(run->in[1]);
    bool fits = n >= 0 && n < INT32_MAX / 8 && TF_TensorElementCount(run->in[2]) == n_weights;
    for (int i = 3; fits && i <= 5; i++) {
        fits = TF_TensorElementCount(run->in[i]) == n + 1;
    }
    if (!check(run, fits, "the tables of the filters do not fit num_channels") || !goes_on(run)) {
        return false;
    }
    const struct oribi_micro_filter_bank_args args = {(int32_t)n};
    const size_t bytes = (size_t)(n + 1) * sizeof(int16_t);
    uint64_t *y = oribi_kit_output(run, 0, &n, 1);
    int16_t *tables = y == NULL ? NULL : oribi_kit_scratch(run, 3 * (int64_t)bytes, &memory);
    if (tables != NULL) {
        int16_t *places = tables + n + 1, *widths = places + n + 1;
        memcpy(tables, TF_TensorData(run->in[3]), bytes);
        memcpy(places, TF_TensorData(run->in[4]), bytes);
        memcpy(widths, TF_TensorData(run->in[5]), bytes);
        fits = check(run,
                     oribi_micro_filter_bank_check(n + 1, n_x, n_weights, tables, places, widths) ==
                         ORIBI_MICRO_OK,
                     "a filter goes beyond its input or its weights");
        if (fits) {
            oribi_micro_filter_bank(&args, TF_TensorData(run->in[0]), TF_TensorData(run->in[1]),
                                    TF_TensorData(run->in[2]), tables, places, widths, y);
        }
    }
    TF_DeleteTensor(memory);
    return tables != NULL && fits;
}
ORIBI_KIT_COMPUTE(bank, 6)

static bool root_run(const void *state, oribi_kit_run *run)
{
    int64_t shift = 0;
    struct oribi_micro_signal_scale_args args;
    const uint64_t *x = TF_TensorData(run->in[0]);
    (void)state;
    if (!oribi_cpu_read_int(run, 1, "scale_bits", &shift) || !check_shift(run, shift, 31)) {
        return false;
    }
    const int32_t bits = (int32_t)shift;
    uint32_t *y = output_like(run, &args.count);
    if (y != NULL) {
        oribi_micro_filter_bank_root(&args, x, &bits, y);
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(root, 2)

/* --- Logarithms ------------------------------------------------------------------------------- */

typedef struct log_state {
    int64_t scale, shift;
} log_state;

static void log_read(oribi_kit_setup *setup, log_state *state)
{
    oribi_kit_attr_int(setup, "output_scale", &state->scale);
    oribi_kit_attr_int(setup, "input_correction_bits", &state->shift);
}
ORIBI_KIT_CREATE(log, log_state)

static bool log_run(const log_state *state, oribi_kit_run *run)
{
    struct oribi_micro_filter_bank_log_args args;
    const uint32_t *x = TF_TensorData(run->in[0]);
    if (!check_shift(run, state->shift, 31) ||
        !check(run, state->scale >= 0 && state->scale <= INT32_MAX, "output_scale is too large")) {
        return false;
    }
    int16_t *y = output_like(run, &args.count);
    if (y != NULL) {
        args.shift = (int32_t)state->shift;
        args.scale = (int32_t)state->scale;
        oribi_micro_filter_bank_log(&args, x, y);
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(log, 1)

/* --- Noise ------------------------------------------------------------------------------------ */

typedef struct noise_state {
    int64_t smoothing[2], rest[2]; /* of even and odd channels */
    int64_t bits, shift, least;
    bool clamps;
} noise_state;

static void noise_read(oribi_kit_setup *setup, noise_state *state)
{
    oribi_kit_attr_int(setup, "smoothing", &state->smoothing[0]);
    oribi_kit_attr_int(setup, "alternate_smoothing", &state->smoothing[1]);
    oribi_kit_attr_int(setup, "one_minus_smoothing", &state->rest[0]);
    oribi_kit_attr_int(setup, "alternate_one_minus_smoothing", &state->rest[1]);
    oribi_kit_attr_int(setup, "smoothing_bits", &state->bits);
    oribi_kit_attr_int(setup, "spectral_subtraction_bits", &state->shift);
    oribi_kit_attr_int(setup, "min_signal_remaining", &state->least);
    oribi_kit_attr_bool(setup, "clamping", &state->clamps);
}
ORIBI_KIT_CREATE(noise, noise_state)

static bool noise_run(const noise_state *s, oribi_kit_run *run)
{
    oribi_cpu_shape kept;
    struct oribi_micro_spectral_subtraction_args args = {.smoothing = (int32_t)s->smoothing[0],
                                                         .rest = (int32_t)s->rest[0],
                                                         .other_smoothing =
                                                             (int32_t)s->smoothing[1],
                                                         .other_rest = (int32_t)s->rest[1],
                                                         .bits = (int32_t)s->bits,
                                                         .shift = (int32_t)s->shift,
                                                         .least = (int32_t)s->least,
                                                         .clamps = s->clamps ? 1 : 0};
    const uint32_t *x = TF_TensorData(run->in[0]), *before = TF_TensorData(run->in[1]);
    if (!oribi_cpu_input_shape(run, 1, &kept) || !check_shift(run, s->bits, 31) ||
        !check_shift(run, s->shift, 31) ||
        !check(run, TF_TensorElementCount(run->in[1]) == TF_TensorElementCount(run->in[0]),
               "the noise has another size than the input")) {
        return false;
    }
    uint32_t *y = output_like(run, &args.count);
    uint32_t *noise = y == NULL ? NULL : oribi_kit_output(run, 1, kept.at, kept.n);
    if (noise != NULL) {
        oribi_micro_spectral_subtraction(&args, x, before, y, noise);
    }
    return noise != NULL;
}
ORIBI_KIT_COMPUTE(noise, 2)

static void gain_read(oribi_kit_setup *setup, one_number *state)
{
    oribi_kit_attr_int(setup, "snr_shift", &state->value);
}
ORIBI_KIT_CREATE(gain, one_number)

static bool gain_run(const one_number *state, oribi_kit_run *run)
{
    struct oribi_micro_signal_gain_args args = {.shift = (int32_t)state->value};
    const uint32_t *x = TF_TensorData(run->in[0]), *noise = TF_TensorData(run->in[1]);
    const int16_t *table = TF_TensorData(run->in[2]);
    if (!check_shift(run, state->value, 63) ||
        !check(run,
               TF_TensorElementCount(run->in[1]) == TF_TensorElementCount(run->in[0]) &&
                   TF_TensorElementCount(run->in[2]) >= ORIBI_MICRO_SIGNAL_GAINS,
               "the noise has another size than the input, or the table is too short")) {
        return false;
    }
    uint32_t *y = output_like(run, &args.count);
    if (y != NULL) {
        oribi_micro_signal_gain(&args, x, noise, table, y);
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(gain, 3)

/* --- Frames that overlap ---------------------------------------------------------------------- */

static void overlap_read(oribi_kit_setup *setup, one_number *state)
{
    oribi_kit_attr_int(setup, "frame_step", &state->value);
}
ORIBI_KIT_CREATE(overlap, one_number)

static bool overlap_run(const one_number *state, oribi_kit_run *run)
{
    oribi_cpu_shape x, kept, y;
    const int64_t step = state->value;
    const bool is_real = TF_TensorType(run->in[0]) == TF_FLOAT;
    if (!oribi_cpu_input_shape(run, 0, &x) || !oribi_cpu_input_shape(run, 1, &kept)) {
        return false;
    }
    const int64_t size = x.n < 2 ? 0 : x.at[x.n - 1], frames = x.n < 2 ? 0 : x.at[x.n - 2];
    const int64_t outer = x.n < 2 ? 0 : oribi_cpu_product(x.at, x.n - 2);
    if (!check(run,
               x.n >= 2 && step >= 1 && step <= size && kept.n == 2 && kept.at[0] == outer &&
                   kept.at[1] == size && size < INT32_MAX && frames < INT32_MAX &&
                   outer < INT32_MAX,
               "the frames, their step and the state do not fit each other")) {
        return false;
    }
    y = x;
    y.n--;
    y.at[y.n - 1] = frames * step;
    const struct oribi_micro_overlap_add_args args = {(int32_t)outer, (int32_t)frames,
                                                      (int32_t)size, (int32_t)step};
    const void *from = TF_TensorData(run->in[0]), *before = TF_TensorData(run->in[1]);
    void *to = goes_on(run) ? oribi_kit_output(run, 0, y.at, y.n) : NULL;
    void *sum = to == NULL ? NULL : oribi_kit_output(run, 1, kept.at, kept.n);
    if (sum != NULL && outer > 0 && is_real) {
        oribi_micro_overlap_add_f32(&args, from, before, to, sum);
    } else if (sum != NULL && outer > 0) {
        oribi_micro_overlap_add_s16(&args, from, before, to, sum);
    }
    return sum != NULL;
}
ORIBI_KIT_COMPUTE(overlap, 2)

const oribi_cpu_kernel oribi_cpu_audio_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>SignalWindow", window, window,
                        "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_STATE_ROW("Oribi>SignalEnergy", energy, energy,
                        "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_ROW("Oribi>SignalFftAutoScale", auto_scale, "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_STATE_ROW("Oribi>SignalFilterBank", bank, bank,
                        "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_ROW("Oribi>SignalFilterBankSquareRoot", root,
                  "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_STATE_ROW("Oribi>SignalFilterBankLog", log, log,
                        "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_STATE_ROW("Oribi>SignalSpectralSubtraction", noise, noise,
                        "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_STATE_ROW("Oribi>SignalPcan", gain, gain, "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_STATE_ROW("Oribi>SignalOverlapAdd", overlap, overlap,
                        "the arithmetic of micro/, bit for bit"),
    {.op_name = NULL},
};
