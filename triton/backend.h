/* SPDX-License-Identifier: Apache-2.0 */
/* What do the files of the backend share? A model as it is served, an instance of it, and the doors
 * between configuration (config.c), sequences (sequence.c), batches (batch.c) and tensors (port.c).
 */
#ifndef ORIBI_TRITON_BACKEND_H_
#define ORIBI_TRITON_BACKEND_H_

#include "base/arena.h"
#include "oribi/oribi.h"
#include "triton_api.h"

#define TRY(call)                                                                                  \
    do {                                                                                           \
        TRITONSERVER_Error *error_ = (call);                                                       \
        if (error_ != NULL) {                                                                      \
            return error_;                                                                         \
        }                                                                                          \
    } while (0)

enum { TRITON_MAX_RANK = 254, TRITON_MAX_SEQUENCES = 4096 };

typedef struct triton_carried { /* an input that Triton keeps from one request of a sequence on */
    const char *input, *output;
} triton_carried;

typedef struct triton_part { /* of the configuration, JSON */
    const char *key, *text;  /* NULL: it says nothing */
    size_t length;
} triton_part;

typedef struct triton_model {
    oribi_model *model;
    oribi_session *session;
    oribi_arena arena;  /* of what the configuration said */
    const char *source; /* the configuration as Triton has it, JSON */
    int64_t max_rows;   /* of a batch; 0: a request's shapes are the model's own */
    int32_t
        n_sequences; /* whose state an instance keeps; 0: the model keeps none, or nobody asks */
    int32_t n_carried;
    const triton_carried *carried;
    int32_t threads; /* what "parameters" said; 0: nothing */
    uint64_t max_bytes, time_limit_ns;
    triton_part inputs, outputs, scheduler; /* what goes back to Triton as it came */
} triton_model;

typedef struct triton_sequence {
    char id[160];
    oribi_run *run; /* has its state */
    uint64_t last_used;
    bool is_open;
} triton_sequence;

typedef struct triton_instance {
    triton_model *model;
    oribi_run *run; /* of requests that belong to no sequence */
    triton_sequence *sequences;
    uint64_t clock;
} triton_instance;

/* --- backend.c: errors */
TRITONSERVER_Error *triton_fail(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
TRITONSERVER_Error *triton_error_of(const TF_Status *status); /* NULL: none */
TRITONSERVER_Error *triton_no_memory(void);
void triton_forget(TRITONSERVER_Error *error);

/* --- config.c */
/* What the configuration asks for; before the model is opened. */
TRITONSERVER_Error *triton_config_read(TRITONBACKEND_Model *model, triton_model *out);
/* Can the model do it? And what the configuration leaves open is what the model says. */
TRITONSERVER_Error *triton_config_complete(TRITONBACKEND_Model *model, const triton_model *served);

/* --- sequence.c */
/* The run that has the state of the request's sequence, from its first values on where it begins.
 */
TRITONSERVER_Error *triton_sequence_find(triton_instance *instance, TRITONBACKEND_Request *request,
                                         triton_sequence **out, TF_Status *status);
/* After its answer: a sequence that ends is forgotten. */
void triton_sequence_close(triton_sequence *sequence, TRITONBACKEND_Request *request);

/* --- batch.c */
/* Answers all of them, and gives them back. */
void triton_batch_execute(TRITONBACKEND_ModelInstance *handle, triton_instance *instance,
                          TRITONBACKEND_Request **requests, uint32_t n);

/* --- port.c */
const char *
triton_type_name(TF_DataType type); /* as a configuration has it; NULL: Triton has none */
int triton_type(TF_DataType type);  /* 0: Triton has none */
int triton_find_port(const oribi_model *model, bool is_input, const char *name); /* -1: none */
/* May an input of these sizes have so many bytes? Strings take four and more. */
bool triton_shape_fits(TF_DataType type, const int64_t *dims, int rank, uint64_t bytes);
/* A tensor of these sizes to be filled; strings are empty. */
TRITONSERVER_Error *triton_tensor_make(TF_DataType type, const int64_t *dims, int rank,
                                       TF_Tensor **out);
/* The input's bytes as elements [begin, begin + count) of the tensor. */
TRITONSERVER_Error *triton_tensor_fill(TF_Tensor *tensor, int64_t begin, int64_t count,
                                       TRITONBACKEND_Input *input, uint32_t n_buffers,
                                       uint64_t bytes);
/* Elements [begin, begin + count) of the tensor as Triton has them: their bytes, written where
 * `to` is not NULL. */
size_t triton_tensor_take(const TF_Tensor *tensor, int64_t begin, int64_t count, uint8_t *to);

#endif
