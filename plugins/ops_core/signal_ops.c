/* SPDX-License-Identifier: Apache-2.0 */
/* What works on signals: Fourier transforms, parts of complex numbers, windows, the matrix of mel
 * bands. */
#include <inttypes.h>

#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

/* The number that optional input `place` holds; `absent` where it is absent, false in *out_known
 * where it is not known. */
static bool optional_int(oribi_ops_ctx *ctx, int place, int64_t absent, int64_t *out,
                         bool *out_known, TF_Status *status)
{
    *out = absent;
    *out_known = true;
    return place < 0 || oribi_ops_input_int(ctx, place, out, out_known, status);
}

/* Axis, length, and the parts of numbers: [..., n, ..., 1 or 2]. */
static void dft(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x;
    int inputs[3];
    int64_t axis, length, inverse, onesided, attr_axis, since;
    bool has_axis, has_length;
    if (!oribi_ops_present(ctx, 3, 1, inputs, status) || !oribi_ops_input(ctx, 0, &x, status) ||
        x.n < 0 || !oribi_ops_at_least(&x, 2, status) ||
        !oribi_ops_attr_int(ctx, "inverse", &inverse, status) ||
        !oribi_ops_attr_int(ctx, "onesided", &onesided, status) ||
        !oribi_ops_attr_int(ctx, "axis", &attr_axis, status) ||
        !oribi_ops_attr_int(ctx, "since_version", &since, status) ||
        !optional_int(ctx, inputs[1], -1, &length, &has_length, status) ||
        !optional_int(ctx, inputs[2], since >= 20 ? -2 : attr_axis, &axis, &has_axis, status)) {
        return;
    }
    const bool is_half = inverse != 0 && onesided != 0; /* x has half of the numbers */
    if (!has_axis) {
        oribi_ops_set_unknown_dims(&x, x.n);
    } else if (!oribi_ops_axis(axis, x.n, &axis, status)) {
        return;
    } else if (axis == x.n - 1) {
        oribi_ops_fail(status, "axis %" PRId64 " has the parts of complex numbers", axis);
        return;
    } else {
        int64_t *dim = &x.at[axis];
        if (inputs[1] >= 0) {
            *dim = has_length ? length : -1;
        } else if (is_half && *dim == 0) {
            *dim = -1;
        } else if (is_half && *dim > 0 && !oribi_ops_multiply(*dim - 1, 2, dim, status)) {
            return;
        }
        *dim = *dim >= 0 && onesided != 0 && !is_half ? *dim / 2 + 1 : *dim;
    }
    x.at[x.n - 1] = is_half ? 1 : 2;
    oribi_ops_output(ctx, 0, &x, status);
}

static void stft(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape x, window;
    int inputs[4];
    int64_t step, length, onesided, frames = -1;
    bool has_step, has_length;
    if (!oribi_ops_present(ctx, 4, 2, inputs, status) || !oribi_ops_input(ctx, 0, &x, status) ||
        !oribi_ops_attr_int(ctx, "onesided", &onesided, status) ||
        !oribi_ops_input_int(ctx, 1, &step, &has_step, status) ||
        !optional_int(ctx, inputs[3], -1, &length, &has_length, status)) {
        return;
    }
    if (inputs[3] < 0 && inputs[2] >= 0) {
        if (!oribi_ops_input_rank(ctx, inputs[2], 1, &window, status)) {
            return;
        }
        length = window.at[0];
    }
    length = has_length ? length : -1;
    if (has_step && step > 0 && length >= 0 && x.n >= 2 && x.at[1] >= length) {
        frames = (x.at[1] - length) / step + 1;
    }
    const int64_t bins = length < 0 ? -1 : onesided != 0 ? length / 2 + 1 : length;
    oribi_ops_output_dims(ctx, 0, 4, (const int64_t[]){x.n < 1 ? -1 : x.at[0], frames, bins, 2},
                          status);
}

static void window(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t size;
    bool is_known;
    if (oribi_ops_input_int(ctx, 0, &size, &is_known, status)) {
        oribi_ops_output_dims(ctx, 0, 1, (const int64_t[]){is_known ? size : -1}, status);
    }
}

static void mel_weight_matrix(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t bands, length;
    bool has_bands, has_length;
    if (oribi_ops_input_int(ctx, 0, &bands, &has_bands, status) &&
        oribi_ops_input_int(ctx, 1, &length, &has_length, status)) {
        const int64_t bins = has_length && length >= 0 ? length / 2 + 1 : -1;
        oribi_ops_output_dims(ctx, 0, 2, (const int64_t[]){bins, has_bands ? bands : -1}, status);
    }
}

/* Planes, of which half of the last dimension is kept. */
/* Of the last `axes` dimensions. */
static void rfft(oribi_ops_ctx *ctx, int axes, TF_Status *status)
{
    oribi_ops_shape x, lengths;
    oribi_wide_dims known;
    if (!oribi_ops_input(ctx, 0, &x, status) || !oribi_ops_at_least(&x, axes, status) ||
        !oribi_ops_input_rank(ctx, 1, 1, &lengths, status) ||
        !oribi_ops_merge_dim(&lengths.at[0], axes, status) ||
        !oribi_ops_input_list(ctx, 1, &known, status)) {
        return;
    }
    for (int i = 0; x.n >= axes && i < axes; i++) {
        const int64_t n = known.n == axes ? known.at[i] : -1;
        x.at[x.n - axes + i] = i < axes - 1 || n <= 0 ? n : n / 2 + 1;
    }
    oribi_ops_output(ctx, 0, &x, status);
}

static void rfft_2d(oribi_ops_ctx *ctx, TF_Status *status)
{
    rfft(ctx, 2, status);
}

static void rfft_1d(oribi_ops_ctx *ctx, TF_Status *status)
{
    rfft(ctx, 1, status);
}

#define COMPLEX "{complex64, complex128} = DT_COMPLEX64"
#define REAL    "{float, double} = DT_FLOAT"
#define PART(op, in, out)                                                                          \
    {                                                                                              \
        .name = op, .inputs = in ": T", .outputs = out ": Tout",                                   \
        .attrs = "T: " COMPLEX "; Tout: " REAL, .traits = "elementwise",                           \
        .shape = oribi_ops_shape_unchanged                                                         \
    }
#define OPTIONAL "Tinputs: list(type) >= 1; present: list(bool) = []"
#define WINDOW(op)                                                                                 \
    {                                                                                              \
        .name = op, .inputs = "size: Tsize", .outputs = "output: output_datatype",                 \
        .attrs = "Tsize: " ORIBI_OPS_INDEX                                                         \
                 "; output_datatype: realnumbertype = DT_FLOAT; periodic: int = 1; "               \
                 "since_version: int = 0",                                                         \
        .traits = "parameters(size)", .shape = window                                              \
    }

const oribi_ops_row oribi_ops_signal[] = {
    {.name = "ONNX>DFT",
     .inputs = "inputs: Tinputs",
     .outputs = "output: T",
     /* axis: an input since opset 20, -2 where it is absent. */
     .attrs = "T: " ORIBI_OPS_FLOATS "; " OPTIONAL
              "; axis: int = 1; inverse: int = 0; onesided: int = 0; since_version: int = 0",
     .shape = dft},
    {.name = "ONNX>STFT",
     .inputs = "inputs: Tinputs",
     .outputs = "output: T",
     .attrs = "T: " ORIBI_OPS_FLOATS "; " OPTIONAL "; onesided: int = 1; since_version: int = 0",
     .shape = stft},
    WINDOW("ONNX>HannWindow"),
    WINDOW("ONNX>HammingWindow"),
    WINDOW("ONNX>BlackmanWindow"),
    {.name = "ONNX>MelWeightMatrix",
     .inputs = "num_mel_bins: T1; dft_length: T1; sample_rate: T1; lower_edge_hertz: T2; "
               "upper_edge_hertz: T2",
     .outputs = "output: output_datatype",
     .attrs = "T1: " ORIBI_OPS_INDEX "; T2: " ORIBI_OPS_FLOATS
              "; output_datatype: realnumbertype = DT_FLOAT; since_version: int = 0",
     .shape = mel_weight_matrix},
    {.name = "RFFT2D",
     .inputs = "input: Treal; fft_length: int32",
     .outputs = "output: Tcomplex",
     .attrs = "Treal: " REAL "; Tcomplex: " COMPLEX,
     .traits = "parameters(fft_length)",
     .shape = rfft_2d},
    {.name = "RFFT",
     .inputs = "input: Treal; fft_length: int32",
     .outputs = "output: Tcomplex",
     .attrs = "Treal: " REAL "; Tcomplex: " COMPLEX,
     .traits = "parameters(fft_length)",
     .shape = rfft_1d},
    PART("Real", "input", "output"),
    PART("Imag", "input", "output"),
    PART("ComplexAbs", "x", "y"),
    {.name = NULL},
};
