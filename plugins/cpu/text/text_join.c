/* SPDX-License-Identifier: Apache-2.0 */
/* ReduceJoin and UnsortedSegmentJoin: the texts along axes, or of a segment, become one. */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

typedef struct join_state {
    char separator[1024];
    bool keeps_dims;
} join_state;

static void reduce_read(oribi_kit_setup *setup, join_state *state)
{
    oribi_kit_attr_string(setup, "separator", state->separator, sizeof state->separator);
    oribi_kit_attr_bool(setup, "keep_dims", &state->keeps_dims);
}
ORIBI_KIT_CREATE(reduce, join_state)

static void segment_read(oribi_kit_setup *setup, join_state *state)
{
    oribi_kit_attr_string(setup, "separator", state->separator, sizeof state->separator);
}
ORIBI_KIT_CREATE(segment, join_state)

static oribi_cpu_span separator_of(const join_state *s)
{
    return (oribi_cpu_span){s->separator, strlen(s->separator)};
}

/* --- ReduceJoin ------------------------------------------------------------------------------- */

/* Some axes of the input, the one that moves fastest last. */
typedef oribi_dims axes;

static bool has_axis(const axes *a, int axis)
{
    for (int i = 0; i < a->n; i++) {
        if (a->at[i] == axis) {
            return true;
        }
    }
    return false;
}

/* The element of the input that number i of these axes is, where the others are at 0. */
static int64_t place_of(const axes *a, const oribi_cpu_shape *in, const oribi_dims *strides,
                        int64_t i)
{
    int64_t place = 0;
    for (int k = a->n - 1; k >= 0; k--) {
        place += i % in->at[a->at[k]] * strides->at[a->at[k]];
        i /= in->at[a->at[k]];
    }
    return place;
}

static int64_t count_of(const axes *a, const oribi_cpu_shape *in)
{
    int64_t count = 1;
    for (int k = 0; k < a->n; k++) {
        count *= in->at[a->at[k]];
    }
    return count;
}

/* Which axes are joined, the first that input 1 names the fastest, and which stay. */
static bool read_axes(oribi_kit_run *run, const oribi_cpu_shape *in, axes *joined, axes *stay)
{
    oribi_dims named;
    if (!oribi_cpu_read_dims(run, 1, "reduction_indices", &named)) {
        return false;
    }
    joined->n = stay->n = 0;
    for (int i = named.n - 1; i >= 0; i--) {
        int axis = 0;
        if (!oribi_cpu_axis(run, named.at[i], in->n, &axis)) {
            return false;
        }
        if (has_axis(joined, axis)) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "reduction_indices names dimension %d twice", axis);
        }
        joined->at[joined->n++] = axis;
    }
    for (int axis = 0; axis < in->n; axis++) {
        if (!has_axis(joined, axis)) {
            stay->at[stay->n++] = axis;
        }
    }
    return true;
}

static void reduced_shape(const oribi_cpu_shape *in, const axes *stay, bool keeps_dims,
                          oribi_cpu_shape *out)
{
    int next = 0;
    out->n = 0;
    for (int axis = 0; axis < in->n; axis++) {
        const bool stays = next < stay->n && stay->at[next] == axis;
        if (stays || keeps_dims) {
            out->at[out->n++] = stays ? in->at[axis] : 1;
        }
        next += stays ? 1 : 0;
    }
}

static bool reduce_run(const void *state, oribi_kit_run *run)
{
    const join_state *s = state;
    oribi_cpu_shape in, out;
    oribi_dims strides;
    axes joined, stay;
    int64_t patience = 0;
    if (!oribi_cpu_input_shape(run, 0, &in) || !read_axes(run, &in, &joined, &stay)) {
        return false;
    }
    reduced_shape(&in, &stay, s->keeps_dims, &out);
    oribi_cpu_strides(&in, &strides);
    const TF_TString *x = TF_TensorData(run->in[0]);
    TF_TString *y = oribi_cpu_text_output(run, 0, out.at, out.n);
    const int64_t count = y == NULL ? 0 : oribi_cpu_product(out.at, out.n);
    const int64_t each = count == 0 ? 0 : count_of(&joined, &in);
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = place_of(&stay, &in, &strides, i);
        for (int64_t k = 0; k < each; k++) {
            const int64_t at = from + place_of(&joined, &in, &strides, k);
            if ((k > 0 && !oribi_cpu_text_append(run, &y[i], separator_of(s))) ||
                !oribi_cpu_text_append(run, &y[i], oribi_cpu_text_at(x, at)) ||
                oribi_kit_stops(run, &patience, 60)) {
                return false;
            }
        }
        if (oribi_kit_stops(run, &patience, 20)) {
            return false;
        }
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(reduce, 2)

/* --- UnsortedSegmentJoin ---------------------------------------------------------------------- */

/* The output: the segments, then what the input has behind the dimensions of the ids. */
static bool segment_shape(oribi_kit_run *run, oribi_cpu_shape *out, int64_t *out_inner)
{
    oribi_cpu_shape in, ids;
    int64_t n = 0;
    if (!oribi_cpu_input_shape(run, 0, &in) || !oribi_cpu_input_shape(run, 1, &ids) ||
        !oribi_cpu_read_int(run, 2, "num_segments", &n)) {
        return false;
    }
    bool fits = ids.n > 0 && ids.n <= in.n;
    for (int i = 0; fits && i < ids.n; i++) {
        fits = ids.at[i] == in.at[i];
    }
    if (!fits || n < 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "segment_ids %s must be the first dimensions of inputs %s, and "
                              "num_segments, %lld, at least 0",
                              oribi_cpu_shape_text(&ids).chars, oribi_cpu_shape_text(&in).chars,
                              (long long)n);
    }
    out->n = 1;
    out->at[0] = n;
    for (int i = ids.n; i < in.n; i++) {
        out->at[out->n++] = in.at[i];
    }
    *out_inner = oribi_cpu_product(in.at + ids.n, in.n - ids.n);
    return true;
}

static bool segment_run(const void *state, oribi_kit_run *run)
{
    const join_state *s = state;
    const TF_DataType dtype = TF_TensorType(run->in[1]);
    oribi_cpu_shape out;
    int64_t inner = 0, total = 0, patience = 0;
    if (!segment_shape(run, &out, &inner) || !oribi_cpu_count(run, out.at, out.n, &total)) {
        return false;
    }
    const TF_TString *x = TF_TensorData(run->in[0]);
    TF_TString *y = oribi_cpu_text_output(run, 0, out.at, out.n);
    const int64_t count = y == NULL ? 0 : TF_TensorElementCount(run->in[1]);
    for (int64_t i = 0; i < count; i++) {
        const int64_t segment = oribi_kit_int_at(TF_TensorData(run->in[1]), dtype, i);
        if (segment < 0 || segment >= out.at[0]) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                  "segment_ids[%lld] is %lld; it must be below num_segments, %lld",
                                  (long long)i, (long long)segment, (long long)out.at[0]);
        }
        for (int64_t k = 0; k < inner; k++) {
            TF_TString *to = &y[segment * inner + k];
            if ((TF_StringGetSize(to) > 0 && !oribi_cpu_text_append(run, to, separator_of(s))) ||
                !oribi_cpu_text_append(run, to, oribi_cpu_text_at(x, i * inner + k)) ||
                oribi_kit_stops(run, &patience, 60)) {
                return false;
            }
        }
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(segment, 3)

const oribi_cpu_kernel oribi_cpu_text_join_kernels[] = {
    ORIBI_CPU_STATE_ROW("ReduceJoin", reduce, reduce, "one behind the other"),
    ORIBI_CPU_STATE_ROW("UnsortedSegmentJoin", segment, segment, "one behind the other"),
    {.op_name = NULL},
};
