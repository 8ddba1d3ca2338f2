/* SPDX-License-Identifier: Apache-2.0 */
/* StringNGrams: neighbouring texts of each row joined, of one width or several, with padding in
 * front of the row and behind it.
 */
#include "cpu/base/families.h"
#include "cpu/text/texts.h"

enum { MOST_WIDTHS = 64 };

typedef struct ngrams_state {
    char separator[256], left[256], right[256];
    int64_t widths[MOST_WIDTHS], pad; /* pad: below 0: as wide as a width allows */
    int n_widths;
    bool keeps_short;
} ngrams_state;

static void ngrams_read(oribi_kit_setup *setup, ngrams_state *state)
{
    oribi_kit_attr_string(setup, "separator", state->separator, sizeof state->separator);
    oribi_kit_attr_string(setup, "left_pad", state->left, sizeof state->left);
    oribi_kit_attr_string(setup, "right_pad", state->right, sizeof state->right);
    oribi_kit_attr_ints(setup, "ngram_widths", state->widths, MOST_WIDTHS, &state->n_widths);
    oribi_kit_attr_int(setup, "pad_width", &state->pad);
    oribi_kit_attr_bool(setup, "preserve_short_sequences", &state->keeps_short);
    for (int i = 0; oribi_kit_setup_is_ok(setup) && i < state->n_widths; i++) {
        if (state->widths[i] < 1 || state->widths[i] > INT32_MAX) {
            (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                       "ngram_widths[%d] is %lld; it must be at least 1", i,
                                       (long long)state->widths[i]);
        }
    }
}
ORIBI_KIT_CREATE(ngrams, ngrams_state)

/* Of a row of `length` texts, ngrams of one width, `pad` texts of padding on each side. */
typedef struct plan {
    int64_t width, pad, count;
} plan;

static plan plan_of(const ngrams_state *s, int64_t width, int64_t length)
{
    const int64_t most = width - 1, pad = s->pad < 0 || s->pad > most ? most : s->pad;
    const int64_t count = length + 2 * pad - width + 1; /* below 2^33 apart from the length */
    return (plan){width, pad, count > 0 ? count : 0};
}

/* The one ngram of a row that is too short for all widths: all of it, with its padding. */
static plan short_plan(const ngrams_state *s, int64_t length)
{
    return (plan){length + 2 * s->pad, s->pad, 1};
}

/* Row i of the splits. */
static bool row_at(oribi_kit_run *run, int64_t i, int64_t *out_begin, int64_t *out_end)
{
    const TF_DataType dtype = TF_TensorType(run->in[1]);
    const int64_t count = TF_TensorElementCount(run->in[0]);
    *out_begin = oribi_kit_int_at(TF_TensorData(run->in[1]), dtype, i);
    *out_end = oribi_kit_int_at(TF_TensorData(run->in[1]), dtype, i + 1);
    if (*out_begin < 0 || *out_end < *out_begin || *out_end > count) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "row %lld is texts %lld to %lld of %lld; splits must not fall",
                              (long long)i, (long long)*out_begin, (long long)*out_end,
                              (long long)count);
    }
    return true;
}

static bool check_ends(oribi_kit_run *run, int64_t n_splits)
{
    const TF_DataType dtype = TF_TensorType(run->in[1]);
    const void *splits = TF_TensorData(run->in[1]);
    const int64_t count = TF_TensorElementCount(run->in[0]);
    if (oribi_kit_int_at(splits, dtype, 0) != 0 ||
        oribi_kit_int_at(splits, dtype, n_splits - 1) != count) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "data_splits must begin with 0 and end with the %lld texts",
                              (long long)count);
    }
    return true;
}

/* How many ngrams a row has; -1 after failing. Where no row has a text, none has an ngram. */
static int64_t count_row(const ngrams_state *s, oribi_kit_run *run, int64_t length)
{
    const int n_widths = TF_TensorElementCount(run->in[0]) > 0 ? s->n_widths : 0;
    int64_t total = 0;
    for (int i = 0; i < n_widths; i++) {
        if (__builtin_add_overflow(total, plan_of(s, s->widths[i], length).count, &total)) {
            (void)oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "a row has too many ngrams");
            return -1;
        }
    }
    if (total > 0 || length == 0 || !s->keeps_short) {
        return total;
    }
    if (s->pad < 0 || s->pad > INT32_MAX) {
        (void)oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                             "pad_width is %lld; to preserve short rows it must be at least 0",
                             (long long)s->pad);
        return -1;
    }
    return 1;
}

static bool count_all(const ngrams_state *s, oribi_kit_run *run, int64_t n_splits, void *splits,
                      int64_t *out_total)
{
    const TF_DataType dtype = TF_TensorType(run->in[1]);
    int64_t patience = 0, total = 0;
    oribi_cpu_put_split(splits, dtype, 0, 0);
    for (int64_t i = 0; i + 1 < n_splits; i++) {
        int64_t begin = 0, end = 0;
        if (oribi_kit_stops(run, &patience, 20) || !row_at(run, i, &begin, &end)) {
            return false;
        }
        const int64_t more = count_row(s, run, end - begin);
        if (more < 0) {
            return false;
        }
        if (__builtin_add_overflow(total, more, &total) ||
            (dtype == TF_INT32 && total > INT32_MAX)) {
            return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "there are too many ngrams");
        }
        oribi_cpu_put_split(splits, dtype, i + 1, total);
    }
    *out_total = total;
    return true;
}

/* Text `at` of a row of `length` with padding around it. */
static oribi_cpu_span token(const ngrams_state *s, const TF_TString *row, int64_t length,
                            int64_t at)
{
    return at < 0         ? (oribi_cpu_span){s->left, strlen(s->left)}
           : at >= length ? (oribi_cpu_span){s->right, strlen(s->right)}
                          : oribi_cpu_text_at(row, at);
}

static bool write_plan(const ngrams_state *s, oribi_kit_run *run, const TF_TString *row,
                       int64_t length, plan p, TF_TString *out, int64_t *patience)
{
    const oribi_cpu_span separator = {s->separator, strlen(s->separator)};
    for (int64_t k = 0; k < p.count; k++) {
        for (int64_t i = 0; i < p.width; i++) {
            if (oribi_kit_stops(run, patience, 60) ||
                (i > 0 && !oribi_cpu_text_append(run, &out[k], separator)) ||
                !oribi_cpu_text_append(run, &out[k], token(s, row, length, k + i - p.pad))) {
                return false;
            }
        }
    }
    return true;
}

/* The ngrams of a row into `room` texts. */
static bool write_row(const ngrams_state *s, oribi_kit_run *run, const TF_TString *row,
                      int64_t length, TF_TString *out, int64_t room, int64_t *patience)
{
    int64_t at = 0;
    for (int i = 0; i < s->n_widths; i++) {
        const plan p = plan_of(s, s->widths[i], length);
        if (p.count > room - at) {
            return oribi_cpu_index_changed(run);
        }
        if (!write_plan(s, run, row, length, p, out + at, patience)) {
            return false;
        }
        at += p.count;
    }
    return at == room || write_plan(s, run, row, length, short_plan(s, length), out, patience);
}

static bool ngrams_run(const void *state, oribi_kit_run *run)
{
    const ngrams_state *s = state;
    const int64_t n_splits = TF_TensorElementCount(run->in[1]);
    int64_t total = 0, patience = 0, at = 0;
    if (TF_NumDims(run->in[0]) != 1 || TF_NumDims(run->in[1]) != 1) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "data and data_splits must be vectors");
    }
    void *splits = oribi_kit_output(run, 1, &n_splits, 1);
    if (splits == NULL || (n_splits > 0 && (!check_ends(run, n_splits) ||
                                            !count_all(s, run, n_splits, splits, &total)))) {
        return false;
    }
    total = n_splits > 0 ? total : TF_TensorElementCount(run->in[0]); /* of empty texts, then */
    TF_TString *out = oribi_cpu_text_output(run, 0, &total, 1);
    for (int64_t i = 0; out != NULL && i + 1 < n_splits; i++) {
        int64_t begin = 0, end = 0;
        if (!row_at(run, i, &begin, &end)) {
            return false;
        }
        const int64_t more = count_row(s, run, end - begin);
        if (more < 0) {
            return false;
        }
        if (more > total - at) {
            return oribi_cpu_index_changed(run);
        }
        const TF_TString *row = (const TF_TString *)TF_TensorData(run->in[0]) + begin;
        if (more > 0 && !write_row(s, run, row, end - begin, out + at, more, &patience)) {
            return false;
        }
        at += more;
    }
    return out != NULL;
}
ORIBI_KIT_COMPUTE(ngrams, 2)

const oribi_cpu_kernel oribi_cpu_ngrams_kernels[] = {
    ORIBI_CPU_STATE_ROW("StringNGrams", ngrams, ngrams, "counts, then joins"),
    {.op_name = NULL},
};
