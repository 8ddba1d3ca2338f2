/* SPDX-License-Identifier: Apache-2.0 */
/* One element of a tensor as text and back, exactly: whole numbers never go through a float, floats
 * get the digits that tell them apart, strings keep every byte.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Width in bits, and whether there is a sign; 0: no whole number. */
static int whole_bits(TF_DataType type, bool *has_sign)
{
    *has_sign = true;
    switch ((int)type) {
    case TF_INT64:
        return 64;
    case TF_INT32:
    case TF_QINT32:
        return 32;
    case TF_INT16:
    case TF_QINT16:
        return 16;
    case TF_INT8:
    case TF_QINT8:
        return 8;
    default:
        break;
    }
    *has_sign = false;
    switch ((int)type) {
    case TF_UINT64:
        return 64;
    case TF_UINT32:
        return 32;
    case TF_UINT16:
    case TF_QUINT16:
        return 16;
    case TF_UINT8:
    case TF_QUINT8:
        return 8;
    case TF_BOOL:
        return 1;
    default:
        return 0;
    }
}

static uint64_t read_bits(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, at, bytes); /* little endian, as everywhere here */
    return value;
}

static uint16_t to_half(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;

    if (isnan(value)) {
        return 0x7e00;
    }
    if (size >= 65520) {
        return (uint16_t)(sign | 0x7c00);
    }
    if (size < ldexp(1, -14)) {
        return (uint16_t)(sign | (uint16_t)nearbyint(ldexp(size, 24)));
    }
    (void)frexp(size, &exponent);
    /* A fraction that rounds up to 2048 carries into the exponent, as it should. */
    return (uint16_t)(sign + ((exponent + 13) << 10) + (int)nearbyint(ldexp(size, 11 - exponent)));
}

/* Nearest, ties to even. */
static uint16_t to_bfloat(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static bool parse_whole(const char *text, char **end, int bits, bool has_sign, uint64_t *out)
{
    errno = 0;
    if (bits == 1 && (strncmp(text, "true", 4) == 0 || strncmp(text, "false", 5) == 0)) {
        *out = text[0] == 't';
        *end = (char *)(uintptr_t)text + (*out != 0 ? 4 : 5);
        return true;
    }
    if (has_sign) {
        int64_t value = strtoll(text, end, 10), most = INT64_MAX >> (64 - bits);
        *out = (uint64_t)value;
        return errno == 0 && value <= most && value >= -most - 1;
    }
    *out = strtoull(text, end, 10);
    return errno == 0 && strchr(text, '-') == NULL && *out <= UINT64_MAX >> (64 - bits);
}

static bool parse_real(const char *text, char **end, TF_DataType type, void *at)
{
    double value = strtod(text, end);
    float narrow = strtof(text, end);
    bool fits = isfinite(narrow) || !isfinite(value);
    uint16_t bits;

    if (isinf(value) && strpbrk(text, "iI") == NULL) {
        return false; /* a number beyond the type's, not an infinity */
    }
    switch ((int)type) {
    case TF_DOUBLE:
        memcpy(at, &value, sizeof value);
        return true;
    case TF_FLOAT:
        memcpy(at, &narrow, sizeof narrow);
        return fits;
    case TF_HALF:
        bits = to_half(value);
        fits = (bits & 0x7fff) != 0x7c00 || isinf(value);
        break;
    default:
        bits = to_bfloat(narrow);
        fits = (bits & 0x7fff) != 0x7f80 || isinf(value);
        break;
    }
    memcpy(at, &bits, sizeof bits);
    return fits;
}

/* Text up to a comma; a backslash takes the byte after it as it is. */
static const char *parse_string(const char *text, TF_TString *out)
{
    char *plain = cli_alloc(strlen(text) + 1);
    size_t n = 0;

    for (; *text != 0 && *text != ','; text++) {
        text += text[0] == '\\' && text[1] != 0;
        plain[n++] = *text;
    }
    TF_StringCopy(out, plain, n);
    free(plain);
    return text;
}

const char *cli_element_parse(const TF_Tensor *tensor, int64_t index, const char *text)
{
    const TF_DataType type = TF_TensorType(tensor);
    uint8_t *data = TF_TensorData(tensor);
    const size_t size = type == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(type);
    uint8_t *at = data + (size_t)index * size;
    char word[64], *end = word;
    bool has_sign, good;
    uint64_t value;
    const int bits = whole_bits(type, &has_sign);

    if (type == TF_STRING) {
        return parse_string(text, (TF_TString *)(void *)at);
    }
    const size_t length = strcspn(text, ",");
    if (length == 0 || length >= sizeof word || strchr(" \t\n\v\f\r", text[0]) != NULL) {
        return NULL;
    }
    memcpy(word, text, length);
    word[length] = 0;
    if (bits > 0) {
        good = parse_whole(word, &end, bits, has_sign, &value);
        memcpy(at, &value, size);
    } else if (type == TF_FLOAT || type == TF_DOUBLE || type == TF_HALF || type == TF_BFLOAT16) {
        good = parse_real(word, &end, type, at);
    } else {
        return NULL;
    }
    return good && end == word + length ? text + length : NULL;
}

bool cli_element_store_unit(TF_Tensor *tensor, int64_t index, double unit)
{
    const TF_DataType type = TF_TensorType(tensor);
    const size_t size = TF_DataTypeSize(type);
    uint8_t *at = (uint8_t *)TF_TensorData(tensor) + (size_t)index * size;
    bool has_sign;
    const int bits = whole_bits(type, &has_sign);

    if (bits > 0) {
        /* 0..255; an i8 wraps, a bool is whether it is not 0. */
        uint64_t value = (uint64_t)(unit * 256);
        value = bits == 1 ? unit != 0 : value;
        memcpy(at, &value, size);
    } else if (type == TF_DOUBLE) {
        memcpy(at, &unit, size);
    } else if (type == TF_FLOAT) {
        float narrow = (float)unit;
        memcpy(at, &narrow, size);
    } else if (type == TF_HALF || type == TF_BFLOAT16) {
        uint16_t half = type == TF_HALF ? to_half(unit) : to_bfloat((float)unit);
        memcpy(at, &half, size);
    } else {
        return false;
    }
    return true;
}

/* Nine digits tell any two floats apart, 17 any two doubles, of which shorter ones often will. */
void cli_real_format(double value, bool is_double, char *out, size_t size)
{
    if (value == nearbyint(value) && fabs(value) < 9007199254740992.0) {
        (void)snprintf(out, size, "%.0f", value);
        return;
    }
    for (int digits = is_double ? 15 : 9; digits <= (is_double ? 17 : 9); digits++) {
        (void)snprintf(out, size, "%.*g", digits, value);
        if (strtod(out, NULL) == value) {
            return;
        }
    }
}

void cli_element_format(const TF_Tensor *tensor, int64_t index, char *out, size_t size)
{
    const TF_DataType type = TF_TensorType(tensor);
    const size_t bytes = TF_DataTypeSize(type);
    const uint8_t *at = (const uint8_t *)TF_TensorData(tensor) + (size_t)index * bytes;
    bool has_sign;
    const int bits = whole_bits(type, &has_sign);

    if (bits == 0) {
        cli_real_format(cli_element(tensor, index), type == TF_DOUBLE, out, size);
        return;
    }
    uint64_t value = read_bits(at, bytes);
    if (has_sign && bits < 64 && value >> (bits - 1) != 0) {
        value |= UINT64_MAX << bits;
    }
    if (has_sign) {
        (void)snprintf(out, size, "%" PRId64, (int64_t)value);
    } else {
        (void)snprintf(out, size, "%" PRIu64, value);
    }
}

static uint64_t order_of(const TF_Tensor *tensor, int64_t index, bool has_sign)
{
    const size_t bytes = 8;
    uint64_t value = read_bits((const uint8_t *)TF_TensorData(tensor) + (size_t)index * bytes, 8);

    return has_sign ? value ^ UINT64_C(1) << 63 : value;
}

bool cli_element_is_less(const TF_Tensor *tensor, int64_t a, int64_t b)
{
    const TF_DataType type = TF_TensorType(tensor);

    if (type == TF_INT64 || type == TF_UINT64) { /* a double does not tell all of them apart */
        return order_of(tensor, a, type == TF_INT64) < order_of(tensor, b, type == TF_INT64);
    }
    return cli_element(tensor, a) < cli_element(tensor, b);
}
