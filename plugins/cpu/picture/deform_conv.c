/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>DeformConv: a convolution of pictures [n, c, h, w] whose taps lie at computed places between
 * the elements. The places are sampled once for all output channels, into columns, then multiplied.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/optional.h"

#include <math.h>

enum { X, W, OFFSET, BIAS, MASK, N_INPUTS, BLOCK = 64 };

typedef struct deform_state {
    int input[N_INPUTS];
    int64_t strides[2], dilations[2], pads[4], groups, offset_groups;
} deform_state;

static void read_list(oribi_kit_setup *setup, const char *name, int n, int64_t absent, int64_t *out)
{
    int count = 0;
    oribi_kit_attr_ints(setup, name, out, n, &count);
    for (int i = 0; count == 0 && i < n; i++) {
        out[i] = absent;
    }
    for (int i = 0; i < n; i++) {
        if ((count != 0 && count != n) || out[i] < absent || out[i] > INT32_MAX) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                       "%s needs %d numbers from %lld to 2^31", name, n,
                                       (long long)absent);
        }
    }
}

static void deform_read(oribi_kit_setup *setup, deform_state *state)
{
    read_list(setup, "strides", 2, 1, state->strides);
    read_list(setup, "dilations", 2, 1, state->dilations);
    read_list(setup, "pads", 4, 0, state->pads);
    oribi_kit_attr_int(setup, "group", &state->groups);
    oribi_kit_attr_int(setup, "offset_group", &state->offset_groups);
    oribi_cpu_read_present(setup, N_INPUTS, 3, state->input);
}
ORIBI_KIT_CREATE(deform, deform_state)

typedef struct deform_call {
    const deform_state *state;
    const void *x, *w, *offset, *bias, *mask;
    void *y, *columns; /* columns: [c * taps, pixels] of one picture */
    int64_t channels, outputs, depth, picture, pixels;
    oribi_geometry_window axes[2];
} deform_call;

/* Where a tap of one output pixel looks: the elements around it that are inside. */
typedef struct spots {
    int n;
    int64_t at[4];
    double weight[4];
} spots;

static void find_spots(int64_t h, int64_t w, double y, double x, spots *out)
{
    out->n = 0;
    if (!(y > -1 && y < (double)h && x > -1 && x < (double)w)) {
        return;
    }
    const int64_t row = (int64_t)floor(y), column = (int64_t)floor(x);
    for (int64_t i = row < 0 ? 0 : row; i <= row + 1 && i < h; i++) {
        for (int64_t j = column < 0 ? 0 : column; j <= column + 1 && j < w; j++) {
            out->at[out->n] = i * w + j;
            out->weight[out->n++] = (1 - fabs(y - (double)i)) * (1 - fabs(x - (double)j));
        }
    }
}

/* Unit of the columns: a tap of a group of offsets, all its channels. Unit of the product: BLOCK
 * pixels of an output channel. */
#define LOOPS(T)                                                                                   \
    static void columns_##T(void *object, int64_t begin, int64_t end)                              \
    {                                                                                              \
        const deform_call *c = object;                                                             \
        const oribi_geometry_window *v = &c->axes[0], *u = &c->axes[1];                            \
        const int64_t taps = v->taps * u->taps, groups = c->state->offset_groups;                  \
        const int64_t each = c->channels / groups, plane = v->in * u->in;                          \
        for (int64_t unit = begin; unit < end; unit++) {                                           \
            const int64_t first = unit / taps * each, tap = unit % taps;                           \
            const int64_t field = c->picture * groups * taps + unit;                               \
            const T *offset = (const T *)c->offset + 2 * field * c->pixels;                        \
            const T *mask = c->mask == NULL ? NULL : (const T *)c->mask + field * c->pixels;       \
            const T *x = (const T *)c->x + (c->picture * c->channels + first) * plane;             \
            T *out = (T *)c->columns + (first * taps + tap) * c->pixels;                           \
            for (int64_t i = 0; i < c->pixels; i++) {                                              \
                const int64_t y =                                                                  \
                    i / u->out * v->stride - v->before + tap / u->taps * v->dilation;              \
                const int64_t z =                                                                  \
                    i % u->out * u->stride - u->before + tap % u->taps * u->dilation;              \
                spots s;                                                                           \
                find_spots(v->in, u->in, (double)y + (double)offset[i],                            \
                           (double)z + (double)offset[c->pixels + i], &s);                         \
                for (int64_t channel = 0; channel < each; channel++) {                             \
                    double sum = 0;                                                                \
                    for (int k = 0; k < s.n; k++) {                                                \
                        sum += s.weight[k] * (double)x[channel * plane + s.at[k]];                 \
                    }                                                                              \
                    out[channel * taps * c->pixels + i] =                                          \
                        (T)(mask == NULL ? sum : sum * (double)mask[i]);                           \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void product_##T(void *object, int64_t begin, int64_t end)                              \
    {                                                                                              \
        const deform_call *c = object;                                                             \
        const int64_t blocks = (c->pixels + BLOCK - 1) / BLOCK;                                    \
        for (int64_t unit = begin; unit < end; unit++) {                                           \
            const int64_t output = unit / blocks, pixel = unit % blocks * BLOCK;                   \
            const int64_t n = c->pixels - pixel < BLOCK ? c->pixels - pixel : BLOCK;               \
            const int64_t group = output / (c->outputs / c->state->groups);                        \
            const T *w = (const T *)c->w + output * c->depth;                                      \
            const T *columns = (const T *)c->columns + group * c->depth * c->pixels + pixel;       \
            double sums[BLOCK];                                                                    \
            for (int64_t i = 0; i < n; i++) {                                                      \
                sums[i] = c->bias == NULL ? 0 : (double)((const T *)c->bias)[output];              \
            }                                                                                      \
            for (int64_t k = 0; k < c->depth; k++) {                                               \
                for (int64_t i = 0; i < n; i++) {                                                  \
                    sums[i] += (double)w[k] * (double)columns[k * c->pixels + i];                  \
                }                                                                                  \
            }                                                                                      \
            T *y = (T *)c->y + (c->picture * c->outputs + output) * c->pixels + pixel;             \
            for (int64_t i = 0; i < n; i++) {                                                      \
                y[i] = (T)sums[i];                                                                 \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void deform_##T##_compute(void *state, TF_OpKernelContext *context)                     \
    {                                                                                              \
        deform_compute(state, context, sizeof(T), columns_##T, product_##T);                       \
    }

static bool is_of(const oribi_cpu_shape *shape, int64_t a, int64_t b, int64_t c, int64_t d)
{
    return shape->n == 4 && shape->at[0] == a && shape->at[1] == b && shape->at[2] == c &&
           shape->at[3] == d;
}

static bool take_shapes(oribi_kit_run *run, deform_call *c, oribi_cpu_shape *out)
{
    oribi_cpu_shape x, w, offset, mask;
    const deform_state *s = c->state;
    const int *at = s->input;
    if (!oribi_cpu_input_shape(run, X, &x) || !oribi_cpu_input_shape(run, W, &w) ||
        !oribi_cpu_input_shape(run, OFFSET, &offset) ||
        (at[MASK] >= 0 && !oribi_cpu_input_shape(run, at[MASK], &mask))) {
        return false;
    }
    if (x.n != 4 || w.n != 4 || s->groups < 1 || s->offset_groups < 1 || s->groups > INT32_MAX ||
        s->offset_groups > INT32_MAX || x.at[1] % s->offset_groups != 0 ||
        w.at[0] % s->groups != 0 || x.at[1] % s->groups != 0 || x.at[1] / s->groups != w.at[1]) {
        return oribi_kit_fail(
            run, TF_INVALID_ARGUMENT,
            "pictures %s, weights %s, %lld groups and %lld of offsets do not fit: "
            "both groups must divide the channels",
            oribi_cpu_shape_text(&x).chars, oribi_cpu_shape_text(&w).chars, (long long)s->groups,
            (long long)s->offset_groups);
    }
    *out = x;
    out->at[1] = w.at[0];
    for (int k = 0; k < 2; k++) {
        c->axes[k] = (oribi_geometry_window){.in = x.at[2 + k],
                                             .taps = w.at[2 + k],
                                             .stride = s->strides[k],
                                             .dilation = s->dilations[k],
                                             .padding = ORIBI_GEOMETRY_EXPLICIT,
                                             .before = s->pads[k],
                                             .after = s->pads[k + 2]};
        if (!oribi_cpu_slide(run, k == 0 ? "rows" : "columns", &c->axes[k])) {
            return false;
        }
        out->at[2 + k] = c->axes[k].out;
    }
    const int64_t fields = s->offset_groups * w.at[2] * w.at[3];
    if (!is_of(&offset, x.at[0], 2 * fields, out->at[2], out->at[3]) ||
        (at[MASK] >= 0 && !is_of(&mask, x.at[0], fields, out->at[2], out->at[3])) ||
        (at[BIAS] >= 0 && TF_TensorElementCount(run->in[at[BIAS]]) != w.at[0])) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "offsets %s, mask or bias do not fit an output %s of weights %s",
                              oribi_cpu_shape_text(&offset).chars, oribi_cpu_shape_text(out).chars,
                              oribi_cpu_shape_text(&w).chars);
    }
    c->channels = x.at[1];
    c->outputs = w.at[0];
    c->depth = w.at[1] * w.at[2] * w.at[3];
    c->pixels = out->at[2] * out->at[3];
    return true;
}

static const void *data_of(const oribi_kit_run *run, int place)
{
    return place < 0 ? NULL : TF_TensorData(run->in[place]);
}

static bool deform(oribi_kit_run *run, deform_call *c, size_t width, TF_Tensor **memory,
                   oribi_kit_range columns, oribi_kit_range product)
{
    oribi_cpu_shape out;
    int64_t count = 0, room = 0;
    if (!take_shapes(run, c, &out) || !oribi_cpu_count(run, out.at, 4, &count)) {
        return false;
    }
    const int64_t taps = c->axes[0].taps * c->axes[1].taps;
    const int64_t lines[] = {c->channels, taps, c->pixels, (int64_t)width};
    c->x = TF_TensorData(run->in[X]);
    c->w = TF_TensorData(run->in[W]);
    c->offset = TF_TensorData(run->in[OFFSET]);
    c->bias = data_of(run, c->state->input[BIAS]);
    c->mask = data_of(run, c->state->input[MASK]);
    c->y = oribi_kit_output(run, 0, out.at, 4);
    if (c->y == NULL || count == 0) {
        return c->y != NULL;
    }
    if (!oribi_cpu_count(run, lines, 4, &room) ||
        (c->columns = oribi_kit_scratch(run, room + 1, memory)) == NULL) {
        return false;
    }
    for (c->picture = 0; c->picture < out.at[0] && oribi_kit_is_ok(run); c->picture++) {
        const int64_t groups = c->state->offset_groups, blocks = (c->pixels + BLOCK - 1) / BLOCK;
        oribi_kit_parallel(run, groups * taps, c->pixels * (20 + c->channels / groups * 6), c,
                           columns);
        oribi_kit_parallel(run, c->outputs * blocks, c->depth * BLOCK, c, product);
    }
    return oribi_kit_is_ok(run);
}

static void deform_compute(const deform_state *state, TF_OpKernelContext *context, size_t width,
                           oribi_kit_range columns, oribi_kit_range product)
{
    oribi_kit_run run;
    deform_call c = {.state = state};
    TF_Tensor *memory = NULL;
    const int n = TF_NumInputs(context);
    if (oribi_kit_begin(&run, context, n > N_INPUTS ? N_INPUTS : n)) {
        (void)deform(&run, &c, width, &memory, columns, product);
    }
    TF_DeleteTensor(memory);
    oribi_kit_end(&run);
}
LOOPS(float)
LOOPS(double)

#define ROW(T, dtype)                                                                              \
    ORIBI_CPU_STATE_ROW("ONNX>DeformConv", deform, deform_##T,                                     \
                        "columns of sampled elements, plain loops", ORIBI_CPU_OF(dtype))
const oribi_cpu_kernel oribi_cpu_deform_conv_kernels[] = {
    ROW(float, TF_FLOAT),
    ROW(double, TF_DOUBLE),
    {.op_name = NULL},
};
