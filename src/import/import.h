/* SPDX-License-Identifier: Apache-2.0 */
/* Importers: untrusted bytes in, a resolved graph out. Files are opened by open.h. */
#ifndef ORIBI_IMPORT_IMPORT_H_
#define ORIBI_IMPORT_IMPORT_H_

#include "graph/graph.h"

/* A shape that the caller gives to an input, by name: what the file leaves open, it fills. */
typedef struct oribi_input_shape {
    const char *input;
    oribi_shape shape;
    const struct oribi_input_shape *next;
} oribi_input_shape;

/* Whose results quantised TFLite operators have: TensorFlow Lite Micro's, the TensorFlow Lite
 * interpreter's, or that of LiteRT, its successor (docs/rounding.md). */
enum oribi_tflite_variant { ORIBI_VARIANT_TFLM, ORIBI_VARIANT_TFLITE, ORIBI_VARIANT_LITERT };
/* The one of this name; -1: none has it. */
int32_t oribi_tflite_variant_find(const char *name);

/* A tensor of a TensorFlow graph, "node:2": one that a caller gives, or wants. */
typedef struct oribi_import_port {
    const char *name;
    TF_DataType dtype; /* this and the shape: of what is given */
    oribi_shape shape;
} oribi_import_port;
typedef struct oribi_import_variable {
    const char *name; /* what nodes of one process know it by */
    TF_Tensor *value;
} oribi_import_variable;
/* What runs between, in the place of a signature: inputs and outputs have the tensors' names. */
typedef struct oribi_import_ends {
    const oribi_import_port *feeds, *fetches;
    const oribi_import_variable *variables; /* whose values are not those of a checkpoint */
    int32_t n_feeds, n_fetches, n_variables;
} oribi_import_ends;

typedef struct oribi_import_options {
    const char *folder;  /* for external data; NULL: refused */
    bool follow_links;   /* may external data leave the folder through a link */
    bool reads_files;    /* external data is read into memory, not mapped, and counts there */
    uint64_t max_bytes;  /* 0: no limit */
    uint64_t held_bytes; /* of the model's own, counted already */
    enum oribi_tflite_variant tflite_variant;
    const oribi_input_shape *shapes; /* known before a node is translated; the first of a name */
    const char *signature;           /* of a SavedModel; NULL: the one to serve, or the first */
    const oribi_import_ends *ends;   /* of a TensorFlow graph; NULL: as the file says */
    bool batch_is_one;               /* first dimensions of inputs that are open still are 1 */
    bool may_be_open;       /* what wants shapes that are not known may leave the graph open */
    bool may_be_packed;     /* what only runs the graph takes packed files */
    bool is_one_of_several; /* models: a shape may be another one's */
} oribi_import_options;

/* Takes over one reference of source, which owns data. On failure NULL; INVALID_ARGUMENT/DATA_LOSS
 * with the byte offset for a bad file, UNIMPLEMENTED with one report of all missing ops, nodes and
 * providers, RESOURCE_EXHAUSTED for limits. */
oribi_graph *oribi_import(const uint8_t *data, size_t bytes, oribi_source *source,
                          const char *source_name, const oribi_import_options *options,
                          TF_Status *status);
oribi_graph *oribi_import_onnx(const uint8_t *data, size_t bytes, oribi_source *source,
                               const char *source_name, const oribi_import_options *options,
                               TF_Status *status);
oribi_graph *oribi_import_tflite(const uint8_t *data, size_t bytes, oribi_source *source,
                                 const char *source_name, const oribi_import_options *options,
                                 TF_Status *status);
/* "ONNX Conv 1-22 -> Conv2D, DepthwiseConv2dNative, ...", one line each, for `oribi ops --map`. */
void oribi_import_onnx_print_map(struct oribi_text *text);

#endif
