/* SPDX-License-Identifier: Apache-2.0 */
/* FlexBuffers: see flex.h. */
#include "import/flex.h"

#include <string.h>

/* Types; the low two bits of a packed type are the logarithm of a width. */
enum {
    INT = 1,
    UINT = 2,
    FLOAT = 3,
    FAR_INT = 6,
    FAR_UINT = 7,
    FAR_FLOAT = 8,
    MAP = 9,
    INTS = 11,
    UINTS = 12,
    BOOL = 26
};

static uint64_t read_bits(const oribi_flex_map *m, size_t at, uint32_t width)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < width; i++) {
        bits |= (uint64_t)m->data[at + i] << (8 * i);
    }
    return bits;
}

static bool is_inside(const oribi_flex_map *m, size_t at, uint64_t count, uint32_t width)
{
    return at <= m->bytes && count <= (m->bytes - at) / width;
}

/* The place to which the offset of this width at `at` points back. */
static bool follow(const oribi_flex_map *m, size_t at, uint32_t width, size_t *out)
{
    if (!is_inside(m, at, 1, width)) {
        return false;
    }
    const uint64_t back = read_bits(m, at, width);
    *out = back <= at ? at - (size_t)back : 0;
    return back > 0 && back <= at;
}

/* A vector whose first element is at `at`; its count lies before. */
static bool open_vector(const oribi_flex_map *m, size_t at, uint32_t width, oribi_flex_vector *out)
{
    if (at < width || !is_inside(m, at - width, 1, width)) {
        return false;
    }
    out->at = at;
    out->width = width;
    out->count = read_bits(m, at - width, width);
    return is_inside(m, at, out->count, width);
}

static bool is_width(uint64_t width)
{
    return width == 1 || width == 2 || width == 4 || width == 8;
}

bool oribi_flex_open(const uint8_t *data, size_t bytes, oribi_flex_map *out)
{
    oribi_flex_map m = {.data = data, .bytes = bytes};
    size_t at, keys;
    if (bytes < 3 || !is_width(data[bytes - 1]) || bytes - 2 < data[bytes - 1]) {
        return false;
    }
    const uint32_t root = data[bytes - 1], type = data[bytes - 2];
    const uint32_t width = 1U << (type & 3U);
    if (type >> 2 != MAP || !follow(&m, bytes - 2 - root, root, &at) || at < 3 * (size_t)width ||
        !open_vector(&m, at, width, &m.values) ||
        !is_inside(&m, at + (size_t)m.values.count * width, m.values.count, 1)) {
        return false;
    }
    const uint64_t key_width = read_bits(&m, at - 2 * (size_t)width, width);
    if (!is_width(key_width) || !follow(&m, at - 3 * (size_t)width, width, &keys) ||
        !open_vector(&m, keys, (uint32_t)key_width, &m.keys) || m.keys.count != m.values.count) {
        return false;
    }
    *out = m;
    return true;
}

static bool has_key(const oribi_flex_map *m, uint64_t i, const char *key)
{
    const size_t length = strlen(key) + 1;
    size_t at;
    return follow(m, m->keys.at + (size_t)i * m->keys.width, m->keys.width, &at) &&
           is_inside(m, at, length, 1) && memcmp(m->data + at, key, length) == 0;
}

static int64_t read_signed(const oribi_flex_map *m, size_t at, uint32_t width)
{
    const uint64_t bits = read_bits(m, at, width), sign = UINT64_C(1) << (8 * width - 1);
    const uint64_t wide = (bits ^ sign) - sign;
    int64_t value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static bool read_float(const oribi_flex_map *m, size_t at, uint32_t width, double *out)
{
    const uint64_t bits = read_bits(m, at, width);
    const uint32_t narrow = (uint32_t)bits;
    float single;
    if (width == 8) {
        memcpy(out, &bits, sizeof *out);
    } else if (width == 4) {
        memcpy(&single, &narrow, sizeof single);
        *out = (double)single;
    }
    return width >= 4;
}

/* Where the value of a key is, and its packed type. */
static bool find(const oribi_flex_map *m, const char *key, size_t *out_at, uint32_t *out_packed)
{
    uint64_t i = 0;
    while (i < m->keys.count && !has_key(m, i, key)) {
        i++;
    }
    if (i == m->keys.count) {
        return false;
    }
    *out_at = m->values.at + (size_t)i * m->values.width;
    *out_packed = m->data[m->values.at + (size_t)(m->values.count * m->values.width + i)];
    return true;
}

bool oribi_flex_ints(const oribi_flex_map *map, const char *key, oribi_flex_vector *out)
{
    size_t at;
    uint32_t packed;
    return find(map, key, &at, &packed) && (packed >> 2 == INTS || packed >> 2 == UINTS) &&
           follow(map, at, map->values.width, &at) &&
           open_vector(map, at, 1U << (packed & 3U), out);
}

int64_t oribi_flex_int_at(const oribi_flex_map *map, const oribi_flex_vector *ints, uint64_t i)
{
    return read_signed(map, ints->at + (size_t)i * ints->width, ints->width);
}

bool oribi_flex_number(const oribi_flex_map *map, const char *key, double *out)
{
    const oribi_flex_map *m = map;
    size_t at;
    uint32_t packed;
    if (!find(m, key, &at, &packed)) {
        return false;
    }
    uint32_t type = packed >> 2, width = m->values.width;
    if (type == FAR_INT || type == FAR_UINT || type == FAR_FLOAT) {
        width = 1U << (packed & 3U);
        type -= FAR_INT - INT;
        if (!follow(m, at, m->values.width, &at) || !is_inside(m, at, 1, width)) {
            return false;
        }
    }
    switch (type) {
    case INT:
        *out = (double)read_signed(m, at, width);
        return true;
    case UINT:
    case BOOL:
        *out = (double)read_bits(m, at, width);
        return true;
    case FLOAT:
        return read_float(m, at, width, out);
    default:
        return false;
    }
}
