/* SPDX-License-Identifier: Apache-2.0 */
/* See moved.h. */
#include "cpu/base/moved.h"

#include <string.h>

#include "cpu/text/texts.h"
#include "tensorflow/c/kernels_extension.h"

size_t oribi_cpu_moved_width(oribi_kit_run *run, TF_DataType dtype)
{
    return dtype == TF_STRING ? sizeof(TF_TString) : oribi_cpu_width(run, dtype);
}

void *oribi_cpu_moved_output(oribi_kit_run *run, int index, const int64_t *dims, int rank)
{
    void *data = oribi_kit_output(run, index, dims, rank);
    const TF_Tensor *made = data == NULL ? NULL : run->out[run->n_out - 1];
    if (made != NULL && TF_TensorType(made) == TF_STRING) {
        memset(data, 0, TF_TensorByteSize(made)); /* TF_StringInit of each */
    }
    return data;
}

bool oribi_cpu_texts_fit(oribi_kit_run *run, size_t bytes)
{
    enum { LEAST = 1 << 16 };
    const int64_t n = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;
    if (n >= LEAST && oribi_kit_is_ok(run)) { /* what lasts is counted at once, and not planned */
        TF_DeleteTensor(TF_AllocateLasting(run->context, TF_UINT8, &n, 1, run->status));
    }
    return oribi_kit_is_ok(run);
}

/* Kernels make their texts on the thread that runs them. */
static _Thread_local size_t made, asked;

void oribi_cpu_text_begin(void)
{
    made = asked = 0;
}

bool oribi_cpu_text_count(oribi_kit_run *run, size_t before, size_t after)
{
    enum { STEP = 1 << 20 };
    if (after > before && __builtin_add_overflow(made, after - before, &made)) {
        made = SIZE_MAX;
    }
    if (made - asked < STEP) {
        return true;
    }
    asked = made;
    return oribi_cpu_texts_fit(run, made);
}

/* Bytes of all texts of the tensor. */
static size_t sum_of(const TF_TString *texts, int64_t count)
{
    size_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        if (__builtin_add_overflow(sum, TF_StringGetSize(&texts[i]), &sum)) {
            return SIZE_MAX;
        }
    }
    return sum;
}

/* A copy in place of the bits; false: it has none, and the text is empty. */
static bool own(oribi_kit_run *run, TF_TString *text, bool is_kept)
{
    const TF_TString bits = *text;
    TF_StringInit(text);
    if (!is_kept) {
        return true;
    }
    if (TF_StringGetType(&bits) == TF_TSTR_OFFSET) { /* it counts from where it lay */
        return oribi_kit_fail(run, TF_UNIMPLEMENTED,
                              "a text that is an offset cannot be moved; make it a copy or a view");
    }
    const size_t n = TF_StringGetSize(&bits);
    char *bytes = n == 0 ? NULL : TF_TString_ResizeUninitialized(text, n);
    if (bytes != NULL) {
        memcpy(bytes, TF_StringGetDataPointer(&bits), n);
    }
    return bytes != NULL || n == 0 ||
           oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a text of %zu bytes", n);
}

void oribi_cpu_own_texts(oribi_kit_run *run, TF_Tensor *tensor)
{
    const bool is_texts = TF_TensorType(tensor) == TF_STRING;
    const int64_t count = is_texts ? TF_TensorElementCount(tensor) : 0;
    TF_TString *texts = TF_TensorData(tensor);
    int64_t patience = 0;
    bool is_kept = oribi_cpu_texts_fit(run, sum_of(texts, count));
    for (int64_t i = 0; i < count; i++) {
        is_kept = is_kept && !oribi_kit_stops(run, &patience, 60);
        is_kept = own(run, &texts[i], is_kept) && is_kept;
    }
}

void oribi_cpu_own_outputs(oribi_kit_run *run)
{
    for (int i = 0; i < run->n_out; i++) {
        oribi_cpu_own_texts(run, run->out[i]);
    }
}
