/* SPDX-License-Identifier: Apache-2.0 */
/* See moved.h. */
#include "cpu/base/moved.h"

#include <string.h>

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
    bool is_kept = oribi_kit_is_ok(run);
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
