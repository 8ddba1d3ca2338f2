/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a trial's tensors: those that a case gives, or random ones that mean something to
 * some op: axes, sizes, orders, places. Not here: shapes (trial_make.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/trial.h"

static uint16_t half_of(float value) /* of a small number with few bits: exact */
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (value == 0) {
        return 0;
    }
    return (uint16_t)(((bits >> 16) & 0x8000u) | ((((bits >> 23) & 0xffu) - 112u) << 10) |
                      ((bits >> 13) & 0x3ffu));
}

double oribi__trial_half(TF_DataType dtype, uint16_t bits)
{
    const double sign = bits & 0x8000u ? -1.0 : 1.0;
    const int exponent = dtype == TF_HALF ? (bits >> 10) & 0x1f : (bits >> 7) & 0xff;
    const int fraction = dtype == TF_HALF ? bits & 0x3ff : bits & 0x7f;
    const int most = dtype == TF_HALF ? 0x1f : 0xff, width = dtype == TF_HALF ? 10 : 7;
    const int bias = dtype == TF_HALF ? 15 : 127;
    if (exponent == most) {
        return fraction ? (double)NAN : sign * (double)INFINITY;
    }
    return exponent == 0 ? sign * ldexp(fraction, 1 - bias - width)
                         : sign * ldexp(fraction + (1 << width), exponent - bias - width);
}

static void put_element(TF_Tensor *tensor, int64_t i, double value, int64_t integer,
                        oribi_string text)
{
    void *data = tensor->data;
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    switch (tensor->dtype) {
    case TF_FLOAT:
        ((float *)data)[i] = single;
        break;
    case TF_DOUBLE:
        ((double *)data)[i] = value;
        break;
    case TF_HALF:
        ((uint16_t *)data)[i] = half_of(single);
        break;
    case TF_BFLOAT16:
        ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
        break;
    case TF_BOOL:
        ((uint8_t *)data)[i] = value > 0;
        break;
    case TF_STRING:
        TF_TString_Copy((TF_TString *)data + i, text.data, text.length);
        break;
    case TF_COMPLEX64:
        ((float *)data)[2 * i] = single;
        ((float *)data)[2 * i + 1] = -single;
        break;
    case TF_COMPLEX128:
        ((double *)data)[2 * i] = value;
        ((double *)data)[2 * i + 1] = -value;
        break;
    default:
        break;
    }
    switch (oribi_dtype_bytes(tensor->dtype)) {
    case 1:
        if (tensor->dtype != TF_BOOL) {
            ((uint8_t *)data)[i] = (uint8_t)integer;
        }
        break;
    case 2:
        if (tensor->dtype != TF_HALF && tensor->dtype != TF_BFLOAT16) {
            ((uint16_t *)data)[i] = (uint16_t)integer;
        }
        break;
    case 4:
        if (tensor->dtype != TF_FLOAT) {
            ((uint32_t *)data)[i] = (uint32_t)integer;
        }
        break;
    case 8:
        if (tensor->dtype == TF_INT64 || tensor->dtype == TF_UINT64) {
            ((uint64_t *)data)[i] = (uint64_t)integer;
        }
        break;
    default:
        break;
    }
}

static bool is_unsigned(TF_DataType type)
{
    return type == TF_UINT8 || type == TF_UINT16 || type == TF_UINT32 || type == TF_UINT64;
}

static bool is_fraction(TF_DataType type)
{
    return type == TF_FLOAT || type == TF_DOUBLE || type == TF_HALF || type == TF_BFLOAT16 ||
           type == TF_COMPLEX64 || type == TF_COMPLEX128;
}

static double random_value(oribi_trial *t, TF_DataType type, int mode)
{
    static const double steps[] = {0, 1, 2, 3, 0.5, 0.25, -1, -0.75, 1.5, -2};
    switch (type) {
    case TF_FLOAT:
    case TF_DOUBLE:
    case TF_COMPLEX64:
    case TF_COMPLEX128:
        return (double)oribi__trial_random(t, 4001) / 1000 - 2;
    case TF_HALF:
    case TF_BFLOAT16:
        return steps[oribi__trial_random(t, 10)];
    case TF_BOOL:
        return oribi__trial_chance(t, 50);
    default:
        return mode == 0   ? 0
               : mode == 1 ? 1
               : mode == 2 ? (double)oribi__trial_random(t, 3)
                           : (double)oribi__trial_random(t, 9) - (is_unsigned(type) ? 0 : 3);
    }
}

void oribi__trial_fill(oribi_trial *t, TF_Tensor *tensor, const oribi_json_value *range)
{
    static const char *const words[] = {"", "a", "oribi", "a text longer than what fits inline"};
    const int mode = (int)oribi__trial_random(t, 4);
    const bool is_index = tensor->dtype == TF_INT32 || tensor->dtype == TF_INT64;
    /* A vector of integers as long as the first input's rank is often a size or an order. */
    const oribi_shape *first = t->input_shapes ? &t->input_shapes[0] : NULL;
    const bool is_size = first && is_index && tensor->rank == 1 && tensor->dims[0] == first->rank &&
                         oribi__trial_chance(t, 40);
    const bool is_order = is_index && tensor->rank == 1 && oribi__trial_chance(t, 30);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        double value = random_value(t, tensor->dtype, mode);
        if (range && range->count == 2 && range->child->next->number >= range->child->number) {
            const double low = range->child->number;
            const double span = range->child->next->number - low;
            value = low + (!is_fraction(tensor->dtype)
                               ? (double)oribi__trial_random(t, (uint64_t)span + 1)
                               : span * (double)oribi__trial_random(t, 4097) / 4096);
        } else if (is_size) {
            value = (double)first->dims[i];
        } else if (is_order) {
            value = (double)i;
        }
        const char *word = words[oribi__trial_random(t, 4)];
        put_element(tensor, i, value, (int64_t)value, (oribi_string){word, strlen(word)});
    }
}

double oribi__trial_number(const oribi_json_value *value)
{
    const char *text = value->text ? value->text : "";
    return strcmp(text, "nan") == 0    ? (double)NAN
           : strcmp(text, "inf") == 0  ? (double)INFINITY
           : strcmp(text, "-inf") == 0 ? -(double)INFINITY
                                       : value->number;
}

void oribi__trial_fill_given(TF_Tensor *tensor, const oribi_json_value *values)
{
    const int64_t n = TF_TensorElementCount(tensor);
    const oribi_json_value *v = values->child;
    for (int64_t i = 0; i < n && v; i++) { /* too few: the last one is repeated */
        const oribi_string text = {v->text ? v->text : "", v->text ? v->length : 0};
        put_element(tensor, i, oribi__trial_number(v), v->integer, text);
        v = v->next ? v->next : v;
    }
}

/* --- Bytes of recorded tensors --------------------------------------------------------------- */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_hex(const oribi_json_value *value)
{
    bool is = value != NULL && value->kind == ORIBI_JSON_STRING && value->length % 2 == 0;
    for (size_t i = 0; is && i < value->length; i++) {
        is = digit(value->text[i]) >= 0;
    }
    return is;
}

static void read_hex(const oribi_json_value *value, uint8_t *to)
{
    for (size_t i = 0; i + 1 < value->length; i += 2) {
        to[i / 2] = (uint8_t)(digit(value->text[i]) * 16 + digit(value->text[i + 1]));
    }
}

bool oribi__trial_bytes_fit(const oribi_json_value *given, TF_DataType dtype, size_t bytes)
{
    if (dtype != TF_STRING) {
        bool is = is_hex(given) && given->length / 2 == bytes;
        for (size_t i = 0; is && dtype == TF_BOOL && i < given->length; i += 2) {
            is = given->text[i] == '0' && given->text[i + 1] <= '1';
        }
        return is;
    }
    bool fits =
        given->kind == ORIBI_JSON_ARRAY && (size_t)given->count == bytes / sizeof(TF_TString);
    for (const oribi_json_value *v = given->child; fits && v != NULL; v = v->next) {
        fits = is_hex(v);
    }
    return fits;
}

void oribi__trial_fill_bytes(TF_Tensor *tensor, const oribi_json_value *given)
{
    if (tensor->dtype != TF_STRING) {
        read_hex(given, tensor->data);
        return;
    }
    TF_TString *string = tensor->data;
    for (const oribi_json_value *v = given->child; v != NULL; v = v->next) {
        char *at = TF_TString_ResizeUninitialized(string, v->length / 2);
        if (at != NULL) {
            read_hex(v, (uint8_t *)at);
        }
        string++;
    }
}

bool oribi__trial_text(oribi_trial *trial, const oribi_json_value *given, oribi_string *out)
{
    const oribi_json_value *hex = oribi_json_find(given, "hex");
    if (hex == NULL) {
        *out = (oribi_string){given->text != NULL ? given->text : "", given->length};
        return true;
    }
    if (!is_hex(hex)) {
        return false;
    }
    char *text = oribi_arena_array(&trial->arena, hex->length / 2 + 1, 1);
    if (text == NULL) {
        return false;
    }
    read_hex(hex, (uint8_t *)text);
    *out = (oribi_string){text, hex->length / 2};
    return true;
}
