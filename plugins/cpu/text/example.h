/* SPDX-License-Identifier: Apache-2.0 */
/* tf.train.Example, read where it lies: a map of names to lists of texts, floats or integers. Of
 * protobuf only as much as this and a NodeDef want.
 * Source   example.proto, feature.proto; protobuf's encoding.
 */
#ifndef ORIBI_PLUGINS_CPU_EXAMPLE_H_
#define ORIBI_PLUGINS_CPU_EXAMPLE_H_

#include "cpu/text/texts.h"

enum { ORIBI_CPU_VARINT = 0, ORIBI_CPU_BYTES = 2, ORIBI_CPU_FIXED_32 = 5 };

typedef struct oribi_cpu_field {
    uint32_t number, type;
    uint64_t value;      /* of numbers */
    oribi_cpu_span part; /* of bytes */
} oribi_cpu_field;

/* Takes the next field of a message. False: it ends, or *bad says that it is none. */
bool oribi_cpu_field_next(oribi_cpu_span *message, oribi_cpu_field *out, bool *bad);
/* The last field of this number and of bytes; false: it has none. */
bool oribi_cpu_field_find(oribi_cpu_span message, uint32_t number, oribi_cpu_span *out);

/* The features of an example, one after the other: what each is called, and what its list is. False
 * as above. Begins with `rest` the example and `map` empty. */
typedef struct oribi_cpu_features {
    oribi_cpu_span rest, map;
    oribi_cpu_span key, list; /* of this one */
    bool bad;
} oribi_cpu_features;
bool oribi_cpu_features_next(oribi_cpu_features *self);

/* The values of a feature, which are all of one type. */
typedef struct oribi_cpu_values {
    TF_DataType dtype; /* TF_STRING, TF_FLOAT, TF_INT64; 0: there is nothing in it */
    oribi_cpu_span rest, packed;
    oribi_cpu_field at; /* the value: at.part or at.value */
    bool bad;
} oribi_cpu_values;
oribi_cpu_values oribi_cpu_values_of(oribi_cpu_span feature);
bool oribi_cpu_values_next(oribi_cpu_values *self);

#endif
