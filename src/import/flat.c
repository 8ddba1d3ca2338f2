/* SPDX-License-Identifier: Apache-2.0 */
/* See flat.h. */
#include "import/flat.h"

#include <string.h>

static bool outside(size_t at, const char *what, TF_Status *status)
{
    return oribi_fail(status, TF_DATA_LOSS,
                      "byte %zu: %s reaches past the end of the file; it is truncated or damaged",
                      at, what);
}

static bool fits(const oribi_flat *file, size_t at, size_t bytes)
{
    return at <= file->bytes && bytes <= file->bytes - at;
}

static uint64_t load(const oribi_flat *file, size_t at, int bytes) /* little endian */
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t)file->data[at + (size_t)i] << (8 * i);
    }
    return value;
}

/* Where the offset that is stored at `at` leads to. */
static bool follow(const oribi_flat *file, size_t at, const char *what, size_t *out,
                   TF_Status *status)
{
    if (!fits(file, at, 4)) {
        return outside(at, what, status);
    }
    size_t offset = (size_t)load(file, at, 4);
    if (offset == 0) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: the offset of %s is 0", at, what);
    }
    if (!fits(file, at, offset) || at + offset == file->bytes) {
        return outside(at, what, status);
    }
    *out = at + offset;
    return true;
}

/* The table's first word leads back (or forward) to its vtable. */
static bool open_table(const oribi_flat *file, size_t at, const char *what, oribi_flat_table *out,
                       TF_Status *status)
{
    if (!fits(file, at, 4)) {
        return outside(at, what, status);
    }
    int64_t vtable = (int64_t)at - (int32_t)(uint32_t)load(file, at, 4);
    if (vtable < 0 || (uint64_t)vtable > file->bytes || !fits(file, (size_t)vtable, 4)) {
        return outside(at, what, status);
    }
    oribi_flat_table table = {.file = file, .at = at, .vtable = (size_t)vtable};
    table.vtable_bytes = (uint16_t)load(file, table.vtable, 2);
    table.table_bytes = (uint16_t)load(file, table.vtable + 2, 2);
    if (table.vtable_bytes < 4 || table.vtable_bytes % 2 != 0 || table.table_bytes < 4) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "byte %zu: the vtable of %s has an impossible size", table.vtable, what);
    }
    if (!fits(file, table.vtable, table.vtable_bytes) || !fits(file, at, table.table_bytes)) {
        return outside(at, what, status);
    }
    *out = table;
    return true;
}

bool oribi_flat_root(const oribi_flat *file, oribi_flat_table *out, TF_Status *status)
{
    size_t at = 0;
    return follow(file, 0, "the root table", &at, status) &&
           open_table(file, at, "the root table", out, status);
}

bool oribi_flat_has(const oribi_flat_table *table, int field)
{
    size_t entry = 4 + 2 * (size_t)field;
    return table->file != NULL && entry + 2 <= table->vtable_bytes &&
           load(table->file, table->vtable + entry, 2) != 0;
}

/* Where the field's `bytes` bytes lie; the field is there. */
static bool locate(const oribi_flat_table *table, int field, size_t bytes, const char *what,
                   size_t *out, TF_Status *status)
{
    size_t offset = (size_t)load(table->file, table->vtable + 4 + 2 * (size_t)field, 2);
    if (offset < 4 || offset + bytes > table->table_bytes) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "byte %zu: the field of %s lies outside its table", table->at, what);
    }
    *out = table->at + offset;
    return true;
}

static bool field_target(const oribi_flat_table *table, int field, const char *what, size_t *out,
                         TF_Status *status)
{
    size_t at = 0;
    return locate(table, field, 4, what, &at, status) && follow(table->file, at, what, out, status);
}

bool oribi_flat_read_table(const oribi_flat_table *table, int field, const char *what,
                           oribi_flat_table *out, TF_Status *status)
{
    size_t at = 0;
    if (!oribi_flat_has(table, field)) {
        *out = (oribi_flat_table){0};
        return true;
    }
    return field_target(table, field, what, &at, status) &&
           open_table(table->file, at, what, out, status);
}

static bool open_vector(const oribi_flat *file, size_t at, size_t element_bytes, const char *what,
                        oribi_flat_vector *out, TF_Status *status)
{
    if (!fits(file, at, 4)) {
        return outside(at, what, status);
    }
    uint32_t count = (uint32_t)load(file, at, 4);
    if (count > (file->bytes - at - 4) / element_bytes) {
        return outside(at, what, status);
    }
    *out = (oribi_flat_vector){file, at + 4, count};
    return true;
}

bool oribi_flat_read_vector(const oribi_flat_table *table, int field, size_t element_bytes,
                            const char *what, oribi_flat_vector *out, TF_Status *status)
{
    size_t at = 0;
    if (!oribi_flat_has(table, field)) {
        *out = (oribi_flat_vector){0};
        return true;
    }
    return field_target(table, field, what, &at, status) &&
           open_vector(table->file, at, element_bytes, what, out, status);
}

bool oribi_flat_read_string(const oribi_flat_table *table, int field, const char *what,
                            oribi_string *out, TF_Status *status)
{
    oribi_flat_vector vector = {0};
    if (!oribi_flat_read_vector(table, field, 1, what, &vector, status)) {
        return false;
    }
    *out = vector.file == NULL
               ? (oribi_string){"", 0}
               : (oribi_string){(const char *)vector.file->data + vector.at, vector.count};
    return true;
}

bool oribi_flat_read_int(const oribi_flat_table *table, int field, int bytes, bool is_signed,
                         int64_t absent, const char *what, int64_t *out, TF_Status *status)
{
    size_t at = 0;
    if (!oribi_flat_has(table, field)) {
        *out = absent;
        return true;
    }
    if (!locate(table, field, (size_t)bytes, what, &at, status)) {
        return false;
    }
    uint64_t value = load(table->file, at, bytes);
    if (!is_signed && value > INT64_MAX) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "byte %zu: %s is too large", at, what);
    }
    if (is_signed && bytes < 8 && (value >> (8 * bytes - 1)) != 0) {
        value |= UINT64_MAX << (8 * bytes);
    }
    *out = (int64_t)value;
    return true;
}

bool oribi_flat_read_float(const oribi_flat_table *table, int field, float absent, const char *what,
                           float *out, TF_Status *status)
{
    size_t at = 0;
    if (!oribi_flat_has(table, field)) {
        *out = absent;
        return true;
    }
    if (!locate(table, field, 4, what, &at, status)) {
        return false;
    }
    uint32_t bits = (uint32_t)load(table->file, at, 4);
    memcpy(out, &bits, sizeof bits);
    return true;
}

bool oribi_flat_table_at(const oribi_flat_vector *vector, uint32_t index, const char *what,
                         oribi_flat_table *out, TF_Status *status)
{
    size_t at = 0;
    return follow(vector->file, vector->at + 4 * (size_t)index, what, &at, status) &&
           open_table(vector->file, at, what, out, status);
}

int32_t oribi_flat_int32_at(const oribi_flat_vector *vector, uint32_t index)
{
    return (int32_t)(uint32_t)load(vector->file, vector->at + 4 * (size_t)index, 4);
}

int64_t oribi_flat_int64_at(const oribi_flat_vector *vector, uint32_t index)
{
    return (int64_t)load(vector->file, vector->at + 8 * (size_t)index, 8);
}

float oribi_flat_float_at(const oribi_flat_vector *vector, uint32_t index)
{
    uint32_t bits = (uint32_t)load(vector->file, vector->at + 4 * (size_t)index, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
