/* SPDX-License-Identifier: Apache-2.0 */
/* Wire cursor: reads protobuf messages in place from untrusted bytes. Nothing is copied, every
 * length is checked against the enclosing message, an error carries the byte offset in the file. It
 * knows no schema. Not here: writing (proto.h). Read next: src/import/onnx/onnx_model.c.
 * Source   protobuf encoding: varint, 64-bit, length-delimited, group (refused), 32-bit.
 */
#ifndef ORIBI_FORMAT_WIRE_H_
#define ORIBI_FORMAT_WIRE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "tensorflow/c/tf_status.h"

enum { ORIBI_WIRE_VARINT = 0, ORIBI_WIRE_64 = 1, ORIBI_WIRE_BYTES = 2, ORIBI_WIRE_32 = 5 };
enum { ORIBI_WIRE_MAX_DEPTH = 64 };

typedef struct oribi_wire { /* a message, and how far it was read */
    const uint8_t *file;    /* first byte of the file: offsets in errors count from here */
    const uint8_t *at, *end;
    int32_t depth; /* messages around this one */
} oribi_wire;

typedef struct oribi_wire_field {
    uint32_t number;
    uint8_t type;        /* ORIBI_WIRE_... */
    uint64_t value;      /* varint and fixed types */
    const uint8_t *data; /* ORIBI_WIRE_BYTES */
    size_t bytes;
    size_t offset; /* of the field's tag in the file */
} oribi_wire_field;

oribi_wire oribi_wire_over(const uint8_t *data, size_t bytes);
/* Reads the next field. False at the end of the message, with the status untouched, and on an
 * error, with the status set: DATA_LOSS when the bytes end too early, INVALID_ARGUMENT for bad
 * encoding. */
bool oribi_wire_next(oribi_wire *wire, oribi_wire_field *out_field, TF_Status *status);
/* Cursor over a message that is a field. INVALID_ARGUMENT: not bytes, or nested too deep. */
bool oribi_wire_enter(const oribi_wire *wire, const oribi_wire_field *field, oribi_wire *out_wire,
                      TF_Status *status);

/* Typed access, INVALID_ARGUMENT when the field has another wire type. `what` is for the message.
 */
bool oribi_wire_string(const oribi_wire_field *field, const char *what, oribi_string *out,
                       TF_Status *status);
bool oribi_wire_int(const oribi_wire_field *field, const char *what, int64_t *out,
                    TF_Status *status);
bool oribi_wire_float(const oribi_wire_field *field, const char *what, float *out,
                      TF_Status *status);

/* Elements of a repeated number field, packed or not: calls of oribi_wire_next find the field, then
 * this reads its elements. Start with *position 0; false at the end or on an error. type is the
 * wire type of one element. */
bool oribi_wire_element(const oribi_wire *wire, const oribi_wire_field *field, uint8_t type,
                        size_t *position, uint64_t *out_value, TF_Status *status);
/* How many elements the field holds; the same for all later reads. */
bool oribi_wire_count(const oribi_wire *wire, const oribi_wire_field *field, uint8_t type,
                      size_t *out_count, TF_Status *status);

#endif
