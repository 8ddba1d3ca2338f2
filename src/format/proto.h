/* SPDX-License-Identifier: Apache-2.0 */
/* Protobuf writer over oribi_text: fields in order, nothing kept. Errors show in text->failed.
 * Not here: reading (wire.h).
 */
#ifndef ORIBI_FORMAT_PROTO_H_
#define ORIBI_FORMAT_PROTO_H_

#include <stdint.h>

#include "base/text.h"

/* Bare elements of a packed field. */
void oribi_proto_varint(oribi_text *out, uint64_t value);
void oribi_proto_float_bits(oribi_text *out, float value);
void oribi_proto_number(oribi_text *out, unsigned field, uint64_t value);
void oribi_proto_bytes(oribi_text *out, unsigned field, const void *bytes, size_t length);
void oribi_proto_string(oribi_text *out, unsigned field,
                        const char *string); /* NULL, "": nothing */
void oribi_proto_float(oribi_text *out, unsigned field, float value);
/* Appends inner as a message field and empties it. */
void oribi_proto_message(oribi_text *out, unsigned field, oribi_text *inner);

#endif
