/* SPDX-License-Identifier: Apache-2.0 */
/* Flat: reads FlatBuffers in place from untrusted bytes. Nothing is copied and nothing is trusted:
 * each offset, vtable, vector, string and count is checked when it is used, an error carries the
 * byte offset. Numbers may be unaligned. It knows no schema, and the depth of nesting is the
 * caller's: each call goes one step, none recurses. Read next: tflite_model.c.
 * Source   FlatBuffers internals: 32-bit offsets forward, tables with a vtable of 16-bit field
 * offsets.
 */
#ifndef ORIBI_IMPORT_FLAT_H_
#define ORIBI_IMPORT_FLAT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op/attr.h"
#include "tensor/status.h"

typedef struct oribi_flat { /* a whole file */
    const uint8_t *data;
    size_t bytes;
} oribi_flat;

typedef struct oribi_flat_table {
    const oribi_flat *file; /* NULL: an absent table, all of whose fields are absent */
    size_t at, vtable;      /* byte offsets in the file */
    uint16_t vtable_bytes, table_bytes;
} oribi_flat_table;

typedef struct oribi_flat_vector { /* all elements lie inside the file */
    const oribi_flat *file;
    size_t at; /* of the first element */
    uint32_t count;
} oribi_flat_vector;

/* All return false with DATA_LOSS (an offset or size that leaves the file) or INVALID_ARGUMENT, the
 * output untouched. `what` is for the message. Fields are numbered as in the schema, from 0. */
bool oribi_flat_root(const oribi_flat *file, oribi_flat_table *out, TF_Status *status);
/* An absent table has file NULL, an absent vector or string is empty. */
bool oribi_flat_read_table(const oribi_flat_table *table, int field, const char *what,
                           oribi_flat_table *out, TF_Status *status);
bool oribi_flat_read_vector(const oribi_flat_table *table, int field, size_t element_bytes,
                            const char *what, oribi_flat_vector *out, TF_Status *status);
bool oribi_flat_read_string(const oribi_flat_table *table, int field, const char *what,
                            oribi_string *out, TF_Status *status);
/* A signed or unsigned integer of 1, 2, 4 or 8 bytes; unsigned 64-bit ones above INT64_MAX are
 * refused. */
bool oribi_flat_read_int(const oribi_flat_table *table, int field, int bytes, bool is_signed,
                         int64_t absent, const char *what, int64_t *out, TF_Status *status);
bool oribi_flat_read_float(const oribi_flat_table *table, int field, float absent, const char *what,
                           float *out, TF_Status *status);
bool oribi_flat_has(const oribi_flat_table *table, int field);

/* Element `index` of a vector of tables; index < count. */
bool oribi_flat_table_at(const oribi_flat_vector *vector, uint32_t index, const char *what,
                         oribi_flat_table *out, TF_Status *status);
/* Elements of vectors of numbers, index < count. */
int32_t oribi_flat_int32_at(const oribi_flat_vector *vector, uint32_t index);
int64_t oribi_flat_int64_at(const oribi_flat_vector *vector, uint32_t index);
float oribi_flat_float_at(const oribi_flat_vector *vector, uint32_t index);

#endif
