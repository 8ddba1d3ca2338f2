/* SPDX-License-Identifier: Apache-2.0 */
/* A quantised op, one kernel for the host and for emitted C: Com>Acme>QGain multiplies each channel
 * of an int8 tensor by a gain and gives int8 of another scale. Its prepare turns gains and scales
 * into fixed point, which lies in flash; the kernel computes with integers alone.
 *
 *     cc -shared -fPIC $(pkg-config --cflags oribi-plugin) gain.c -o gain.so
 *
 * Read first: centre.c.
 */
#include <stdlib.h>

#include "oribi/kernel_kit.h"
#include "oribi/target.h"

ORIBI_PLUGIN("gain", "1.0", "Apache-2.0");

/* emit: acme_gain.h */
#include <stdint.h>

struct acme_gain_args {
    int32_t rows, channels;
    int32_t in_zero, out_zero;
    const int32_t *multiplier; /* channels of each */
    const int8_t *shift;
};

/* to = out_zero + (from - in_zero) * gain of its channel, rounded and saturated. to may be from. */
void acme_gain(const struct acme_gain_args *args, const int8_t *from, int8_t *to);
/* emit: acme_gain.c */
#include "micro/fixed_point.h"
#include "micro/port.h"

void acme_gain(const struct acme_gain_args *args, const int8_t *from, int8_t *to)
{
    for (int32_t row = 0; row < args->rows; row++) {
        for (int32_t c = 0; c < args->channels; c++) {
            const int32_t scaled =
                oribi_micro_scale(*from++ - args->in_zero, args->multiplier[c], args->shift[c]);
            *to++ = (int8_t)oribi_micro_clamp(scaled + args->out_zero, -128, 127);
        }
        TVMGEN_YIELD();
    }
}
/* emit: end */

/* The gains as fixed point. A factor of up to 2^20 keeps all sums within 32 bits. */
static void set_gains(const float *gains, int32_t channels, double scale, oribi_target_code *code,
                      TF_Status *status)
{
    int32_t *multiplier = calloc((size_t)channels + 1, sizeof *multiplier), shift = 0;
    int8_t *shifts = calloc((size_t)channels + 1, 1);
    if (multiplier == NULL || shifts == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "there is no memory for the gains");
    }
    for (int32_t c = 0; c < channels && TF_GetCode(status) == TF_OK; c++) {
        const double factor = (double)gains[c] * scale;
        if (!(factor >= 0 && factor < 1 << 20)) {
            TF_SetStatus(status, TF_INVALID_ARGUMENT, "a gain must be 0 or more, and below 2^20");
        }
        oribi_target_multiplier(factor, &multiplier[c], &shift, status);
        shifts[c] = (int8_t)shift;
    }
    oribi_target_set_array(code, "multiplier", multiplier, (size_t)channels, status);
    oribi_target_set_array(code, "shift", shifts, (size_t)channels, status);
    free(multiplier);
    free(shifts);
}

static void prepare(void *user, const oribi_region *region, oribi_target_code *code,
                    TF_Status *status)
{
    static const int32_t taken[] = {0}; /* not the gains */
    oribi_region_tensor x = {.struct_size = sizeof x}, gains = {.struct_size = sizeof gains};
    (void)user;
    oribi_region_input(region, 0, 0, &x, status);
    if (TF_GetCode(status) == TF_OK) {
        oribi_region_input(region, 0, 1, &gains, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        return;
    }
    const int64_t channels = x.rank > 0 ? x.dims[x.rank - 1] : 0;
    if (channels < 1 || gains.constant == NULL || gains.bytes != (size_t)channels * sizeof(float) ||
        x.bytes > INT32_MAX) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT,
                     "QGain wants constant gains, one for each index of the last dimension");
        return;
    }
    const int64_t in_zero = oribi_region_attr_int(region, 0, "in_zero", status);
    const int64_t out_zero = oribi_region_attr_int(region, 0, "out_zero", status);
    const double scale = (double)oribi_region_attr_float(region, 0, "in_scale", status) /
                         (double)oribi_region_attr_float(region, 0, "out_scale", status);
    const struct acme_gain_args args = {.rows = (int32_t)((int64_t)x.bytes / channels),
                                        .channels = (int32_t)channels,
                                        .in_zero = (int32_t)in_zero,
                                        .out_zero = (int32_t)out_zero};
    if (in_zero < -128 || in_zero > 127 || out_zero < -128 || out_zero > 127) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "QGain wants zero points of int8");
        return;
    }
    oribi_target_set_arguments(code, &args, sizeof args, status);
    set_gains(gains.constant, args.channels, scale, code, status);
    oribi_target_set_inputs(code, taken, 1, status);
    oribi_target_set_in_place(code, 0, status);
    oribi_target_set_macs(code, (int64_t)x.bytes);
}

static void run(const void *args, const void *const *in, void *const *out, void *scratch)
{
    (void)scratch;
    acme_gain(args, in[0], out[0]);
}

#define GAIN_ARGS(X, type)                                                                         \
    X(type, NUMBER, rows)                                                                          \
    X(type, NUMBER, channels)                                                                      \
    X(type, NUMBER, in_zero)                                                                       \
    X(type, NUMBER, out_zero) X(type, ARRAY, multiplier) X(type, ARRAY, shift)
ORIBI_ARGS_TABLE(gain_args, struct acme_gain_args, "gain", GAIN_ARGS);
ORIBI_TARGET_SOURCE(gain_source);

static const char *const sources[] = {gain_source};
static const oribi_target_kernel kernel = {
    .struct_size = sizeof kernel,
    .op = "Com>Acme>QGain",
    .prefix = "acme_",
    .name = "gain",
    .sources = sources,
    .n_sources = 1,
    .licence = "Apache-2.0",
    .args = &gain_args,
    .prepare = prepare,
    .run = run,
};

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_kit_register_op("Com>Acme>QGain", "x: int8; gains: float", "y: int8",
                          "in_scale: float = 1.0; in_zero: int = 0; out_scale: float = 1.0; "
                          "out_zero: int = 0",
                          NULL, oribi_kit_shape_unchanged);
    oribi_target_register_kernel(&kernel, status);
    TF_DeleteStatus(status);
}
