/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>DFT and ONNX>STFT: lines of real or complex numbers, gathered into double, transformed
 * (fourier.h), written back. The last dim is 1 or 2: the real and the imaginary part.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/optional.h"
#include "cpu/signal/fourier.h"

#include <string.h>

enum { SIGNAL, SECOND, THIRD, FOURTH, MOST_WORKERS = 64, LOOK = 1000000 };

typedef struct dft_state {
    int input[4]; /* DFT: input, dft_length, axis; STFT: signal, frame_step, window, frame_length */
    int64_t axis;
    bool is_inverse, is_onesided, is_double;
} dft_state;

static void read_common(oribi_kit_setup *setup, dft_state *state)
{
    int64_t onesided = 0;
    TF_DataType type = TF_FLOAT;
    oribi_kit_attr_type(setup, "T", &type);
    oribi_kit_attr_int(setup, "onesided", &onesided);
    state->is_onesided = onesided != 0;
    state->is_double = type == TF_DOUBLE;
}

static void dft_read(oribi_kit_setup *setup, dft_state *state)
{
    int64_t inverse = 0, since = 0;
    read_common(setup, state);
    oribi_kit_attr_int(setup, "since_version", &since);
    oribi_kit_attr_int(setup, "inverse", &inverse);
    oribi_kit_attr_int(setup, "axis", &state->axis);
    state->axis = since >= 20 ? -2 : state->axis; /* of an absent input */
    state->is_inverse = inverse != 0;
    oribi_cpu_read_present(setup, 3, 1, state->input);
}
ORIBI_KIT_CREATE(dft, dft_state)

static void stft_read(oribi_kit_setup *setup, dft_state *state)
{
    read_common(setup, state);
    oribi_cpu_read_present(setup, 4, 2, state->input);
}
ORIBI_KIT_CREATE(stft, dft_state)

/* One call. A line is numbered (outer, frame, inner): frame f of a signal starts at f * step. */
typedef struct dft_call {
    oribi_fourier fourier;
    const void *x, *window; /* window: `given` numbers, or NULL */
    void *y;
    bool is_double, is_inverse, is_half_known; /* half known: half + 1 numbers of a real signal */
    int64_t have, inner, parts;                /* of the signal: numbers, and what lies inside */
    int64_t frames, step, given;               /* numbers of a frame that are read */
    int64_t put, put_parts;                    /* numbers of the result and their parts */
    int64_t lines, first, end;                 /* all, and of the share that is being done */
    int64_t workers, room;
    double *rooms;
} dft_call;

static double number(const dft_call *c, const void *data, int64_t i)
{
    return c->is_double ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void gather(const dft_call *c, int64_t line, double *out)
{
    const int64_t inner = line % c->inner, frame = line / c->inner % c->frames;
    const int64_t outer = line / c->inner / c->frames, n = c->fourier.n;
    const int64_t first = outer * c->have + frame * c->step;
    const int64_t known = c->given < n ? c->given : n;
    memset(out + 2 * known, 0, (size_t)(n - known) * 2 * sizeof(double));
    for (int64_t i = 0; i < known; i++) {
        const int64_t at = ((first + i) * c->inner + inner) * c->parts;
        const double weight = c->window == NULL ? 1 : number(c, c->window, i);
        out[2 * i] = number(c, c->x, at) * weight;
        out[2 * i + 1] = c->parts == 1 ? 0 : number(c, c->x, at + 1) * weight;
    }
    if (c->is_half_known) { /* the other half is its conjugate; real where it is its own */
        out[1] = 0;
        for (int64_t i = 1; 2 * i <= n; i++) {
            out[2 * (n - i)] = out[2 * i];
            out[2 * (n - i) + 1] = -out[2 * i + 1];
        }
        out[n % 2 == 0 ? n + 1 : 1] = 0;
    }
}

static void scatter(const dft_call *c, int64_t line, const double *from)
{
    const int64_t inner = line % c->inner, block = line / c->inner;
    const double scale = c->is_inverse ? 1 / (double)c->fourier.n : 1;
    for (int64_t i = 0; i < c->put; i++) {
        const int64_t at = ((block * c->put + i) * c->inner + inner) * c->put_parts;
        for (int64_t part = 0; part < c->put_parts; part++) {
            const double value = from[2 * i + part] * scale;
            if (c->is_double) {
                ((double *)c->y)[at + part] = value;
            } else {
                ((float *)c->y)[at + part] = (float)value;
            }
        }
    }
}

/* Worker w does each line number w of `workers`: each has memory of its own. */
static void work(void *object, int64_t begin, int64_t end)
{
    const dft_call *c = object;
    for (int64_t worker = begin; worker < end; worker++) {
        double *line = c->rooms + worker * c->room;
        for (int64_t i = c->first + worker; i < c->end; i += c->workers) {
            gather(c, i, line);
            oribi_fourier_run(&c->fourier, c->is_inverse, line, line + 2 * c->fourier.n);
            scatter(c, i, line);
        }
    }
}

static bool transform(oribi_kit_run *run, dft_call *c, int64_t n)
{
    TF_Tensor *tables = NULL, *memory = NULL;
    int64_t bytes = 0, patience = 0;
    bool good = oribi_fourier_make(run, n, &c->fourier, &tables);
    c->workers = 4 * TF_ThreadPool_NumThreads(run->context);
    c->workers = c->workers > MOST_WORKERS ? MOST_WORKERS : c->workers;
    c->workers = c->workers > c->lines ? c->lines : c->workers;
    if (good) {
        c->room = 2 * n + oribi_fourier_room(&c->fourier);
        const int64_t sizes[] = {c->workers, c->room, (int64_t)sizeof(double)};
        good = oribi_cpu_count(run, sizes, 3, &bytes) &&
               (c->rooms = oribi_kit_scratch(run, bytes, &memory)) != NULL;
    }
    /* A share at a time, so that a long run can be stopped between two. */
    for (c->end = 0; good && c->end < c->lines;) {
        const int64_t each = LOOK / c->fourier.cost + 1, left = c->lines - c->end;
        c->first = c->end;
        c->end += left < each * c->workers ? left : each * c->workers;
        oribi_kit_parallel(run, c->workers, c->fourier.cost * each, c, work);
        good = oribi_kit_is_ok(run) && !oribi_kit_stops(run, &patience, c->fourier.cost * each);
    }
    TF_DeleteTensor(memory);
    TF_DeleteTensor(tables);
    return good;
}

static bool check_parts(oribi_kit_run *run, const oribi_cpu_shape *x)
{
    const int64_t parts = x->n < 2 ? 0 : x->at[x->n - 1];
    return parts == 1 || parts == 2 ||
           oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                          "signal %s must have a last dimension of 1 (real) or 2 (complex)",
                          oribi_cpu_shape_text(x).chars);
}

static bool dft(oribi_kit_run *run, const dft_state *state)
{
    oribi_cpu_shape x, out;
    int64_t n = 0, axis_value = 0, count = 0;
    int axis = 0;
    dft_call c = {.x = TF_TensorData(run->in[SIGNAL]),
                  .is_double = state->is_double,
                  .is_inverse = state->is_inverse,
                  .frames = 1};
    if (!oribi_cpu_check_type(run, SIGNAL, "input", state->is_double ? TF_DOUBLE : TF_FLOAT) ||
        !oribi_cpu_input_shape(run, SIGNAL, &x) || !check_parts(run, &x) ||
        !oribi_cpu_optional_int(run, state->input[THIRD], "axis", state->axis, &axis_value) ||
        !oribi_cpu_axis(run, axis_value, x.n, &axis)) {
        return false;
    }
    if (axis == x.n - 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "axis %d of %s has the parts of complex numbers; a transform goes "
                              "along another",
                              axis, oribi_cpu_shape_text(&x).chars);
    }
    c.is_half_known = state->is_inverse && state->is_onesided;
    c.have = c.given = x.at[axis];
    c.parts = x.at[x.n - 1];
    if (!oribi_cpu_optional_int(run, state->input[SECOND], "dft_length",
                                c.is_half_known ? 2 * (c.have - 1) : c.have, &n)) {
        return false;
    }
    out = x;
    c.put = c.is_half_known || !state->is_onesided ? n : n / 2 + 1;
    c.put_parts = c.is_half_known ? 1 : 2;
    out.at[axis] = c.put;
    out.at[x.n - 1] = c.put_parts;
    if (n < 1 || !oribi_cpu_count(run, out.at, out.n, &count)) {
        return oribi_kit_is_ok(run)
                   ? oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                    "a transform of %lld numbers is not possible", (long long)n)
                   : false;
    }
    if (c.is_half_known && c.given > n / 2 + 1) {
        c.given = n / 2 + 1;
    }
    c.inner = oribi_cpu_product(x.at + axis + 1, x.n - axis - 2);
    c.lines = c.inner * oribi_cpu_product(x.at, axis);
    c.y = oribi_kit_output(run, 0, out.at, out.n);
    return c.y != NULL && (count == 0 || transform(run, &c, n));
}

static void dft_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    const int n = TF_NumInputs(context);
    if (oribi_kit_begin(&run, context, n > 3 ? 3 : n)) {
        (void)dft(&run, state);
    }
    oribi_kit_end(&run);
}

/* The window's numbers and the frame's length: either may be told by the other. */
static bool take_frame(oribi_kit_run *run, const dft_state *state, dft_call *c, int64_t *out_length)
{
    const int window = state->input[THIRD], length = state->input[FOURTH];
    int64_t wanted = 0;
    if (window < 0 && length < 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "STFT needs a window or a frame_length to know how long a frame is");
    }
    if (window >= 0) {
        if (!oribi_cpu_check_type(run, window, "window", c->is_double ? TF_DOUBLE : TF_FLOAT)) {
            return false;
        }
        c->window = TF_TensorData(run->in[window]);
        wanted = TF_TensorElementCount(run->in[window]);
    }
    if (!oribi_cpu_optional_int(run, length, "frame_length", wanted, out_length)) {
        return false;
    }
    if (*out_length < 1 || (window >= 0 && wanted != *out_length)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "a frame of %lld numbers is not possible with a window of %lld",
                              (long long)*out_length, (long long)wanted);
    }
    return true;
}

static bool stft(oribi_kit_run *run, const dft_state *state)
{
    oribi_cpu_shape x;
    int64_t n = 0, count = 0;
    dft_call c = {.x = TF_TensorData(run->in[SIGNAL]), .is_double = state->is_double, .inner = 1};
    if (!oribi_cpu_check_type(run, SIGNAL, "signal", state->is_double ? TF_DOUBLE : TF_FLOAT) ||
        !oribi_cpu_input_shape(run, SIGNAL, &x) ||
        !oribi_cpu_read_int(run, SECOND, "frame_step", &c.step) ||
        !take_frame(run, state, &c, &n)) {
        return false;
    }
    if (x.n == 2) { /* [batches, numbers] is real */
        (void)oribi_dims_add(&x, 1);
    }
    if (!check_parts(run, &x)) {
        return false;
    }
    if (x.n != 3 || c.step < 1 || n > x.at[1]) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "a signal %s has no frame of %lld numbers every %lld; it must be "
                              "[batches, numbers, 1 or 2]",
                              oribi_cpu_shape_text(&x).chars, (long long)n, (long long)c.step);
    }
    c.have = x.at[1];
    c.parts = x.at[2];
    c.given = n;
    c.frames = (c.have - n) / c.step + 1;
    c.put = state->is_onesided ? n / 2 + 1 : n;
    c.put_parts = 2;
    c.lines = x.at[0] * c.frames;
    const int64_t dims[] = {x.at[0], c.frames, c.put, 2};
    if (!oribi_cpu_count(run, dims, 4, &count)) {
        return false;
    }
    c.y = oribi_kit_output(run, 0, dims, 4);
    return c.y != NULL && (count == 0 || transform(run, &c, n));
}

static void stft_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    const int n = TF_NumInputs(context);
    if (oribi_kit_begin(&run, context, n > 4 ? 4 : n)) {
        (void)stft(&run, state);
    }
    oribi_kit_end(&run);
}

const oribi_cpu_kernel oribi_cpu_dft_kernels[] = {
    ORIBI_CPU_STATE_ROW("ONNX>DFT", dft, dft, "powers of two, in double",
                        .types = {{"T", ORIBI_KIT_TYPE(TF_FLOAT) | ORIBI_KIT_TYPE(TF_DOUBLE)}}),
    ORIBI_CPU_STATE_ROW("ONNX>STFT", stft, stft, "powers of two, in double",
                        .types = {{"T", ORIBI_KIT_TYPE(TF_FLOAT) | ORIBI_KIT_TYPE(TF_DOUBLE)}}),
    {.op_name = NULL},
};
