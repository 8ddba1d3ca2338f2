/* SPDX-License-Identifier: Apache-2.0 */
/* Typed reading of attributes; see attr_read.h. */
#include "op/attr_read.h"

#include <inttypes.h>
#include <string.h>

#include "tensor/status.h"

static int32_t clamp_size(size_t size)
{
    return size > INT32_MAX ? INT32_MAX : (int32_t)size;
}

static int32_t sum_lengths(const oribi_attr *attr)
{
    size_t total = 0;
    for (int32_t i = 0; i < attr->count; i++) {
        total += attr->u.s[i].length;
    }
    return clamp_size(total);
}

static int32_t sum_ranks(const oribi_attr *attr)
{
    size_t total = 0;
    for (int32_t i = 0; i < attr->count; i++) {
        total += attr->u.shape[i].rank > 0 ? (size_t)attr->u.shape[i].rank : 0;
    }
    return clamp_size(total);
}

bool oribi_attr_read_size(const oribi_attrs *attrs, const char *node, const char *name,
                          int32_t *list_size, int32_t *total_size, TF_Status *status)
{
    const oribi_attr *attr = oribi_attrs_find(attrs, name);
    *list_size = -1;
    *total_size = -1;
    if (attr == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Operation '%s' has no attr named '%s'.",
                          node, name);
    }
    if (attr->is_list) {
        *list_size = attr->kind == TF_ATTR_FUNC ? 0 : attr->count; /* funcs are never counted */
    }
    if (attr->count > 0 && attr->kind == TF_ATTR_STRING) {
        *total_size = sum_lengths(attr);
    } else if (attr->count > 0 && attr->kind == TF_ATTR_SHAPE) {
        *total_size = attr->is_list ? sum_ranks(attr) : attr->u.shape[0].rank;
    }
    return true;
}

static bool fail_kind(const oribi_attr *attr, const char *node, uint8_t kind, bool is_list,
                      TF_Status *status)
{
    return oribi_fail(status, TF_INVALID_ARGUMENT,
                      "Attr '%s' of node '%s' has type %s, %s was asked for", attr->name, node,
                      oribi_attr_kind_name(attr->kind, attr->is_list),
                      oribi_attr_kind_name(kind, is_list));
}

bool oribi_attr_read_scalar(const oribi_attrs *attrs, const char *node, const char *name,
                            uint8_t kind, const oribi_attr **out, TF_Status *status)
{
    const oribi_attr *attr = oribi_attrs_find(attrs, name);
    if (attr == NULL) {
        return oribi_fail(status, TF_NOT_FOUND, "No attr named '%s' in node '%s'", name, node);
    }
    if (attr->is_list || attr->kind != kind || attr->count != 1) {
        return fail_kind(attr, node, kind, false, status);
    }
    *out = attr;
    return true;
}

bool oribi_attr_read_list(const oribi_attrs *attrs, const char *node, const char *name,
                          uint8_t kind, const oribi_attr **out, TF_Status *status)
{
    const oribi_attr *attr = oribi_attrs_find(attrs, name);
    if (attr == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Operation '%s' has no attr named '%s'.",
                          node, name);
    }
    if (!attr->is_list || (attr->kind != kind && attr->count > 0)) {
        return fail_kind(attr, node, kind, true, status);
    }
    *out = attr;
    return true;
}

/* The elements of these kinds are copied as they lie. */
static bool copy_elements(const oribi_attr *attr, int32_t count, void *out)
{
    if (count > 0) {
        memcpy(out, attr->u.elements, (size_t)count * oribi_attr_element_bytes(attr->kind));
    }
    return true;
}

bool oribi_attr_read_one(const oribi_attrs *attrs, const char *node, const char *name, uint8_t kind,
                         void *out, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    return oribi_attr_read_scalar(attrs, node, name, kind, &attr, status) &&
           copy_elements(attr, 1, out);
}

bool oribi_attr_read_int32(const oribi_attrs *attrs, const char *node, const char *name,
                           int32_t *out, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    ORIBI_TRY(oribi_attr_read_scalar(attrs, node, name, TF_ATTR_INT, &attr, status));
    if (attr->u.i[0] < INT32_MIN || attr->u.i[0] > INT32_MAX) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "Attr '%s' of node '%s' is %" PRId64 ", which does not fit an int32",
                          name, node, attr->u.i[0]);
    }
    *out = (int32_t)attr->u.i[0];
    return true;
}

bool oribi_attr_read_string(const oribi_attrs *attrs, const char *node, const char *name, char *out,
                            size_t max_length, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    ORIBI_TRY(oribi_attr_read_scalar(attrs, node, name, TF_ATTR_STRING, &attr, status));
    const oribi_string *string = &attr->u.s[0];
    size_t length = string->length < max_length ? string->length : max_length;
    if (length > 0) {
        memcpy(out, string->data, length);
    }
    return true;
}

bool oribi_attr_read_tensor(const oribi_attrs *attrs, const char *node, const char *name,
                            TF_Tensor **out, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    ORIBI_TRY(oribi_attr_read_scalar(attrs, node, name, TF_ATTR_TENSOR, &attr, status));
    TF_Tensor *shared = oribi_tensor_share(attr->u.tensor[0]);
    ORIBI_TRY(shared != NULL || oribi_fail_memory(status));
    *out = shared;
    return true;
}

static int take(const oribi_attr *attr, int max)
{
    return attr->count < max ? attr->count : max;
}

bool oribi_attr_read_all(const oribi_attrs *attrs, const char *node, const char *name, uint8_t kind,
                         void *out, int max, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    return oribi_attr_read_list(attrs, node, name, kind, &attr, status) &&
           copy_elements(attr, take(attr, max), out);
}

bool oribi_attr_read_int32s(const oribi_attrs *attrs, const char *node, const char *name,
                            int32_t *out, int max, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    ORIBI_TRY(oribi_attr_read_list(attrs, node, name, TF_ATTR_INT, &attr, status));
    for (int i = 0; i < take(attr, max); i++) {
        out[i] = (int32_t)attr->u.i[i]; /* unchecked, by contract */
    }
    return true;
}

bool oribi_attr_read_strings(const oribi_attrs *attrs, const char *node, const char *name,
                             char **values, size_t *lengths, int max, void *storage,
                             size_t storage_size, TF_Status *status)
{
    const oribi_attr *attr = NULL;
    char *at = storage;
    size_t left = storage_size;
    ORIBI_TRY(oribi_attr_read_list(attrs, node, name, TF_ATTR_STRING, &attr, status));
    for (int i = 0; i < take(attr, max); i++) {
        const oribi_string *string = &attr->u.s[i];
        if (string->length > left) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "Not enough storage for the strings of attr '%s' of node '%s': "
                              "%zu bytes are too few",
                              name, node, storage_size);
        }
        values[i] = at;
        lengths[i] = string->length;
        if (string->length > 0) {
            memcpy(at, string->data, string->length);
        }
        at += string->length;
        left -= string->length;
    }
    return true;
}
