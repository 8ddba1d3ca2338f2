/* SPDX-License-Identifier: Apache-2.0 */
/* Ops: definitions, the registry, argument expansion, shape inference.
 * Source  reference: TensorFlow's ops.h and its op-spec language. Read next: spec.h, shape_infer.c.
 */
#ifndef ORIBI_OP_OP_H_
#define ORIBI_OP_OP_H_

#include "op/attr.h"
#include "tensor/status.h"
#include "tensorflow/c/ops.h"

typedef struct oribi_arg_def {
    const char *name;
    const char *description;
    TF_DataType type;           /* 0 when given by an attribute */
    const char *type_attr;      /* or NULL */
    const char *number_attr;    /* "N * T", or NULL */
    const char *type_list_attr; /* list(type), or NULL */
    bool is_ref;
} oribi_arg_def;

typedef struct oribi_attr_def {
    const char *name;
    const char *description;
    uint8_t kind; /* TF_AttrType */
    bool is_list;
    bool has_minimum;
    int64_t minimum;
    const oribi_attr *default_value; /* or NULL */
    const oribi_attr *allowed;       /* list of types or strings, or NULL */
} oribi_attr_def;

typedef struct oribi_op_def {
    const char *name;
    oribi_arg_def *inputs, *outputs;
    int32_t n_inputs, n_outputs, n_attrs;
    oribi_attr_def *attrs;
    const char *summary, *description;
    bool is_commutative, is_aggregate, is_stateful, allows_uninitialized_input;
    int32_t deprecation_version; /* 0: not deprecated */
    const char *deprecation_explanation;
    void (*shape_fn)(TF_ShapeInferenceContext *ctx, TF_Status *status); /* or NULL */
    void (*shape_fn_data)(void *data, TF_ShapeInferenceContext *ctx, TF_Status *status);
    void *shape_data;
    struct oribi_fusion *fusions;         /* chains that it stands for (op/fusion.h), or NULL */
    const struct oribi_service *services; /* operators that it serves (op/op_serves.h), or NULL */
    const char *provider;                 /* "built-in" or the plugin's file */
    bool is_built_in;
    const struct oribi_trait_def *traits; /* no part of its identity; asked through traits.h */
    int32_t n_traits;
} oribi_op_def;

/* Registry of the process. Definitions are never removed once committed and never move. */
const oribi_op_def *oribi_op_find(const char *name); /* NULL: unknown */
/* Calls visit for each op in order of name until it returns false. */
void oribi_op_each(bool (*visit)(void *arg, const oribi_op_def *op), void *arg);

/* Ops in reserve are registered when somebody looks for them, which is what the built-in ones are:
 * a model has ten of hundreds. Who keeps them: src/plugin/built_in.c. has: is there an op of that
 * name in reserve, registered by now or not? bring: registers it and what belongs to it, or, for
 * NULL, all; false: there is none, or no memory. Both NULL: no reserve. Context  any thread; bring
 * is called with no lock of a registry held. */
void oribi_op_set_reserve(bool (*has)(const char *name), bool (*bring)(const char *name));
void oribi_op_bring_all(void);
/* Registered or in reserve. An op of which this is true and that is not found found no memory. */
bool oribi_op_is_known(const char *name);
/* Without what is in reserve. */
const oribi_op_def *oribi_op_find_present(const char *name);
void oribi_op_each_present(bool (*visit)(void *arg, const oribi_op_def *op), void *arg);
const oribi_attr_def *oribi_op_find_attr(const oribi_op_def *op, const char *name);
/* Axes that an output may have: ORIBI_MAX_RANK for ops of ours, ORIBI_MAX_TENSOR_RANK for others'
 * and for steps of a session that are no op (NULL), such as copies between devices. */
int32_t oribi_op_max_rank(const oribi_op_def *op);

/* Registration transaction of a plugin load, one per process at a time (the loader holds a lock).
 * Between begin and commit, TF_RegisterOpDefinition adds to a pending set that this thread sees;
 * rollback drops it. An identical definition is accepted silently; a different one is
 * ALREADY_EXISTS naming both providers, and is remembered: commit then fails with that message even
 * if the plugin ignored the status. Outside a transaction registration commits at once. */
bool oribi_op_begin(const char *provider, TF_Status *status);
/* For what comes from the reserve, which is built in: inside this thread's other transaction and
 * beside those of others, but one at a time as well. */
bool oribi_op_begin_brought(TF_Status *status);
int32_t oribi_op_pending(void); /* ops that this thread's transaction has; 0 without one */
bool oribi_op_commit(TF_Status *status);
void oribi_op_rollback(void);
/* The name of a provider as definitions hold it; NULL: no memory. */
const char *oribi_provider_copy(const char *name);
void oribi_provider_free(const char *provider);
/* At the end of the process's use of the library: frees all definitions. */
void oribi_op_forget_all(void);

/* Types and counts of a node's flat inputs or outputs from its attributes. */
typedef struct oribi_signature {
    int32_t n_inputs, n_outputs;
    TF_DataType *input_types, *output_types;
    int32_t *input_arg_start; /* n args + 1 entries: flat index at which argument k starts */
    int32_t *output_arg_start;
} oribi_signature;

/* Fills defaults for absent attributes, infers type and number attributes from input_types where
 * they are absent, checks kinds, minimums and allowed values, and expands arguments. Messages name
 * node and attribute. input_types may be NULL when all attributes are present. */
bool oribi_op_resolve(const oribi_op_def *op, const char *node_name, oribi_attrs *attrs,
                      const TF_DataType *input_types, int32_t n_inputs, oribi_arena *arena,
                      oribi_signature *out_signature, TF_Status *status);

/* Holds what is known of the values that a resource handle leads to. */
typedef struct oribi_handle_part {
    oribi_shape shape;
    TF_DataType dtype; /* 0: not known */
} oribi_handle_part;

typedef struct oribi_handle_data {
    oribi_handle_part *parts;
    int32_t count;                              /* 0: nothing is known */
    const struct TF_Quantisation *quantisation; /* of an input's own elements, or NULL */
} oribi_handle_data;

/* One call of an op's shape function; INVALID_ARGUMENT when an output has more axes than
 * oribi_op_max_rank. constants[i] is the value of input i or NULL; input_shapes
 * and out_shapes are flat. Without a shape function outputs are unknown. Results live in arena.
 * constant_shapes[i] (array may be NULL) is a partly known value of a 1-D integer input, as a
 * shape, for MakeShapeFromTensor. */
bool oribi_op_infer_shapes(const oribi_op_def *op, const char *node_name, const oribi_attrs *attrs,
                           const oribi_signature *signature, const oribi_shape *input_shapes,
                           TF_Tensor *const *constants, const oribi_shape *constant_shapes,
                           oribi_arena *arena, oribi_shape *out_shapes, TF_Status *status);
/* The same with what is known behind the handles of inputs (n_inputs, borrowed) and, of outputs,
 * what the shape function set (n_outputs, in arena). */
bool oribi_op_infer_handles(const oribi_op_def *op, const char *node_name, const oribi_attrs *attrs,
                            const oribi_signature *signature, const oribi_shape *input_shapes,
                            const oribi_handle_data *input_handles, TF_Tensor *const *constants,
                            const oribi_shape *constant_shapes, oribi_arena *arena,
                            oribi_shape *out_shapes, oribi_handle_data *out_handles,
                            TF_Status *status);

/* Definition as text in the style of the spec language, for `oribi ops NAME`. */
void oribi_op_print(const oribi_op_def *op, struct oribi_text *text);
/* Same inputs, outputs, attributes and flags? Docs and provider do not count. */
bool oribi_op_equal(const oribi_op_def *a, const oribi_op_def *b, struct oribi_text *difference);

#endif
