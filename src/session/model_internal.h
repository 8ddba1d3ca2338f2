/* SPDX-License-Identifier: Apache-2.0 */
/* A model: the bytes, kept mapped, and what a reader of them found. Each session imports the bytes
 * again, which is cheap because weights stay where they are. */
#ifndef ORIBI_SESSION_MODEL_INTERNAL_H_
#define ORIBI_SESSION_MODEL_INTERNAL_H_

#include "import/open.h"
#include "session/session_internal.h"

struct oribi_model {
    oribi_model_file file;
    oribi_mutex lock;
    oribi_graph *first;        /* imported when the model was opened; the first session takes it */
    struct oribi_packs *packs; /* one reference: what kernels of its sessions packed */
    oribi_arena arena;
    const char **input_names, **output_names;
    TF_DataType *input_types, *output_types;
    oribi_quantisation *input_units, *output_units;
    oribi_shape *input_shapes, *output_shapes;
    int32_t n_inputs, n_outputs, n_states;
    const oribi_metadata *metadata;
    const oribi_input_shape *shapes; /* of the options that it was opened with */
    bool follow_links;
    enum oribi_tflite_variant tflite_variant;
    const char *signature;         /* of a SavedModel, or NULL */
    const oribi_import_ends *ends; /* the caller's, or NULL */
    uint64_t max_bytes;
};

#endif
