/* SPDX-License-Identifier: Apache-2.0 */
/* Ops Oribi>Signal... but for the transforms (signal_fft.c): integers all of them, bit for bit
 * those of TensorFlow Lite Micro's signal library. Frames are short, so the loops are plain.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include <string.h>

static int16_t saturate(int32_t x)
{
    return (int16_t)(x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x);
}

/* The number of bits of x; the source has 32 and 64 for those of 0. */
static int32_t bits_of(uint64_t x, int32_t of_zero)
{
    int32_t n = 0;
    for (uint64_t rest = x; rest != 0; rest >>= 1) {
        n++;
    }
    return x == 0 ? of_zero : n;
}

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

/* Output 0 as large as input 0. */
static void *output_like(oribi_kit_run *run, int64_t *out_count)
{
    oribi_cpu_shape shape;
    if (!oribi_cpu_input_shape(run, 0, &shape) || !goes_on(run)) {
        return NULL;
    }
    *out_count = oribi_cpu_product(shape.at, shape.n);
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
    int64_t count = 0;
    const int16_t *x = TF_TensorData(run->in[0]), *weights = TF_TensorData(run->in[1]);
    const int64_t width = TF_TensorElementCount(run->in[1]);
    if (!check_shift(run, state->value, 31) ||
        !check(run, width > 0 && TF_TensorElementCount(run->in[0]) % width == 0,
               "the window does not divide the input")) {
        return false;
    }
    int16_t *y = output_like(run, &count);
    for (int64_t i = 0; y != NULL && i < count; i++) {
        y[i] = saturate((int32_t)x[i] * weights[i % width] >> state->value);
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
    if (!check(run, state->start >= 0 && state->end <= count, "the bins are not all there")) {
        return false;
    }
    uint32_t *y = goes_on(run) ? oribi_kit_output(run, 0, &count, 1) : NULL;
    for (int64_t i = 0; y != NULL && i < count; i++) {
        const int32_t re = x[2 * i], im = x[2 * i + 1];
        const bool is_wanted = i >= state->start && i < state->end;
        y[i] = is_wanted ? (uint32_t)(re * re) + (uint32_t)(im * im) : 0;
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(energy, 1)

static bool auto_scale_run(const void *state, oribi_kit_run *run)
{
    int64_t count = 0;
    int16_t most = 0;
    const int16_t *x = TF_TensorData(run->in[0]);
    int16_t *y = output_like(run, &count);
    int32_t *out_bits = y == NULL ? NULL : oribi_kit_output(run, 1, NULL, 0);
    (void)state;
    if (out_bits == NULL) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) { /* of -32768 it is -32768, as in the source */
        const int32_t size = x[i] > most ? x[i] : -(int32_t)x[i];
        most = size > most ? (int16_t)size : most;
    }
    const int32_t bits = 15 - bits_of((uint64_t)(uint32_t)(int32_t)most, 32);
    *out_bits = bits > 0 ? bits : 0;
    for (int64_t i = 0; i < count; i++) {
        y[i] = (int16_t)(x[i] * (1 << *out_bits));
    }
    return true;
}
ORIBI_KIT_COMPUTE(auto_scale, 1)

/* --- Banks of filters ------------------------------------------------------------------------- */

static void bank_read(oribi_kit_setup *setup, one_number *state)
{
    oribi_kit_attr_int(setup, "num_channels", &state->value);
}
ORIBI_KIT_CREATE(bank, one_number)

/* Each frequency adds to two neighbours, what a channel leaves to the next. */
static bool bank_run(const one_number *state, oribi_kit_run *run)
{
    const uint32_t *x = TF_TensorData(run->in[0]);
    const int16_t *weights = TF_TensorData(run->in[1]), *others = TF_TensorData(run->in[2]);
    const int16_t *starts = TF_TensorData(run->in[3]), *from = TF_TensorData(run->in[4]);
    const int16_t *widths = TF_TensorData(run->in[5]);
    const int64_t n = state->value, n_x = TF_TensorElementCount(run->in[0]);
    const int64_t n_weights = TF_TensorElementCount(run->in[1]);
    bool fits = n >= 0 && n < INT32_MAX && TF_TensorElementCount(run->in[2]) == n_weights;
    for (int i = 3; fits && i <= 5; i++) {
        fits = TF_TensorElementCount(run->in[i]) == n + 1;
    }
    uint64_t *y =
        !check(run, fits, "the tables of the filters do not fit num_channels") || !goes_on(run)
            ? NULL
            : oribi_kit_output(run, 0, &n, 1);
    uint64_t here = 0;
    for (int64_t i = 0; y != NULL && i <= n; i++) {
        const int64_t start = starts[i], at = from[i], width = widths[i];
        uint64_t next = 0;
        if (width > 0 &&
            !check(run, start >= 0 && at >= 0 && start + width <= n_x && at + width <= n_weights,
                   "a filter goes beyond its input or its weights")) {
            return false;
        }
        for (int64_t j = 0; j < width; j++) {
            here += (uint64_t)weights[at + j] * x[start + j];
            next += (uint64_t)others[at + j] * x[start + j];
        }
        if (i > 0) {
            y[i - 1] = here;
        }
        here = next;
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(bank, 6)

/* Rounded where the result's bits allow it; `most` is the largest result. */
static uint32_t square_root(uint64_t x, uint32_t most)
{
    uint64_t rest = x, root = 0, bit = 1;
    while (bit <= x / 4) {
        bit *= 4;
    }
    for (; bit != 0; bit /= 4) {
        const bool is_set = rest >= root + bit;
        rest -= is_set ? root + bit : 0;
        root = root / 2 + (is_set ? bit : 0);
    }
    return (uint32_t)(rest > root && root != most ? root + 1 : root);
}

static bool root_run(const void *state, oribi_kit_run *run)
{
    int64_t count = 0, shift = 0;
    const uint64_t *x = TF_TensorData(run->in[0]);
    (void)state;
    if (!oribi_cpu_read_int(run, 1, "scale_bits", &shift) || !check_shift(run, shift, 31)) {
        return false;
    }
    uint32_t *y = output_like(run, &count);
    for (int64_t i = 0; y != NULL && i < count; i++) {
        y[i] = square_root(x[i], x[i] >> 32 == 0 ? UINT16_MAX : UINT32_MAX) >> shift;
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

/* What log2(1 + i / 128) is above i / 128, times 2^16; the source's numbers, which are not all the
 * nearest ones. */
static const uint16_t above[130] = {
    0,    224,  442,  654,  861,  1063, 1259, 1450, 1636, 1817, 1992, 2163, 2329, 2490, 2646,
    2797, 2944, 3087, 3224, 3358, 3487, 3611, 3732, 3848, 3960, 4068, 4172, 4272, 4368, 4460,
    4549, 4633, 4714, 4791, 4864, 4934, 5001, 5063, 5123, 5178, 5231, 5280, 5326, 5368, 5408,
    5444, 5477, 5507, 5533, 5557, 5578, 5595, 5610, 5622, 5631, 5637, 5640, 5641, 5638, 5633,
    5626, 5615, 5602, 5586, 5568, 5547, 5524, 5498, 5470, 5439, 5406, 5370, 5332, 5291, 5249,
    5203, 5156, 5106, 5054, 5000, 4944, 4885, 4825, 4762, 4697, 4630, 4561, 4490, 4416, 4341,
    4264, 4184, 4103, 4020, 3935, 3848, 3759, 3668, 3575, 3481, 3384, 3286, 3186, 3084, 2981,
    2875, 2768, 2659, 2549, 2437, 2323, 2207, 2090, 1971, 1851, 1729, 1605, 1480, 1353, 1224,
    1094, 963,  830,  695,  559,  421,  282,  142,  0,    0};

/* log(x) * scale for x at least 2, by log2 in Q5.16. */
static uint32_t logarithm(uint32_t x, uint32_t scale)
{
    const uint32_t power = (uint32_t)bits_of(x, 0) - 1, rest = x - (UINT32_C(1) << power);
    const uint32_t part = power < 16 ? rest << (16 - power) : rest >> (power - 16);
    const uint32_t at = part >> 9, half = 1U << 15;
    const int32_t step = (int32_t)above[at + 1] - above[at];
    const int32_t between = step * (int32_t)(part - (at << 9)) >> 16;
    const uint32_t log2 = (power << 16) + part + above[at] + (uint32_t)between;
    const uint32_t natural = (uint32_t)((UINT64_C(45426) * log2 + half) >> 16);
    return (scale * natural + half) >> 16;
}

static bool log_run(const log_state *state, oribi_kit_run *run)
{
    int64_t count = 0;
    const uint32_t *x = TF_TensorData(run->in[0]);
    if (!check_shift(run, state->shift, 31) ||
        !check(run, state->scale >= 0 && state->scale <= INT32_MAX, "output_scale is too large")) {
        return false;
    }
    int16_t *y = output_like(run, &count);
    for (int64_t i = 0; y != NULL && i < count; i++) {
        const uint32_t scaled = x[i] << state->shift;
        const uint32_t value = scaled > 1 ? logarithm(scaled, (uint32_t)state->scale) : 0;
        y[i] = (int16_t)(value < INT16_MAX ? value : INT16_MAX);
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
    int64_t count = TF_TensorElementCount(run->in[0]);
    const uint32_t *x = TF_TensorData(run->in[0]), *before = TF_TensorData(run->in[1]);
    if (!oribi_cpu_input_shape(run, 1, &kept) || !check_shift(run, s->bits, 31) ||
        !check_shift(run, s->shift, 31) ||
        !check(run, TF_TensorElementCount(run->in[1]) == count,
               "the noise has another size than the input")) {
        return false;
    }
    uint32_t *y = output_like(run, &count);
    uint32_t *noise = y == NULL ? NULL : oribi_kit_output(run, 1, kept.at, kept.n);
    for (int64_t i = 0; noise != NULL && i < count; i++) {
        const uint32_t smoothing = (uint32_t)s->smoothing[i % 2], rest = (uint32_t)s->rest[i % 2];
        const uint32_t scaled = x[i] << s->bits;
        const uint32_t estimate =
            (uint32_t)(((uint64_t)scaled * smoothing + (uint64_t)before[i] * rest) >> s->shift);
        const uint32_t taken = estimate > scaled ? scaled : estimate;
        const uint32_t floor_at = (uint32_t)(((uint64_t)x[i] * (uint64_t)s->least) >> s->shift);
        const uint32_t left = (scaled - taken) >> s->bits;
        noise[i] = s->clamps ? taken : estimate;
        y[i] = left > floor_at ? left : floor_at;
    }
    return noise != NULL;
}
ORIBI_KIT_COMPUTE(noise, 2)

static void gain_read(oribi_kit_setup *setup, one_number *state)
{
    oribi_kit_attr_int(setup, "snr_shift", &state->value);
}
ORIBI_KIT_CREATE(gain, one_number)

/* A table of parabolas, one for each power of two. */
static int16_t gain_of(uint32_t x, const int16_t *table)
{
    if (x <= 2) {
        return table[x];
    }
    const int32_t power = bits_of(x, 0);
    const int16_t *at = table + 4 * power - 6;
    const int32_t part =
        (int32_t)((power < 11 ? x << (11 - power) : x >> (power - 11)) & UINT32_C(0x3ff));
    int32_t y = (at[2] * part) >> 5;
    y += (int32_t)((uint32_t)(int32_t)at[1] << 5);
    y = (int32_t)(((int64_t)y * part + (1 << 14)) >> 15);
    return (int16_t)(y + at[0]);
}

/* x^2 / 4 below 2, x - 1 above; from 12 bits behind the point to 6. */
static uint32_t shrink(uint32_t x)
{
    return x < 2U << 12 ? (x * x) >> 20 : (x >> 6) - (1U << 6);
}

static bool gain_run(const one_number *state, oribi_kit_run *run)
{
    enum { TABLE = 4 * 32 - 6 + 3 };
    int64_t count = TF_TensorElementCount(run->in[0]);
    const uint32_t *x = TF_TensorData(run->in[0]), *noise = TF_TensorData(run->in[1]);
    const int16_t *table = TF_TensorData(run->in[2]);
    if (!check_shift(run, state->value, 63) ||
        !check(run,
               TF_TensorElementCount(run->in[1]) == count &&
                   TF_TensorElementCount(run->in[2]) >= TABLE,
               "the noise has another size than the input, or the table is too short")) {
        return false;
    }
    uint32_t *y = output_like(run, &count);
    for (int64_t i = 0; y != NULL && i < count; i++) {
        const uint32_t gain = (uint32_t)(int32_t)gain_of(noise[i], table);
        y[i] = shrink((uint32_t)(((uint64_t)x[i] * gain) >> state->value));
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

#define OVERLAP(T, sum_of)                                                                         \
    static void overlap_##T(const T *x, T *sum, T *y, int64_t size, int64_t step)                  \
    {                                                                                              \
        for (int64_t i = 0; i < size; i++) {                                                       \
            sum[i] = sum_of;                                                                       \
        }                                                                                          \
        memcpy(y, sum, (size_t)step * sizeof(T));                                                  \
        memmove(sum, sum + step, (size_t)(size - step) * sizeof(T));                               \
        memset(sum + size - step, 0, (size_t)step * sizeof(T));                                    \
    }
OVERLAP(int16_t, saturate((int32_t)x[i] + sum[i]))
OVERLAP(float, x[i] + sum[i])

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
                   kept.at[1] == size,
               "the frames, their step and the state do not fit each other")) {
        return false;
    }
    y = x;
    y.n--;
    y.at[y.n - 1] = frames * step;
    const char *from = TF_TensorData(run->in[0]);
    char *to = goes_on(run) ? oribi_kit_output(run, 0, y.at, y.n) : NULL;
    char *sum = to == NULL ? NULL : oribi_kit_output(run, 1, kept.at, kept.n);
    const int64_t width = is_real ? 4 : 2;
    if (sum != NULL && outer > 0) {
        memcpy(sum, TF_TensorData(run->in[1]), (size_t)(outer * size * width));
    }
    for (int64_t i = 0; sum != NULL && i < outer * frames; i++) {
        char *own = sum + i / frames * size * width;
        if (is_real) {
            overlap_float((const float *)from, (float *)own, (float *)to, size, step);
        } else {
            overlap_int16_t((const int16_t *)from, (int16_t *)own, (int16_t *)to, size, step);
        }
        from += size * width;
        to += step * width;
    }
    return sum != NULL;
}
ORIBI_KIT_COMPUTE(overlap, 2)

#define ROW(op, make, free, fn)                                                                    \
    {                                                                                              \
        .op_name = "Oribi>Signal" op, .priority = ORIBI_CPU_REFERENCE, .create = make,             \
        .compute = fn##_compute, .destroy = free, .why = "plain loops over integers"               \
    }
const oribi_cpu_kernel oribi_cpu_audio_kernels[] = {
    ROW("Window", window_create, oribi_kit_free, window),
    ROW("Energy", energy_create, oribi_kit_free, energy),
    ROW("FftAutoScale", NULL, NULL, auto_scale),
    ROW("FilterBank", bank_create, oribi_kit_free, bank),
    ROW("FilterBankSquareRoot", NULL, NULL, root),
    ROW("FilterBankLog", log_create, oribi_kit_free, log),
    ROW("SpectralSubtraction", noise_create, oribi_kit_free, noise),
    ROW("Pcan", gain_create, oribi_kit_free, gain),
    ROW("OverlapAdd", overlap_create, oribi_kit_free, overlap),
    {.op_name = NULL},
};
