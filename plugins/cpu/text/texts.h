/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of texts, as kernels read and make them. */
#ifndef ORIBI_PLUGINS_CPU_TEXTS_H_
#define ORIBI_PLUGINS_CPU_TEXTS_H_

#include "cpu/base/cpu_shape.h"
#include "tensorflow/c/tf_tstring.h"

#include <string.h>

typedef struct oribi_cpu_span {
    const char *at;
    size_t n;
} oribi_cpu_span;

static inline oribi_cpu_span oribi_cpu_text_at(const TF_TString *texts, int64_t i)
{
    return (oribi_cpu_span){TF_StringGetDataPointer(&texts[i]), TF_StringGetSize(&texts[i])};
}

static inline bool oribi_cpu_same_text(oribi_cpu_span a, oribi_cpu_span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

/* A text of the kernel at work becomes longer: asks now and then whether all that it made still
 * fits (oribi_cpu_texts_fit). False: failed. */
bool oribi_cpu_text_count(oribi_kit_run *run, size_t before, size_t after);
/* A kernel begins to make texts. */
void oribi_cpu_text_begin(void);

/* Splits of rows are int32 or int64. */
static inline void oribi_cpu_put_split(void *splits, TF_DataType dtype, int64_t i, int64_t value)
{
    if (dtype == TF_INT32) {
        ((int32_t *)splits)[i] = (int32_t)value;
    } else {
        ((int64_t *)splits)[i] = value;
    }
}

/* Output `index` of empty texts; NULL: failed. */
static inline TF_TString *oribi_cpu_text_output(oribi_kit_run *run, int index, const int64_t *dims,
                                                int rank)
{
    TF_TString *texts = oribi_kit_output(run, index, dims, rank);
    const int64_t count = texts == NULL ? 0 : oribi_cpu_product(dims, rank);
    oribi_cpu_text_begin();
    for (int64_t i = 0; i < count; i++) {
        TF_StringInit(&texts[i]);
    }
    return texts;
}

/* The text gets so many bytes, of which it keeps those that it had; NULL: failed. */
static inline char *oribi_cpu_text_room(oribi_kit_run *run, TF_TString *text, size_t bytes)
{
    if (!oribi_cpu_text_count(run, TF_StringGetSize(text), bytes)) {
        return NULL;
    }
    char *to = TF_TString_ResizeUninitialized(text, bytes);
    if (to == NULL) {
        (void)oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a text of %zu bytes",
                             bytes);
    }
    return to;
}

/* Writes bytes behind those that the text has; false: failed. */
static inline bool oribi_cpu_text_append(oribi_kit_run *run, TF_TString *text, oribi_cpu_span more)
{
    const size_t had = TF_StringGetSize(text);
    size_t bytes = 0;
    if (__builtin_add_overflow(had, more.n, &bytes)) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "a text is too long");
    }
    char *to = oribi_cpu_text_room(run, text, bytes);
    if (to != NULL && more.n > 0) {
        memcpy(to + had, more.at, more.n);
    }
    return to != NULL;
}

/* The one text of input `index`. */
static inline bool oribi_cpu_text_scalar(oribi_kit_run *run, int index, const char *what,
                                         oribi_cpu_span *out)
{
    *out = (oribi_cpu_span){NULL, 0};
    if (TF_NumDims(run->in[index]) != 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "%s must be a scalar, not of rank %d", what,
                              TF_NumDims(run->in[index]));
    }
    *out = oribi_cpu_text_at(TF_TensorData(run->in[index]), 0);
    return true;
}

static inline bool oribi_cpu_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline oribi_cpu_span oribi_cpu_without_space(oribi_cpu_span text)
{
    while (text.n > 0 && oribi_cpu_is_space(text.at[0])) {
        text.at++;
        text.n--;
    }
    return text;
}

/* Without the space on both sides. */
static inline oribi_cpu_span oribi_cpu_trimmed(oribi_cpu_span text)
{
    text = oribi_cpu_without_space(text);
    while (text.n > 0 && oribi_cpu_is_space(text.at[text.n - 1])) {
        text.n--;
    }
    return text;
}

#endif
