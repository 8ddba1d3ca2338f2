/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>MaxPoolPlaces tells of each maximum where in its window it was; Oribi>MaxUnpoolPlaces puts
 * values back there. Places are floats, as MediaPipe's operators have them: row * width + column of
 * the window, and a tenth more, which the way back cuts off. Plain loops.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"

#include <float.h>
#include <string.h>

typedef struct places_state {
    oribi_geometry_padding padding;
    int64_t ksize[4], strides[4];
} places_state;

static void unpool_places_read(oribi_kit_setup *setup, places_state *state)
{
    oribi_kit_attr_ints(setup, "ksize", state->ksize, 4, NULL);
    oribi_kit_attr_ints(setup, "strides", state->strides, 4, NULL);
    for (int i = 0; i < 4 && oribi_kit_setup_is_ok(setup); i++) {
        const bool is_space = i == 1 || i == 2;
        const int64_t most = is_space ? INT32_MAX : 1;
        if (state->ksize[i] < 1 || state->ksize[i] > most || state->strides[i] < 1 ||
            state->strides[i] > most) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                       "a window of %lld every %lld along dimension %d is not "
                                       "possible",
                                       (long long)state->ksize[i], (long long)state->strides[i], i);
        }
    }
}
ORIBI_KIT_CREATE(unpool_places, places_state)

static void pool_places_read(oribi_kit_setup *setup, places_state *state)
{
    char padding[16] = "VALID";
    unpool_places_read(setup, state);
    oribi_kit_attr_string(setup, "padding", padding, sizeof padding);
    (void)oribi_geometry_read_padding(padding, &state->padding);
}
ORIBI_KIT_CREATE(pool_places, places_state)

/* The picture of input 0 and what slides over it, or over the picture that it came from. */
typedef struct places_call {
    const float *x, *from;
    float *y, *places;
    int64_t n, channels;
    oribi_geometry_window down, across;
} places_call;

static bool read_picture(oribi_kit_run *run, oribi_cpu_shape *out)
{
    return oribi_cpu_input_shape(run, 0, out) &&
           (out->n == 4 || oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %s must have rank 4",
                                          oribi_cpu_shape_text(out).chars));
}

/* --- The way down ----------------------------------------------------------------------------- */

static void find(const places_call *c, const float *picture, const oribi_geometry_taps *down,
                 const oribi_geometry_taps *across, int64_t channel, int64_t to)
{
    float most = -FLT_MAX;
    int64_t place = 0;
    for (int64_t i = down->from; i < down->to; i++) {
        for (int64_t j = across->from; j < across->to; j++) {
            const int64_t at = (down->first + i) * c->across.in + across->first + j;
            const float value = picture[at * c->channels + channel];
            if (value > most) {
                most = value;
                place = i * c->across.taps + j;
            }
        }
    }
    c->y[to] = most;
    c->places[to] = (float)place + 0.1f;
}

/* A unit is a line of the result. */
static void pool_lines(void *object, int64_t begin, int64_t end)
{
    const places_call *c = object;
    for (int64_t line = begin; line < end; line++) {
        const float *picture = c->x + line / c->down.out * c->down.in * c->across.in * c->channels;
        const oribi_geometry_taps down =
            oribi_geometry_taps_of(&c->down, line % c->down.out, c->down.in);
        for (int64_t column = 0; column < c->across.out; column++) {
            const oribi_geometry_taps across =
                oribi_geometry_taps_of(&c->across, column, c->across.in);
            for (int64_t k = 0; k < c->channels; k++) {
                find(c, picture, &down, &across, k,
                     (line * c->across.out + column) * c->channels + k);
            }
        }
    }
}

static bool pool_places_run(const places_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape in;
    int64_t count = 0;
    if (!read_picture(run, &in)) {
        return false;
    }
    places_call c = {.x = TF_TensorData(run->in[0]), .n = in.at[0], .channels = in.at[3]};
    oribi_geometry_window *const axes[] = {&c.down, &c.across};
    for (int i = 0; i < 2; i++) {
        *axes[i] = (oribi_geometry_window){.in = in.at[i + 1],
                                           .taps = state->ksize[i + 1],
                                           .stride = state->strides[i + 1],
                                           .dilation = 1,
                                           .padding = state->padding};
        if (!oribi_cpu_slide(run, i == 0 ? "height" : "width", axes[i])) {
            return false;
        }
    }
    const int64_t dims[4] = {c.n, c.down.out, c.across.out, c.channels};
    if (!oribi_cpu_count(run, dims, 4, &count)) {
        return false;
    }
    c.y = oribi_kit_output(run, 0, dims, 4);
    c.places = c.y == NULL ? NULL : oribi_kit_output(run, 1, dims, 4);
    if (c.places != NULL && count > 0) {
        const int64_t taps = (c.down.taps < c.down.in ? c.down.taps : c.down.in) *
                             (c.across.taps < c.across.in ? c.across.taps : c.across.in);
        oribi_kit_parallel(run, c.n * c.down.out, c.across.out * c.channels * (taps + 4), &c,
                           pool_lines);
    }
    return c.places != NULL;
}
ORIBI_KIT_COMPUTE(pool_places, 1)

/* --- The way back ----------------------------------------------------------------------------- */

/* The whole of a place; -1: it is none. */
static int64_t whole(float place)
{
    return place >= 0.0f && place < 2147483648.0f ? (int64_t)place : -1;
}

/* A unit is one picture: later values replace earlier ones, in the order of the pooled picture. */
static void unpool_pictures(void *object, int64_t begin, int64_t end)
{
    const places_call *c = object;
    const int64_t many = c->down.out * c->across.out * c->channels,
                  large = c->down.in * c->across.in * c->channels;
    memset(c->y + begin * large, 0, (size_t)((end - begin) * large) * sizeof *c->y);
    for (int64_t i = begin * many; i < end * many; i++) {
        const int64_t column = i / c->channels % c->across.out;
        const int64_t row = i / c->channels / c->across.out % c->down.out;
        const int64_t place = whole(c->from[i]);
        const int64_t x = column * c->across.stride - c->across.before + place % c->across.taps;
        const int64_t y = row * c->down.stride - c->down.before + place / c->across.taps;
        if (place >= 0 && x >= 0 && x < c->across.in && y >= 0 && y < c->down.in) {
            const int64_t at = i / many * large + (y * c->across.in + x) * c->channels;
            c->y[at + i % c->channels] = c->x[i];
        }
    }
}

static bool unpool_places_run(const places_state *state, oribi_kit_run *run)
{
    oribi_cpu_shape in, places;
    int64_t dims[4], count = 0;
    if (!read_picture(run, &in) || !oribi_cpu_input_shape(run, 1, &places)) {
        return false;
    }
    bool fits = oribi_cpu_shape_equal(&in, &places);
    for (int i = 0; fits && i < 4; i++) {
        fits = !__builtin_mul_overflow(in.at[i], state->ksize[i], &dims[i]);
    }
    if (!fits) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "values %s and places %s differ in shape, or are too many",
                              oribi_cpu_shape_text(&in).chars, oribi_cpu_shape_text(&places).chars);
    }
    if (!oribi_cpu_count(run, dims, 4, &count)) {
        return false;
    }
    places_call c = {.x = TF_TensorData(run->in[0]),
                     .from = TF_TensorData(run->in[1]),
                     .n = in.at[0],
                     .channels = in.at[3]};
    oribi_geometry_window *const axes[] = {&c.down, &c.across};
    for (int i = 0; i < 2; i++) {
        oribi_geometry_window *w = axes[i];
        *w = (oribi_geometry_window){.in = dims[i + 1],
                                     .out = in.at[i + 1],
                                     .taps = state->ksize[i + 1],
                                     .stride = state->strides[i + 1],
                                     .dilation = 1};
        const int64_t beyond = (w->out - 1) * w->stride + w->taps - w->in;
        w->before = beyond > 0 ? beyond / 2 : 0;
    }
    c.y = oribi_kit_output(run, 0, dims, 4);
    if (c.y != NULL && count > 0) {
        oribi_kit_parallel(run, c.n, count / c.n * 2, &c, unpool_pictures);
    }
    return c.y != NULL;
}
ORIBI_KIT_COMPUTE(unpool_places, 2)

const oribi_cpu_kernel oribi_cpu_pool_places_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>MaxPoolPlaces", pool_places, pool_places, "plain loops"),
    ORIBI_CPU_STATE_ROW("Oribi>MaxUnpoolPlaces", unpool_places, unpool_places, "plain loops"),
    {.op_name = NULL},
};
