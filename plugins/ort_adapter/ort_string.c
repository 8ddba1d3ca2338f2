/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of tensors of strings, copied in and out. */
#include <string.h>

#include "ort_adapter.h"

static ort_status *check(const ort_value *value, size_t index)
{
    if (value->type != ORT_TYPE_STRING) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "the tensor is not one of strings");
    }
    if (index >= value->count) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "index %zu of %zu strings", index,
                              value->count);
    }
    return NULL;
}

static TF_TString *texts_of(const ort_value *value)
{
    return value->data;
}

static ort_status *set(TF_TString *to, const char *text)
{
    const size_t length = strlen(text);
    TF_StringCopy(to, text, length);
    return TF_StringGetSize(to) == length ? NULL : oribi_ort_fail_memory();
}

ort_status *oribi_ort_FillStringTensor(ort_value *value, const char *const *texts, size_t count)
{
    ort_status *failed = NULL;
    if (value->type != ORT_TYPE_STRING || count != value->count) {
        return oribi_ort_fail(ORT_INVALID_ARGUMENT, "%zu strings for a tensor of %zu elements",
                              count, value->count);
    }
    for (size_t i = 0; i < count && !failed; i++) {
        failed = set(&texts_of(value)[i], texts[i]);
    }
    return failed;
}

ort_status *oribi_ort_FillStringTensorElement(ort_value *value, const char *text, size_t index)
{
    ort_status *failed = check(value, index);
    return failed ? failed : set(&texts_of(value)[index], text);
}

ort_status *oribi_ort_GetResizedStringTensorElementBuffer(ort_value *value, size_t index,
                                                          size_t bytes, char **out)
{
    ort_status *failed = check(value, index);
    *out = failed ? NULL : TF_TString_ResizeUninitialized(&texts_of(value)[index], bytes);
    return failed || *out ? failed : oribi_ort_fail_memory();
}

ort_status *oribi_ort_GetStringTensorElementLength(const ort_value *value, size_t index,
                                                   size_t *out)
{
    ort_status *failed = check(value, index);
    *out = failed ? 0 : TF_StringGetSize(&texts_of(value)[index]);
    return failed;
}

/* No NUL follows here and below, unlike texts of attributes. */
ort_status *oribi_ort_GetStringTensorElement(const ort_value *value, size_t bytes, size_t index,
                                             void *text)
{
    size_t length;
    ort_status *failed = oribi_ort_GetStringTensorElementLength(value, index, &length);
    if (failed || bytes < length) {
        return failed ? failed
                      : oribi_ort_fail(ORT_FAIL, "%zu bytes are too few for a string of %zu", bytes,
                                       length);
    }
    if (length) {
        memcpy(text, TF_StringGetDataPointer(&texts_of(value)[index]), length);
    }
    return NULL;
}

ort_status *oribi_ort_GetStringTensorDataLength(const ort_value *value, size_t *out)
{
    size_t total = 0;
    if (value->type != ORT_TYPE_STRING) {
        return check(value, 0);
    }
    for (size_t i = 0; i < value->count; i++) {
        total += TF_StringGetSize(&texts_of(value)[i]);
    }
    *out = total;
    return NULL;
}

ort_status *oribi_ort_GetStringTensorContent(const ort_value *value, void *text, size_t bytes,
                                             size_t *offsets, size_t n_offsets)
{
    size_t total = 0;
    ort_status *failed = oribi_ort_GetStringTensorDataLength(value, &total);
    if (failed || bytes < total || n_offsets < value->count) {
        return failed ? failed
                      : oribi_ort_fail(ORT_FAIL, "%zu strings of %zu bytes do not fit",
                                       value->count, total);
    }
    char *to = text;
    for (size_t i = 0; i < value->count; i++) {
        const TF_TString *from = &texts_of(value)[i];
        const size_t length = TF_StringGetSize(from);
        offsets[i] = (size_t)(to - (char *)text);
        if (length) {
            memcpy(to, TF_StringGetDataPointer(from), length);
        }
        to += length;
    }
    return NULL;
}
