/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a packed file's header, as the files of this room share them. */
#ifndef ORIBI_IMPORT_PACKED_PACKED_PARTS_H_
#define ORIBI_IMPORT_PACKED_PACKED_PARTS_H_

#include "format/wire.h"
#include "import/graphdef/graphdef_read.h"
#include "import/packed/packed.h"

typedef struct oribi_packed_value { /* what the file says of a value */
    TF_DataType dtype;
    oribi_shape shape;
    oribi_wire units;
} oribi_packed_value;

typedef struct oribi_packed_reader {
    oribi_graph *graph;
    oribi_arena scratch;
    const uint8_t *file, *data;
    size_t bytes, data_bytes;
    oribi_source *source;
    oribi_wire header;
    oribi_map values;  /* oribi_packed_value, by name in the GraphDef */
    oribi_map origins; /* of nodes: texts */
    oribi_source *zeros_source;
    const uint8_t *zeros; /* as many as the largest absent constant has bytes */
    int32_t n_inputs, n_outputs, n_states;
    int64_t n_nodes;
    oribi_value_id *inputs;
    const char **input_names;
    TF_Tensor **states;
} oribi_packed_reader;

/* Has the name no control characters? */
bool oribi_packed_is_name(const char *name, size_t length);
/* A text field in the graph's arena. */
bool oribi_packed_text(oribi_packed_reader *self, const oribi_wire_field *field, const char **out,
                       TF_Status *status);
/* Values, origins, states and packed constants. */
bool oribi_packed_tables(oribi_packed_reader *self, TF_Status *status);
/* Constants of the graph, under their names in the GraphDef. */
bool oribi_packed_constants(oribi_packed_reader *self, oribi_graphdef *def, TF_Status *status);
/* How integers of this value stand for real numbers: none where the file says what cannot be. */
bool oribi_packed_units(oribi_packed_reader *self, oribi_wire units, const oribi_value *value,
                        oribi_quantisation *out, TF_Status *status);

#endif
