/* SPDX-License-Identifier: Apache-2.0 */
/* StringSplitV2, StringSplit: the parts of all texts one behind the other, with the place of each.
 * Splits as TensorFlow does: without a separator at runs of white space, with one at each of it;
 * after `maxsplit` splits the rest is one part. StringSplit splits at any byte of the delimiter,
 * and at all where that is empty.
 */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

typedef struct split_state {
    int64_t most;     /* splits; below 0: any number */
    bool is_old;      /* StringSplit */
    bool keeps_empty; /* which StringSplit may drop */
} split_state;

static void split_read(oribi_kit_setup *setup, split_state *state)
{
    oribi_kit_attr_int(setup, "maxsplit", &state->most);
}
ORIBI_KIT_CREATE(split, split_state)

static void old_split_read(oribi_kit_setup *setup, split_state *state)
{
    bool skips = true;
    oribi_kit_attr_bool(setup, "skip_empty", &skips);
    *state = (split_state){.most = -1, .is_old = true, .keeps_empty = !skips};
}
ORIBI_KIT_CREATE(old_split, split_state)

typedef struct splitter {
    oribi_cpu_span separator, rest;
    int64_t n, most;
    bool is_old, keeps_empty, is_done;
} splitter;

static splitter begin(const split_state *state, oribi_cpu_span text, oribi_cpu_span separator)
{
    const bool is_white = separator.n == 0 && state->most != 0 && !state->is_old;
    splitter s = {.separator = separator,
                  .most = state->most,
                  .is_old = state->is_old,
                  .keeps_empty = state->keeps_empty};
    s.rest = is_white ? oribi_cpu_without_space(text) : text;
    s.is_done = (is_white || s.is_old) && s.rest.n == 0;
    return s;
}

/* The next part of StringSplit. Behind a delimiter at the end an empty part is still to come. */
static bool next_old_part(splitter *s, oribi_cpu_span *out)
{
    while (!s->is_done) {
        size_t n = s->separator.n == 0 ? 1 : 0;
        while (s->separator.n > 0 && n < s->rest.n &&
               memchr(s->separator.at, s->rest.at[n], s->separator.n) == NULL) {
            n++;
        }
        const size_t gone = s->separator.n > 0 && n < s->rest.n ? n + 1 : n;
        *out = (oribi_cpu_span){s->rest.at, n};
        s->is_done = gone == s->rest.n && gone == n;
        s->rest = (oribi_cpu_span){s->rest.at + gone, s->rest.n - gone};
        if (n > 0 || s->keeps_empty) {
            s->n++;
            return true;
        }
    }
    return false;
}

/* Bytes of the rest in front of the next separator, or all. */
static size_t next_separator(const splitter *s)
{
    size_t i = 0;
    if (s->separator.n == 0) {
        while (i < s->rest.n && !oribi_cpu_is_space(s->rest.at[i])) {
            i++;
        }
        return i;
    }
    while (s->separator.n <= s->rest.n - i) {
        const char *at =
            memchr(s->rest.at + i, s->separator.at[0], s->rest.n - i - s->separator.n + 1);
        if (at == NULL) {
            break;
        }
        i = (size_t)(at - s->rest.at);
        if (memcmp(at, s->separator.at, s->separator.n) == 0) {
            return i;
        }
        i++;
    }
    return s->rest.n;
}

/* The next part; false: there is none. */
static bool next_part(splitter *s, oribi_cpu_span *out)
{
    if (s->is_old) {
        return next_old_part(s, out);
    }
    if (s->is_done) {
        return false;
    }
    const bool is_last = s->most >= 0 && s->n == s->most;
    const size_t n = is_last ? s->rest.n : next_separator(s);
    *out = (oribi_cpu_span){s->rest.at, n};
    s->n++;
    if (s->separator.n > 0 || is_last) {
        s->is_done = n == s->rest.n;
        const size_t gone = s->is_done ? n : n + s->separator.n;
        s->rest = (oribi_cpu_span){s->rest.at + gone, s->rest.n - gone};
    } else {
        s->rest = oribi_cpu_without_space((oribi_cpu_span){s->rest.at + n, s->rest.n - n});
        /* Where no more splits are left, the rest is a part, even an empty one. */
        s->is_done = s->rest.n == 0 && s->n != s->most;
    }
    return true;
}

/* How many parts all texts have, and the most that one has; false: stopped. */
static bool count_parts(oribi_kit_run *run, const split_state *s, oribi_cpu_span separator,
                        int64_t *out_all, int64_t *out_most, int64_t *patience)
{
    const int64_t count = TF_TensorElementCount(run->in[0]);
    *out_all = *out_most = 0;
    for (int64_t i = 0; i < count; i++) {
        const oribi_cpu_span text = oribi_cpu_text_at(TF_TensorData(run->in[0]), i);
        splitter at = begin(s, text, separator);
        oribi_cpu_span part = {NULL, 0};
        while (next_part(&at, &part)) {
        }
        *out_all += at.n;
        *out_most = at.n > *out_most ? at.n : *out_most;
        if (oribi_kit_stops(run, patience, 50 + (int64_t)(text.n & 0xfffff))) {
            return false;
        }
    }
    return true;
}

static bool split_run(const void *state, oribi_kit_run *run)
{
    const split_state *s = state;
    oribi_cpu_span separator;
    int64_t all = 0, most = 0, patience = 0;
    if (TF_NumDims(run->in[0]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input must be a vector, not of rank %d",
                              TF_NumDims(run->in[0]));
    }
    if (!oribi_cpu_text_scalar(run, 1, "the separator", &separator) ||
        !count_parts(run, s, separator, &all, &most, &patience)) {
        return false;
    }
    const int64_t count = TF_TensorElementCount(run->in[0]), two = 2;
    int64_t *indices = oribi_kit_output(run, 0, (const int64_t[]){all, 2}, 2);
    TF_TString *values = indices == NULL ? NULL : oribi_cpu_text_output(run, 1, &all, 1);
    int64_t *shape = values == NULL ? NULL : oribi_kit_output(run, 2, &two, 1);
    if (shape == NULL) {
        return false;
    }
    shape[0] = count;
    shape[1] = most;
    for (int64_t i = 0, at = 0; i < count; i++) {
        const oribi_cpu_span text = oribi_cpu_text_at(TF_TensorData(run->in[0]), i);
        splitter parts = begin(s, text, separator);
        oribi_cpu_span part = {NULL, 0};
        for (int64_t k = 0; at < all && next_part(&parts, &part); k++, at++) {
            indices[2 * at] = i;
            indices[2 * at + 1] = k;
            if (!oribi_cpu_text_append(run, &values[at], part)) {
                return false;
            }
        }
        if (oribi_kit_stops(run, &patience, 50 + (int64_t)(text.n & 0xfffff))) {
            return false;
        }
    }
    return true;
}
ORIBI_KIT_COMPUTE(split, 2)

const oribi_cpu_kernel oribi_cpu_string_split_sparse_kernels[] = {
    ORIBI_CPU_STATE_ROW("StringSplitV2", split, split, "counts the parts, then copies them"),
    ORIBI_CPU_STATE_ROW("StringSplit", old_split, split, "counts the parts, then copies them"),
    {.op_name = NULL},
};
