/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by trial*.c, the test of a plugin's kernels. trial.c sends cases to helper processes;
 * there trial_case.c runs one: trial_attrs.c, trial_make.c and trial_value.c make a node and its
 * inputs, trial_run.c computes it under watch, trial_check.c, trial_expect.c and proof.c judge. */
#ifndef ORIBI_PLUGIN_TRIAL_H_
#define ORIBI_PLUGIN_TRIAL_H_

#include "format/json_read.h"
#include "device/pool.h"
#include "kernel/context.h"
#include "author/examine.h"

/* The questions that a case may ask, chosen by its number modulo their count. */
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
    TF_Tensor **variables; /* what the variable of a resource input holds before each run */
    TF_Tensor *attr_tensors[ORIBI_TRIAL_MAX_INPUTS];
    int n_attr_tensors;
    int common_length;  /* of many list attributes of this sample */
    bool is_other;      /* the given case is for another kernel of this op */
    uint64_t constants; /* bits: these inputs are, too; the others as the case says */
    bool is_released;   /* its kernel keeps a packed copy of that input */
    const char *name;   /* of the node; NULL: "trial" */
    bool
        is_recorded; /* `given` is a recorded call: nothing is drawn, inputs may be absent (NULL) */
} oribi_trial;

uint64_t oribi__trial_random(oribi_trial *trial, uint64_t below);
bool oribi__trial_chance(oribi_trial *trial, unsigned percent);
/* Attributes alone: given, constrained or random. */
bool oribi__trial_make_attrs(oribi_trial *trial, TF_Status *status);
/* Random elements, in range [low, high] when the case gives one (or NULL). */
void oribi__trial_fill(oribi_trial *trial, TF_Tensor *tensor, const oribi_json_value *range);
void oribi__trial_fill_given(TF_Tensor *tensor, const oribi_json_value *values);
double oribi__trial_number(const oribi_json_value *value); /* "nan", "inf" and "-inf" too */
/* "bytes" of a recorded tensor: two digits each, of strings a list of such. Do they fill `bytes`
 * bytes of elements of the type, and are they digits? */
bool oribi__trial_bytes_fit(const oribi_json_value *given, TF_DataType dtype, size_t bytes);
void oribi__trial_fill_bytes(TF_Tensor *tensor, const oribi_json_value *given);
/* The text of a string, or of {"hex": ..}, in the arena. False: neither, or no memory. */
bool oribi__trial_text(oribi_trial *trial, const oribi_json_value *given, oribi_string *out);
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
    bool is_silent; /* not ok, and the kernel did not say so: an output is missing */
    TF_Status *status;
    oribi_text bytes; /* of all outputs; strings with their lengths */
    oribi_trial_output *outputs;
    int32_t n_outputs, n_forwarded, n_requests;
    int64_t n_open;       /* handles that the kernel did not delete */
    oribi_text damage;    /* written beyond the ends */
    oribi_text modified;  /* inputs that changed */
    oribi_text variables; /* what they hold afterwards */
} oribi_trial_outcome;

/* Computes once. False: no memory. */
bool oribi__trial_run(const oribi_trial *trial, const oribi_kernel *kernel,
                      const oribi_trial_setting *setting, oribi_trial_outcome *out);
void oribi__trial_outcome_clear(oribi_trial_outcome *outcome);

enum { ORIBI_TRIAL_PATTERN = 0xa5, ORIBI_TRIAL_OTHER_PATTERN = 0x5b };

typedef struct oribi_trial_case {
    oribi_trial trial;
    const char *path;
    oribi_kernel kernel;
    oribi_node_view view;
    oribi_json *json;
    int n_computes;
    uint32_t tried;            /* traits of the op */
    oribi_text model;          /* of the first good trial, in hex */
    bool has_open;             /* contexts stay then, with what is theirs: nothing can be counted */
    oribi_trial_outcome first; /* what all others must agree with */
} oribi_trial_case;

/* As weights are: those that a case calls constant, and all but the first in some random cases. */
bool oribi__trial_is_constant(const oribi_trial *trial, int32_t input);
/* The trial as an ONNX model, in hex (trial_model.c); nothing unless its op has one kernel for the
 * host and for emitted C, and its tensors are small and of types that emitted C has. */
void oribi__trial_model(const oribi_trial *trial, oribi_text *hex);
double oribi__trial_half(TF_DataType dtype, uint16_t bits); /* TF_HALF or TF_BFLOAT16 */

/* A recorded call, in the helper process: the text of the file, answered as JSON. */
void oribi__replay_here(const char *path, const char *file, TF_Buffer *json, TF_Status *status);

/* A finding. */
void oribi__trial_say(oribi_trial_case *c, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Where the process is, should it end here: the probe's reader quotes it. */
void oribi__trial_at(const oribi_trial_case *c, const char *what);
bool oribi__trial_infer(oribi_trial_case *c, const oribi_shape *inputs, TF_Tensor *const *constants,
                        oribi_shape *out, TF_Status *status);
/* Output shapes of a recorded call, by all that the file says of its inputs. */
bool oribi__trial_infer_recorded(oribi_trial_case *c, TF_Status *status);
/* Computes and judges that computation by itself; false: no memory, *out is clear. */
bool oribi__trial_compute(oribi_trial_case *c, const oribi_trial_setting *setting,
                          oribi_trial_outcome *out);
bool oribi__trial_same(const oribi_trial_outcome *a, const oribi_trial_outcome *b);
/* Says where c->first and *o differ. */
void oribi__trial_describe_difference(const oribi_trial_case *c, const oribi_trial_outcome *o,
                                      char out[200]);
/* Shapes inferred from less knowledge against those of trial->output_shapes. */
void oribi__trial_check_inference(oribi_trial_case *c);
/* Creates the kernel of the trial in c->kernel. release: as in oribi_node_view, or NULL. */
bool oribi__trial_create(oribi_trial_case *c, void (*release)(void *arg, int32_t input),
                         TF_Status *status);
/* Everything that a good first computation is compared with. */
void oribi__trial_check_all(oribi_trial_case *c);
/* The traits of the op (proof.c), by c->first; c->tried has those that could be tried. */
void oribi__trial_check_traits(oribi_trial_case *c);
/* Those that the op declares, with what they imply, as bits; and a list of the words of bits. */
uint32_t oribi__traits_declared(const oribi_op_def *op);
void oribi__traits_put(oribi_json *json, const char *key, uint32_t bits);
/* A call that fails must not leak either. */
void oribi__trial_check_failure(oribi_trial_case *c);
/* Outputs, or the error, that a given case expects. */
void oribi__trial_check_expected(oribi_trial_case *c);

#endif
