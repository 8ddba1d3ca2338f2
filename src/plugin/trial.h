/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by trial*.c, the test of a plugin's kernels. trial.c sends cases to helper processes;
 * there trial_case.c runs one: trial_make.c makes a node and its inputs, trial_run.c computes it
 * under watch, trial_case.c compares. */
#ifndef ORIBI_PLUGIN_TRIAL_H_
#define ORIBI_PLUGIN_TRIAL_H_

#include "base/json_read.h"
#include "device/pool.h"
#include "kernel/context.h"
#include "plugin/examine.h"

/* What a case is to find out, by its number modulo their count. */
typedef enum oribi_trial_kind {
    ORIBI_TRIAL_PLAIN,
    ORIBI_TRIAL_PLAIN_AGAIN,
    ORIBI_TRIAL_EMPTY,
    ORIBI_TRIAL_LARGE,
    ORIBI_TRIAL_HOSTILE, /* inputs that the shape function refuses, strange attributes */
    ORIBI_TRIAL_PLAIN_LAST,
    ORIBI_TRIAL_KINDS
} oribi_trial_kind;

enum { ORIBI_TRIAL_MAX_INPUTS = 16 };

/* A node with its inputs. All memory is of the arena, save the tensors. */
typedef struct oribi_trial {
    oribi_arena arena;
    uint64_t random;
    oribi_trial_kind kind;
    const oribi_kernel_def *def; /* NULL: the shape function alone */
    const oribi_op_def *op;
    const oribi_json_value *given; /* case of a file, or NULL */
    oribi_attrs attrs;
    oribi_signature signature;
    oribi_shape *input_shapes, *output_shapes;
    TF_Tensor **inputs;
} oribi_trial;

uint64_t oribi__trial_random(oribi_trial *trial, uint64_t below);
/* Fresh attributes, types, shapes and inputs. False: they do not go together, status says why. */
bool oribi__trial_make(oribi_trial *trial, TF_Status *status);
/* Ends one sample; random, kind, def, op and given stay. */
void oribi__trial_clear(oribi_trial *trial);
void oribi__trial_print(const oribi_trial *trial, oribi_text *text);

typedef struct oribi_trial_setting {
    uint8_t pattern; /* of bytes that nobody has written yet */
    bool forwards;   /* inputs may be taken over */
    bool aliases;    /* equal inputs are one tensor */
    int fail_at;     /* the n-th request for memory is refused; 0: none */
    oribi_pool *pool;
} oribi_trial_setting;

typedef struct oribi_trial_output {
    TF_DataType dtype;
    int32_t rank;
    int64_t dims[ORIBI_INLINE_RANK];
    size_t begin, bytes; /* in the outcome's text */
} oribi_trial_output;

typedef struct oribi_trial_outcome {
    bool is_ok;
    TF_Status *status;
    oribi_text bytes; /* of all outputs; strings with their lengths */
    oribi_trial_output *outputs;
    int32_t n_outputs, n_forwarded, n_requests;
    int64_t n_open;      /* handles that the kernel did not delete */
    oribi_text damage;   /* written beyond the ends */
    oribi_text modified; /* inputs that changed */
} oribi_trial_outcome;

/* Computes once. False: no memory. */
bool oribi__trial_run(const oribi_trial *trial, const oribi_kernel *kernel,
                      const oribi_trial_setting *setting, oribi_trial_outcome *out);
void oribi__trial_outcome_clear(oribi_trial_outcome *outcome);

#endif
