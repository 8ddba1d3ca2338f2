/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>StringSplit: the parts of each text along a new last axis, filled up with empty ones. */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

typedef struct split_state {
    char delimiter[1024]; /* empty: runs of white space, which are none at the ends */
    int64_t most;         /* splits; -1: any number */
} split_state;

static void split_read(oribi_kit_setup *setup, split_state *state)
{
    oribi_kit_attr_string(setup, "delimiter", state->delimiter, sizeof state->delimiter);
    oribi_kit_attr_int(setup, "maxsplit", &state->most);
}
ORIBI_KIT_CREATE(split, split_state)

/* Where the next delimiter begins in the rest, or its end. */
static size_t next_delimiter(const split_state *s, size_t width, oribi_cpu_span rest)
{
    size_t i = 0;
    if (width == 0) {
        while (i < rest.n && !oribi_cpu_is_space(rest.at[i])) {
            i++;
        }
        return i;
    }
    while (i + width <= rest.n && memcmp(rest.at + i, s->delimiter, width) != 0) {
        i++;
    }
    return i + width <= rest.n ? i : rest.n;
}

/* Counts the parts, and writes at most `room` of them where there is an output; -1: failed. */
static int64_t split_text(oribi_kit_run *run, const split_state *s, oribi_cpu_span rest,
                          TF_TString *out, int64_t room)
{
    const size_t width = strlen(s->delimiter);
    int64_t count = 0;
    rest = width == 0 ? oribi_cpu_without_space(rest) : rest;
    bool has_more = width > 0 || rest.n > 0;
    while (has_more) {
        const bool is_last = s->most >= 0 && count >= s->most;
        const size_t n = is_last ? rest.n : next_delimiter(s, width, rest);
        if (out != NULL && count < room &&
            !oribi_cpu_text_append(run, &out[count], (oribi_cpu_span){rest.at, n})) {
            return -1;
        }
        count++;
        has_more = n < rest.n;
        const size_t gone = n + (width == 0 && has_more ? 1 : has_more ? width : 0);
        rest = (oribi_cpu_span){rest.at + gone, rest.n - gone};
        if (width == 0) {
            rest = oribi_cpu_without_space(rest);
            has_more = rest.n > 0;
        }
    }
    return count;
}

static bool split_run(const void *state, oribi_kit_run *run)
{
    const split_state *s = state;
    oribi_wide_dims dims;
    int64_t patience = 0, most = 0;
    if (!oribi_cpu_wide_dims(run, run->in[0], &dims)) {
        return false;
    }
    const TF_TString *x = TF_TensorData(run->in[0]);
    const int64_t count = TF_TensorElementCount(run->in[0]);
    for (int64_t i = 0; i < count && !oribi_kit_stops(run, &patience, 100); i++) {
        const int64_t parts = split_text(run, s, oribi_cpu_text_at(x, i), NULL, 0);
        most = parts > most ? parts : most;
    }
    int64_t *lengths = oribi_kit_output(run, 1, dims.at, dims.n);
    if (lengths == NULL || !oribi_wide_dims_add(&dims, most)) {
        return lengths != NULL && oribi_kit_fail(run, TF_UNIMPLEMENTED, "too many dimensions");
    }
    TF_TString *parts = oribi_cpu_text_output(run, 0, dims.at, dims.n);
    for (int64_t i = 0; parts != NULL && i < count; i++) {
        if (oribi_kit_stops(run, &patience, 200)) {
            return false;
        }
        lengths[i] = split_text(run, s, oribi_cpu_text_at(x, i), parts + i * most, most);
        if (lengths[i] < 0) {
            return false;
        }
    }
    return parts != NULL;
}
ORIBI_KIT_COMPUTE(split, 1)

const oribi_cpu_kernel oribi_cpu_string_split_kernels[] = {
    ORIBI_CPU_STATE_ROW("ONNX>StringSplit", split, split, "counts the parts, then copies them"),
    {.op_name = NULL},
};
