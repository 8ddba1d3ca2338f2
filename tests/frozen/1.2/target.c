/* SPDX-License-Identifier: Apache-2.0 */
/* A target that writes C of its own, as an external compiler does: fully connected layers of int8
 * become functions that call somebody's library (vendor.h), with their constants aligned as it asks
 * and scratch that is planned with everything else. There is no device, so no hook is called.
 *
 *     cc -shared -fPIC $(pkg-config --cflags oribi-plugin) target.c -lm -o dense_c.so
 *     oribi compile model.tflite --plugin ./dense_c.so --target-device dense_c -o out
 *
 * The application links vendor.c.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/target.h"
#include "tensorflow/c/plugin_note.h"
#include "vendor.h"

ORIBI_PLUGIN("dense_c", "1.0", "Apache-2.0");

typedef struct dense {
    oribi_region_tensor in, filter, bias, out;
    int32_t n_in, n_out, rows;
} dense;

static int read_dense(const oribi_region *region, dense *d, TF_Status *status)
{
    oribi_region_tensor *const inputs[3] = {&d->in, &d->filter, &d->bias};
    for (int i = 0; i < 3; i++) {
        inputs[i]->struct_size = sizeof **inputs;
        oribi_region_input(region, 0, i, inputs[i], status);
        if (TF_GetCode(status) != TF_OK) {
            return 0;
        }
    }
    d->out.struct_size = sizeof d->out;
    oribi_region_output(region, 0, 0, &d->out, status);
    if (TF_GetCode(status) != TF_OK || d->filter.rank != 2 || d->filter.bytes == 0) {
        return 0;
    }
    d->n_out = (int32_t)d->filter.dims[0];
    d->n_in = (int32_t)d->filter.dims[1];
    d->rows = (int32_t)(d->in.bytes / (size_t)d->n_in);
    return 1;
}

static int32_t supports(void *user, const oribi_region *region, char *why, size_t why_bytes)
{
    dense d;
    TF_Status *status = TF_NewStatus();
    (void)user;
    if (!read_dense(region, &d, status)) {
        snprintf(why, why_bytes, "%s",
                 TF_GetCode(status) != TF_OK ? TF_Message(status) : "weights must be a matrix");
    } else if (d.in.dtype != TF_INT8 || d.filter.dtype != TF_INT8) {
        snprintf(why, why_bytes, "it computes int8 only");
    } else if (d.filter.constant == NULL || d.bias.constant == NULL) {
        snprintf(why, why_bytes, "weights and bias must be constant");
    }
    TF_DeleteStatus(status);
    return why[0] == '\0';
}

/* --- Constants -------------------------------------------------------------------------------- */

/* real = multiplier * 2^(shift - 31). */
static void fixed_point(double real, int32_t *out_multiplier, int32_t *out_shift)
{
    int shift = 0;
    int64_t fixed = llround(frexp(real, &shift) * 2147483648.0);
    if (fixed == INT64_C(2147483648)) {
        fixed /= 2;
        shift++;
    }
    *out_multiplier = shift < -31 ? 0 : (int32_t)fixed;
    *out_shift = shift < -31 ? 0 : shift;
}

/* bias (with the input's zero point taken out), multiplier, shift: n_out of each. */
static void fill_words(const oribi_region *region, const dense *d, int32_t *words,
                       TF_Status *status)
{
    const double in = (double)oribi_region_attr_float(region, 0, "input_scale", status);
    const double out = (double)oribi_region_attr_float(region, 0, "output_scale", status);
    const int32_t zero = (int32_t)oribi_region_attr_int(region, 0, "input_zero", status);
    const int8_t *weights = d->filter.constant;
    float *scales = calloc((size_t)d->n_out, sizeof *scales);
    if (scales == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for the scales of the weights");
        return;
    }
    const int32_t n_scales =
        oribi_region_attr_floats(region, 0, "filter_scales", scales, d->n_out, status);
    memcpy(words, d->bias.constant, (size_t)d->n_out * sizeof *words);
    for (int32_t j = 0; j < d->n_out && TF_GetCode(status) == TF_OK; j++) {
        for (int32_t i = 0; i < d->n_in; i++) {
            words[j] -= zero * weights[j * d->n_in + i];
        }
        fixed_point(in * (double)scales[n_scales == 1 ? 0 : j] / out, &words[d->n_out + j],
                    &words[2 * d->n_out + j]);
    }
    free(scales);
}

/* --- Code ------------------------------------------------------------------------------------- */

static int32_t clamp_s8(double value)
{
    return value < -128 ? -128 : value > 127 ? 127 : (int32_t)value;
}

static void bounds(const oribi_region *region, int32_t *out_zero, int32_t *out_low,
                   int32_t *out_high, TF_Status *status)
{
    const double scale = (double)oribi_region_attr_float(region, 0, "output_scale", status);
    const char *name = oribi_region_attr_string(region, 0, "activation", status);
    *out_zero = (int32_t)oribi_region_attr_int(region, 0, "output_zero", status);
    *out_low = -128;
    *out_high = 127;
    if (name != NULL && strcmp(name, "NONE") != 0) {
        const int is_symmetric = strcmp(name, "RELU_N1_TO_1") == 0;
        *out_low = clamp_s8(*out_zero + round((is_symmetric ? -1 : 0) / scale));
        *out_high = strcmp(name, "RELU6") == 0 ? clamp_s8(*out_zero + round(6 / scale))
                    : is_symmetric             ? clamp_s8(*out_zero + round(1 / scale))
                                               : 127;
    }
}

static void write_body(const dense *d, const int32_t *output, size_t weights, size_t words,
                       oribi_target_code *code, TF_Status *status)
{
    char body[1200];
    const int n = d->n_out;
    snprintf(body, sizeof body,
             "    const uint8_t *const params = (const uint8_t *)call->params;\n"
             "    const int8_t *const weights = (const int8_t *)(params + %zuu);\n"
             "    const int32_t *const words = (const int32_t *)(const void *)(params + %zuu);\n"
             "    const int8_t *const x = (const int8_t *)call->tensors[0].data;\n"
             "    int8_t *const y = (int8_t *)call->tensors[1].data;\n"
             "    int32_t *const sums = (int32_t *)call->tensors[2].data; /* scratch */\n"
             "    int32_t code = 0;\n"
             "    (void)resource_handle;\n"
             "    for (int32_t row = 0; row < %d && code == 0; row++) {\n"
             "        code = vendor_dense_s8(x + row * %d, weights, words, %d, %d, sums);\n"
             "        if (code == 0) {\n"
             "            vendor_requantise_s8(sums, words + %d, words + %d, %d, %d, %d, %d,\n"
             "                                 y + row * %d);\n"
             "        }\n"
             "    }\n"
             "    return code;",
             weights, words, (int)d->rows, (int)d->n_in, (int)d->n_in, n, n, 2 * n, n,
             (int)output[0], (int)output[1], (int)output[2], n);
    oribi_target_set_body(code, "#include \"vendor.h\"", body, status);
}

static void write_code(void *user, const oribi_region *region, oribi_target_code *code,
                       TF_Status *status)
{
    dense d;
    int32_t output[3];
    (void)user;
    if (!read_dense(region, &d, status)) {
        return;
    }
    const size_t bytes = (size_t)d.n_out * 3 * sizeof(int32_t);
    int32_t *words = malloc(bytes);
    if (words == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for the constants of a layer");
        return;
    }
    fill_words(region, &d, words, status);
    bounds(region, &output[0], &output[1], &output[2], status);
    if (TF_GetCode(status) == TF_OK) {
        const size_t at = oribi_target_add_constant(code, words, bytes, 4, status);
        const size_t weights = oribi_target_add_constant(code, d.filter.constant, d.filter.bytes,
                                                         VENDOR_WEIGHTS_ALIGNMENT, status);
        oribi_target_set_scratch(code, (size_t)d.n_out * sizeof(int32_t));
        if (TF_GetCode(status) == TF_OK) {
            write_body(&d, output, weights, at, code, status);
        }
    }
    free(words);
}

static const char *const ops[] = {"Oribi>QFullyConnected"};
static const oribi_target_pattern patterns[] = {
    {sizeof(oribi_target_pattern), "fully_connected", ops, 1, supports, NULL, write_code, NULL},
};
static const oribi_target dense_c = {
    .struct_size = sizeof(oribi_target),
    .name = "dense_c",
    .device_type = 1, /* the CPU: DLPack's number */
    .patterns = patterns,
    .n_patterns = 1,
};
TVM_REGISTER_TARGET_KIND(dense_c);
