/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: registrations, choice, creation. What a kernel sees while it runs is in context.h.
 * A kernel knows nodes only as oribi_node_view: this room does not see the graph.
 */
#ifndef ORIBI_KERNEL_KERNEL_H_
#define ORIBI_KERNEL_KERNEL_H_

#include "op/op.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_extension.h"

typedef struct oribi_kernel_constraint {
    const char *attr;
    TF_DataType type; /* the attribute, or every element of a list attribute, must equal it */
    /* From a serialised KernelDef: a list of types, strings, ints or bools of which the attribute
     * must be one; type is 0 then. NULL otherwise. */
    const oribi_attr *allowed;
    struct oribi_kernel_constraint *next;
} oribi_kernel_constraint;

typedef struct oribi_kernel_def { /* lives for ever once committed */
    const char *op_name, *device_type, *label, *kernel_name;
    const char *provider; /* "built-in" or the plugin's file */
    int32_t priority;
    oribi_kernel_constraint *constraints;
    const char *const *host_memory_args;
    int32_t n_host_memory_args;
    uint64_t strided_outputs; /* bit i: output i may be written with a row stride */
    void *(*create)(TF_OpKernelConstruction *);
    void (*compute)(void *, TF_OpKernelContext *);
    void (*compute_async)(void *, TF_OpKernelContext *, TF_AsyncOpKernelDoneCallback *);
    void (*destroy)(void *);
    TF_KernelFunctions functions; /* behind those above; all 0 without data of the author's */
    int32_t sequence;             /* order of registration */
} oribi_kernel_def;

struct oribi_text;
struct oribi_pool;

/* Constant input as the graph has it: maybe strided, maybe a splat (all strides 0), never copied.
 */
typedef struct oribi_constant_view {
    TF_DataType dtype;
    int32_t rank;
    const int64_t *dims;
    const int64_t *strides; /* bytes; NULL: dense row major */
    const void *data;
} oribi_constant_view;

/* Packed bytes that a kernel reads: one reference of it. */
typedef struct oribi_packed {
    const void *data;
    size_t bytes;
    uint64_t inputs;
    char *layout;
    void (*release)(struct oribi_packed *packed); /* frees the struct too */
    void *owner;                                  /* for release */
    struct oribi_packed *next;                    /* of the kernel */
} oribi_packed;

/* The host among devices, as TensorFlow has it in NodeDefs. */
#define ORIBI_HOST_PLACE "/job:localhost/replica:0/task:0/device:CPU:0"

/* A node as kernels and selection see it. */
typedef struct oribi_node_view {
    const char *name;
    const oribi_op_def *op;
    const oribi_attrs *attrs;
    const oribi_signature *signature;
    const oribi_shape *input_shapes;            /* n_inputs, or NULL */
    const oribi_shape *output_shapes;           /* n_outputs, or NULL */
    const struct TF_Quantisation *quantisation; /* of inputs, then outputs, or NULL */
    const char *const *input_names;             /* edge texts, or NULL */
    const char *device;                         /* as TensorFlow has it; NULL: ORIBI_HOST_PLACE */
    const struct oribi_instruction_set *isa;    /* limit of built-in kernels, or NULL */
    /* Value of input i, or NULL in `data` when it is not constant. May be NULL as a whole. */
    bool (*constant_input)(void *arg, int32_t input, oribi_constant_view *out_view);
    TF_Tensor *(*dense_constant)(void *arg, int32_t input, TF_Status *status); /* counted handle */
    void (*release_constant)(void *arg, int32_t input); /* the kernel keeps its own packed copy */
    /* Bytes of constant input i that the kernel has read and will not read soon. May be NULL. */
    void (*constant_read)(void *arg, int32_t input, const void *from, size_t bytes);
    /* Answers what a kernel of this definition asks; NULL, the status set: it cannot. The function
     * may be NULL: then each kernel packs for itself. */
    oribi_packed *(*packed_constant)(void *arg, const oribi_kernel_def *def,
                                     const TF_PackedConstant *wanted, TF_Status *status);
    void *arg;
} oribi_node_view;

/* Transaction of a plugin load; see oribi_op_begin. */
bool oribi_kernel_begin(const char *provider, TF_Status *status);
bool oribi_kernel_begin_brought(TF_Status *status); /* see oribi_op_begin_brought */
int32_t oribi_kernel_pending(void); /* kernels that this thread's transaction has; 0 without one */
bool oribi_kernel_commit(TF_Status *status);
/* Commits this thread's transaction of ops as well: who sees an op finds its kernels. False: both
 * are rolled back. */
bool oribi_kernel_commit_with_ops(TF_Status *status);
void oribi_kernel_rollback(void);
/* At the end of the process's use of the library: frees all of them. */
void oribi_kernel_forget_all(void);

/* Chooses by device type, label, constraints, priority; falls back to device type "DEFAULT".
 * NULL: NOT_FOUND whose message lists each registration considered and why it was refused, or
 * INVALID_ARGUMENT for a tie. `explain` (may be NULL) gets the same list on success too. */
const oribi_kernel_def *oribi_kernel_select(const oribi_node_view *node, const char *device_type,
                                            struct oribi_text *explain, TF_Status *status);
/* Who has kernels in reserve, to register them for the first op that has none, and for whoever
 * lists all; NULL: nobody. `absent` is added to what is said of a node without a kernel, or "". */
void oribi_kernel_set_reserve(void (*call)(void), const char *absent);
void oribi_kernel_call_reserve(void);
const char *oribi_kernel_absent(void);
/* Calls visit for each kernel in order of op name, then sequence, until it returns false. */
void oribi_kernel_each(bool (*visit)(void *arg, const oribi_kernel_def *kernel), void *arg);
/* Kernels of one op in order of registration, under the registry's lock: visit must not register.
 */
void oribi_kernel_each_of_op(const char *op_name,
                             bool (*visit)(void *arg, const oribi_kernel_def *kernel), void *arg);
/* Such a visit: appends a KernelDef, a field 1, to an oribi_text. */
bool oribi_kernel_put(void *text, const oribi_kernel_def *kernel);
bool oribi_kernel_exists(const char *op_name, const char *device_type);
/* Of nodes that have graphs of their own: nothing to create or to compute. */
const oribi_kernel_def *oribi_kernel_control(void);

typedef struct oribi_kernel { /* one per node and session */
    const oribi_kernel_def *def;
    void *state;
    const oribi_node_view *node; /* must outlive the kernel */
    oribi_packed *packed;        /* what it reads, the last one asked for first */
} oribi_kernel;

/* packed.c: a reference whose data and release are to be set, and memory for one kernel that
 * `wanted` has filled. NULL: no memory, status set. */
oribi_packed *oribi_packed_new(const TF_PackedConstant *wanted, TF_Status *status);
oribi_packed *oribi_packed_make(const TF_PackedConstant *wanted, TF_Status *status);
void oribi_packed_free(oribi_packed *packed);    /* the struct alone, for `release`; NULL ok */
void oribi_packed_release(oribi_packed *packed); /* a whole list; NULL ok */

/* Runs create; on failure calls destroy as the contract says. */
bool oribi_kernel_create(const oribi_kernel_def *def, const oribi_node_view *node,
                         oribi_kernel *out_kernel, TF_Status *status);
void oribi_kernel_destroy(oribi_kernel *kernel);

/* One computation outside a session, for constant folding and tests: on the calling thread, outputs
 * are new tensors that the caller deletes. pool may be NULL. */
bool oribi_kernel_run_once(const oribi_kernel *kernel, TF_Tensor *const *inputs,
                           TF_Tensor **out_outputs, struct oribi_pool *pool, TF_Status *status);

/* --- Instruction sets ------------------------------------------------------------------------ */

/* Limits of the built-in kernels' instruction sets, those of micro/isa_list.inc. A kernel tells its
 * set by its priority, which that list gives; kernels of other plugins lie outside and are never
 * limited. */
typedef struct oribi_instruction_set {
    const char *name;
    int32_t priority; /* of its kernels */
} oribi_instruction_set;

/* By name; "any" is what needs no more than the compiler's own processor. NULL: INVALID_ARGUMENT
 * with all names, or UNIMPLEMENTED: the processor that runs this lacks it. */
const oribi_instruction_set *oribi_instruction_set_find(const char *name, TF_Status *status);
/* Does the kernel need more than the set? `limit` may be NULL. */
bool oribi_kernel_exceeds(const oribi_kernel_def *kernel, const oribi_instruction_set *limit);

#endif
