/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of the front end of models that listen: windows, transforms, banks of filters, noise. */
#include "compile/lower/args_table.h"
#include "compile/lower/lower_parts.h"
#include "micro/element.h"
#include "micro/signal/fft.h"
#include "micro/signal/fft_prepare.h"
#include "micro/signal/filter_bank_prepare.h"
#include "micro/signal/overlap_add.h"
#include "micro/signal/listen.h"
#include "tensor/status.h"

enum { MOST = 1 << 28 }; /* elements: what kernels add to an index stays an int32 */

/* How many elements input `index` has; false: none, or too many. The kernel takes all inputs. */
static bool count_of(oribi_lowering *lowering, oribi_call *call, int32_t index, int32_t *out)
{
    const int64_t count = oribi_lower_count(oribi_lower_input(lowering, call, index));
    *out = (int32_t)count;
    call->n_inputs = call->node->n_inputs;
    return (count >= 1 && count <= MOST) ||
           oribi_lower_fail(lowering, call,
                            count < 1 ? ORIBI_MICRO_INVALID : ORIBI_MICRO_TOO_LARGE);
}

/* An attribute that counts bits to shift by. */
static bool shift_of(oribi_lowering *lowering, const oribi_call *call, const char *name,
                     int32_t most, int32_t *out)
{
    *out = oribi_lower_int(call, name, 0);
    return (*out >= 0 && *out <= most) || oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

bool oribi_lower_signal_window(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_signal_window_args args = {0};
    ORIBI_TRY(count_of(lowering, call, 0, &args.count) &&
              count_of(lowering, call, 1, &args.width) &&
              shift_of(lowering, call, "shift", 31, &args.shift));
    oribi_call_overwrite(lowering, call, 0);
    return args.count % args.width == 0
               ? ORIBI_CALL_SET(lowering, call, "signal_window", signal_window, &args)
               : oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

bool oribi_lower_signal_auto_scale(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_signal_scale_args args = {0};
    ORIBI_TRY(count_of(lowering, call, 0, &args.count));
    oribi_call_overwrite(lowering, call, 0);
    return ORIBI_CALL_SET(lowering, call, "signal_auto_scale", signal_scale, &args);
}

bool oribi_lower_signal_energy(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_signal_energy_args args = {.start = oribi_lower_int(call, "start_index", 0),
                                                  .end = oribi_lower_int(call, "end_index", 0)};
    ORIBI_TRY(count_of(lowering, call, 0, &args.bins));
    args.bins /= 2;
    return args.start >= 0 && args.end <= args.bins && args.bins >= 1
               ? ORIBI_CALL_SET(lowering, call, "signal_energy", signal_energy, &args)
               : oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

bool oribi_lower_filter_bank(oribi_lowering *lowering, oribi_call *call)
{
    enum { INPUT, WEIGHTS, OTHERS, TABLES };
    int32_t n_inputs = 0, n_weights = 0, n_others = 0, n = 0;
    const int16_t *tables[3];
    const struct oribi_micro_filter_bank_args args = {oribi_lower_int(call, "num_channels", 0)};
    ORIBI_TRY(count_of(lowering, call, INPUT, &n_inputs) &&
              count_of(lowering, call, WEIGHTS, &n_weights) &&
              count_of(lowering, call, OTHERS, &n_others));
    bool fits = args.channels >= 1 && n_weights == n_others;
    for (int32_t i = 0; i < 3; i++) {
        tables[i] = oribi_lower_constant(lowering, call, TABLES + i, TF_INT16);
        ORIBI_TRY(tables[i] != NULL && count_of(lowering, call, TABLES + i, &n));
        fits = fits && n - 1 == args.channels;
    }
    fits = fits && oribi_micro_filter_bank_check(n, n_inputs, n_weights, tables[0], tables[1],
                                                 tables[2]) == ORIBI_MICRO_OK;
    return fits ? ORIBI_CALL_SET(lowering, call, "filter_bank", filter_bank, &args)
                : oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

bool oribi_lower_filter_bank_root(oribi_lowering *lowering, oribi_call *call)
{
    int32_t one = 0;
    struct oribi_micro_signal_scale_args args = {0};
    ORIBI_TRY(count_of(lowering, call, 0, &args.count) && count_of(lowering, call, 1, &one));
    return ORIBI_CALL_SET(lowering, call, "filter_bank_root", signal_scale, &args);
}

bool oribi_lower_filter_bank_log(oribi_lowering *lowering, oribi_call *call)
{
    struct oribi_micro_filter_bank_log_args args = {.scale =
                                                        oribi_lower_int(call, "output_scale", 0)};
    ORIBI_TRY(count_of(lowering, call, 0, &args.count) &&
              shift_of(lowering, call, "input_correction_bits", 31, &args.shift));
    return args.scale >= 0
               ? ORIBI_CALL_SET(lowering, call, "filter_bank_log", filter_bank_log, &args)
               : oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

bool oribi_lower_spectral_subtraction(oribi_lowering *lowering, oribi_call *call)
{
    int32_t kept = 0;
    struct oribi_micro_spectral_subtraction_args args = {
        .smoothing = oribi_lower_int(call, "smoothing", 0),
        .rest = oribi_lower_int(call, "one_minus_smoothing", 0),
        .other_smoothing = oribi_lower_int(call, "alternate_smoothing", 0),
        .other_rest = oribi_lower_int(call, "alternate_one_minus_smoothing", 0),
        .least = oribi_lower_int(call, "min_signal_remaining", 0),
        .clamps = oribi_lower_bool(call, "clamping") ? 1 : 0};
    ORIBI_TRY(count_of(lowering, call, 0, &args.count) && count_of(lowering, call, 1, &kept) &&
              shift_of(lowering, call, "smoothing_bits", 31, &args.bits) &&
              shift_of(lowering, call, "spectral_subtraction_bits", 31, &args.shift));
    oribi_call_overwrite(lowering, call, 0);
    return kept == args.count
               ? ORIBI_CALL_SET(lowering, call, "spectral_subtraction", spectral_subtraction, &args)
               : oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

bool oribi_lower_signal_gain(oribi_lowering *lowering, oribi_call *call)
{
    int32_t noise = 0, gains = 0;
    struct oribi_micro_signal_gain_args args = {0};
    ORIBI_TRY(count_of(lowering, call, 0, &args.count) && count_of(lowering, call, 1, &noise) &&
              count_of(lowering, call, 2, &gains) &&
              shift_of(lowering, call, "snr_shift", 63, &args.shift));
    oribi_call_overwrite(lowering, call, 0);
    return noise == args.count && gains >= ORIBI_MICRO_SIGNAL_GAINS
               ? ORIBI_CALL_SET(lowering, call, "signal_gain", signal_gain, &args)
               : oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
}

bool oribi_lower_overlap_add(oribi_lowering *lowering, oribi_call *call)
{
    oribi_sizes dims;
    int32_t count = 0, kept = 0;
    struct oribi_micro_overlap_add_args args = {.step = oribi_lower_int(call, "frame_step", 0)};
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &dims, NULL) &&
              count_of(lowering, call, 0, &count) && count_of(lowering, call, 1, &kept));
    if (dims.n < 2) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    args.size = dims.at[dims.n - 1];
    args.frames = dims.at[dims.n - 2];
    args.outer = count / args.size / args.frames;
    if (args.step < 1 || args.step > args.size || kept != args.outer * args.size) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    return ORIBI_CALL_SET(lowering, call,
                          x->dtype == TF_FLOAT ? "overlap_add_f32" : "overlap_add_s16", overlap_add,
                          &args);
}

/* --- Transforms ------------------------------------------------------------------------------- */

#define SET_FFT(kind, name, T)                                                                     \
    do {                                                                                           \
        const struct oribi_micro_fft_##kind##_args args = {rows, given, n, (const T *)roots};      \
        ORIBI_TRY(                                                                                 \
            ORIBI_CALL_SET(lowering, call, is_inverse ? "i" name : name, fft_##kind, &args));      \
        ORIBI_CALL_PLACE(call, &args, roots, oribi_micro_fft_roots_count(n));                      \
    } while (0)

static bool transform(oribi_lowering *lowering, oribi_call *call, bool is_inverse)
{
    oribi_sizes dims;
    int32_t count = 0;
    const int32_t n = oribi_lower_int(call, "fft_length", 0);
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &dims, NULL) &&
              count_of(lowering, call, 0, &count));
    const int32_t given = dims.n < 1 ? 0 : dims.at[dims.n - 1],
                  rows = count / (given + (given < 1));
    if (given < 1 || n < ORIBI_MICRO_FFT_LEAST || n > ORIBI_MICRO_FFT_MOST || (n & (n - 1)) != 0 ||
        given > (is_inverse ? n + 2 : n) || rows > MOST / (n + 2)) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    const int32_t kind = oribi_element_kind_of(x->dtype);
    void *roots = oribi_claim_array(lowering->arena, (size_t)oribi_micro_fft_roots_count(n), 4,
                                    lowering->status);
    ORIBI_TRY(roots != NULL);
    oribi_micro_fft_roots(kind, n, is_inverse ? 1 : 0, roots);
    if (kind == ORIBI_ELEMENT_S16) {
        SET_FFT(s16, "rfft_s16", int16_t);
    } else if (kind == ORIBI_ELEMENT_S32) {
        SET_FFT(s32, "rfft_s32", int32_t);
    } else {
        SET_FFT(f32, "rfft_f32", float);
    }
    return true;
}

bool oribi_lower_rfft(oribi_lowering *lowering, oribi_call *call)
{
    return transform(lowering, call, false);
}

bool oribi_lower_irfft(oribi_lowering *lowering, oribi_call *call)
{
    return transform(lowering, call, true);
}
