/* SPDX-License-Identifier: Apache-2.0 */
/* The file that `oribi pack` writes: an optimised graph, its constants, and what kernels packed of
 * them, to be mapped and run. Written by src/session/pack/pack_write.c, read by packed_read.c;
 * what it is for: docs/reference/running/pack.md.
 *
 *   head     64 bytes, numbers little endian: magic 8, format 4, 0 4, bytes of the header 8, bytes
 *            of the file 8, digest of the header 16, zeros
 *   header   a protobuf message, whose fields are below
 *   data     from a multiple of 4096 on: constants and packed constants, each on a multiple of 64;
 *            offsets count from there
 */
#ifndef ORIBI_IMPORT_PACKED_PACKED_H_
#define ORIBI_IMPORT_PACKED_PACKED_H_

#include "import/import.h"

#define ORIBI_PACKED_MAGIC "oribipk\n" /* 8 bytes; no ONNX or TFLite file begins so */
enum {
    ORIBI_PACKED_FORMAT = 1,
    ORIBI_PACKED_HEAD_BYTES = 64,
    ORIBI_PACKED_DATA_ALIGNMENT = 4096,
    ORIBI_PACKED_ALIGNMENT = 64
};

enum {                           /* fields of the header */
       ORIBI_PACKED_VERSION = 1, /* of the library that wrote it: "1.1.0" */
       ORIBI_PACKED_MACHINE = 2, /* "x86_64" */
       ORIBI_PACKED_SOURCE = 3,  /* name of the model's file, for messages */
       ORIBI_PACKED_GRAPH = 4,   /* a GraphDef; its inputs and constants are Placeholders */
       ORIBI_PACKED_INPUT = 5,   /* PORT; the last n_states belong to states */
       ORIBI_PACKED_OUTPUT = 6,  /* PORT */
       ORIBI_PACKED_CONSTANT = 7,
       ORIBI_PACKED_VALUE = 8,   /* what is known of an input or of a node's output */
       ORIBI_PACKED_BLOB = 9,    /* packed constants of a node */
       ORIBI_PACKED_ORIGIN = 10, /* of a node */
       ORIBI_PACKED_STATE = 11,  /* a TensorProto: the value before the first run */
       ORIBI_PACKED_N_NODES = 12,
       ORIBI_PACKED_PRODUCER = 13
};
enum { /* PORT: a value by its name in the GraphDef, and what the model calls it */
       ORIBI_PORT_NAME = 1,
       ORIBI_PORT_VALUE = 2,
       ORIBI_PORT_UNITS = 3
};
enum {
    ORIBI_CONSTANT_NAME = 1,
    ORIBI_CONSTANT_DTYPE = 2,
    ORIBI_CONSTANT_SHAPE = 3, /* a TensorShapeProto, full */
    ORIBI_CONSTANT_OFFSET = 4,
    ORIBI_CONSTANT_STRIDES = 5,  /* in bytes; of an absent one that is not dense */
    ORIBI_CONSTANT_IS_ABSENT = 6 /* only blobs have it */
};
enum { ORIBI_VALUE_NAME = 1, ORIBI_VALUE_SHAPE = 2, ORIBI_VALUE_UNITS = 3, ORIBI_VALUE_DTYPE = 4 };
enum { ORIBI_UNITS_AXIS = 1, ORIBI_UNITS_SCALES = 2, ORIBI_UNITS_ZEROS = 3 };
enum {
    ORIBI_BLOB_NODE = 1,
    ORIBI_BLOB_KERNEL = 2,
    ORIBI_BLOB_LAYOUT = 3,
    ORIBI_BLOB_OFFSET = 4,
    ORIBI_BLOB_BYTES = 5
};
enum { ORIBI_ORIGIN_NODE = 1, ORIBI_ORIGIN_TEXT = 2 };

/* "1.1.0" and "x86_64": of the library that runs. */
const char *oribi_packed_version(void);
const char *oribi_packed_machine(void);

/* Do the bytes begin as a packed file does? */
bool oribi_is_packed(const uint8_t *data, size_t bytes);
/* As oribi_import. FAILED_PRECONDITION: the file is of another version or machine. */
oribi_graph *oribi_import_packed(const uint8_t *data, size_t bytes, oribi_source *source,
                                 const char *source_name, const oribi_import_options *options,
                                 TF_Status *status);

#endif
