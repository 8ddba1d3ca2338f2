/* SPDX-License-Identifier: Apache-2.0 */
/* DecodeWav, and ops Oribi>Signal...: TensorFlow Lite Micro's signal library, the front end of
 * models that listen. What only moves samples (framer, delay, stacker) is made of other ops by the
 * importer.
 */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* Output 1 is the next state, as large as the last input. */
static bool put_state(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape state;
    return oribi_ops_input(ctx, 1, &state, status) && oribi_ops_output(ctx, 1, &state, status);
}

static void with_state(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    if (oribi_ops_input(ctx, 0, &x, status) && oribi_ops_output(ctx, 0, &x, status)) {
        (void)put_state(ctx, status);
    }
}

static void energy(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    if (oribi_ops_input_rank(ctx, 0, 1, &x, status) &&
        oribi_ops_divide_evenly(x.at[0], 2, &x.at[0], status)) {
        oribi_ops_output(ctx, 0, &x, status);
    }
}

static void auto_scale(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    if (oribi_ops_input(ctx, 0, &x, status) && oribi_ops_output(ctx, 0, &x, status)) {
        oribi_ops_output_dims(ctx, 1, 0, NULL, status);
    }
}

static void filter_bank(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t channels;
    if (oribi_ops_attr_int(ctx, "num_channels", &channels, status)) {
        oribi_ops_output_dims(ctx, 0, 1, &channels, status);
    }
}

static void last_dim(oribi_ops_ctx *ctx, bool is_inverse, TF_Status *status)
{
    oribi_ops_shape x;
    int64_t length;
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_at_least(&x, 1, status) ||
        !oribi_ops_attr_int(ctx, "fft_length", &length, status)) {
        return;
    }
    if (length < 0 || length > INT32_MAX) {
        oribi_ops_fail(status, "Attr 'fft_length' is out of range");
        return;
    }
    if (x.n >= 1) {
        x.at[x.n - 1] = is_inverse ? length : length / 2 * 2 + 2;
    }
    oribi_ops_output(ctx, 0, &x, status);
}

static void rfft(oribi_ops_ctx *ctx, TF_Status *status)
{
    last_dim(ctx, false, status);
}

static void irfft(oribi_ops_ctx *ctx, TF_Status *status)
{
    last_dim(ctx, true, status);
}

/* Frames of the last dimension, of which `frame_step` samples each are done. */
static void overlap_add(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    int64_t step;
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_at_least(&x, 2, status) ||
        !oribi_ops_attr_int(ctx, "frame_step", &step, status) || !put_state(ctx, status)) {
        return;
    }
    if (x.n >= 2) {
        x.n--;
        if (!oribi_ops_multiply(x.at[x.n - 1], step, &x.at[x.n - 1], status)) {
            return;
        }
    }
    oribi_ops_output(ctx, 0, &x, status);
}

/* Samples and channels of a file, unless the op says how many. */
static void decode_wav(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape contents;
    int64_t channels, samples;
    if (!oribi_ops_input_rank(ctx, 0, 0, &contents, status) ||
        !oribi_ops_attr_int(ctx, "desired_channels", &channels, status) ||
        !oribi_ops_attr_int(ctx, "desired_samples", &samples, status)) {
        return;
    }
    if (channels < -1 || samples < -1) {
        oribi_ops_fail(status, "%s must be non-negative, got %" PRId64,
                       channels < -1 ? "channels" : "samples", channels < -1 ? channels : samples);
        return;
    }
    if (oribi_ops_output_dims(ctx, 0, 2, (const int64_t[]){samples, channels}, status)) {
        oribi_ops_output_dims(ctx, 1, 0, NULL, status);
    }
}

#define FFT_TYPES "T: {int16, int32, float}"

const oribi_ops_row oribi_ops_audio[] = {
    {.name = "DecodeWav",
     .inputs = "contents: string",
     .outputs = "audio: float; sample_rate: int32",
     .attrs = "desired_channels: int = -1; desired_samples: int = -1",
     .shape = decode_wav},
    {.name = "Oribi>SignalWindow",
     .inputs = "input: int16; weights: int16",
     .outputs = "output: int16",
     .attrs = "shift: int",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>SignalEnergy",
     .inputs = "input: int16",
     .outputs = "output: uint32",
     .attrs = "start_index: int; end_index: int",
     .shape = energy},
    {.name = "Oribi>SignalFftAutoScale",
     .inputs = "input: int16",
     .outputs = "output: int16; scale_bits: int32",
     .shape = auto_scale},
    {.name = "Oribi>SignalFilterBank",
     .inputs = "input: uint32; weights: int16; unweights: int16; frequency_starts: int16; "
               "weight_starts: int16; widths: int16",
     .outputs = "output: uint64",
     .attrs = "num_channels: int",
     .shape = filter_bank},
    {.name = "Oribi>SignalFilterBankSquareRoot",
     .inputs = "input: uint64; scale_bits: int32",
     .outputs = "output: uint32",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>SignalFilterBankLog",
     .inputs = "input: uint32",
     .outputs = "output: int16",
     .attrs = "output_scale: int; input_correction_bits: int",
     .traits = "elementwise",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>SignalSpectralSubtraction",
     .inputs = "input: uint32; noise: uint32",
     .outputs = "output: uint32; next: uint32",
     .attrs = "smoothing: int; one_minus_smoothing: int; alternate_smoothing: int; "
              "alternate_one_minus_smoothing: int; smoothing_bits: int; "
              "min_signal_remaining: int; clamping: bool; spectral_subtraction_bits: int",
     .shape = with_state},
    {.name = "Oribi>SignalPcan",
     .inputs = "input: uint32; noise: uint32; gain: int16",
     .outputs = "output: uint32",
     .attrs = "snr_shift: int",
     .shape = oribi_ops_shape_unchanged},
    {.name = "Oribi>SignalRfft",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = FFT_TYPES "; fft_length: int",
     .shape = rfft},
    {.name = "Oribi>SignalIrfft",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = FFT_TYPES "; fft_length: int",
     .shape = irfft},
    {.name = "Oribi>SignalOverlapAdd",
     .inputs = "input: T; state: T",
     .outputs = "output: T; next: T",
     .attrs = "T: {int16, float}; frame_step: int",
     .shape = overlap_add},
    {.name = NULL},
};
