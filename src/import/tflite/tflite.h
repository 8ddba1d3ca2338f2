/* SPDX-License-Identifier: Apache-2.0 */
/* TFLite importer, inside: what its files share. Operators are translated in the file's order, each
 * by a function from a table: float ones into TensorFlow's ops, int8 ones into Oribi>Q... ops with
 * the quantisation of their tensors as attributes. Strings and weights stay in the file. Read next:
 * tflite_model.c (the walk), tflite_node.c (how a translation reads and makes nodes), then one
 * family, tflite_quantised.c.
 * Source   schema version 3 (field numbers and operator codes).
 */
#ifndef ORIBI_IMPORT_TFLITE_H_
#define ORIBI_IMPORT_TFLITE_H_

#include "base/map.h"
#include "base/text.h"
#include "import/emit.h"
#include "import/flat.h"
#include "import/flex.h"
#include "import/import.h"
#include "import/missing.h"
#include "micro/dims.h"

enum { ORIBI_TFLITE_CUSTOM = 32, ORIBI_TFLITE_INT4 = 17 };
/* values of tensors; a handle is one of a variable, scratch is memory of an NPU */
enum {
    ORIBI_TFLITE_UNMADE = -1,
    ORIBI_TFLITE_BLOCKED = -2,
    ORIBI_TFLITE_HANDLE = -3,
    ORIBI_TFLITE_SCRATCH = -4
};

/* ActivationFunctionType */
enum {
    ORIBI_TFLITE_ACT_NONE = 0,
    ORIBI_TFLITE_ACT_RELU = 1,
    ORIBI_TFLITE_ACT_RELU_N1_TO_1 = 2,
    ORIBI_TFLITE_ACT_RELU6 = 3,
    ORIBI_TFLITE_ACT_TANH = 4
};

/* The Oribi>RowsToBytes that was made of a value last; NULL: none. */
typedef struct oribi_tflite_bytes {
    const oribi_node *node;
    oribi_value_id of;
    int64_t lead;
    bool is_asymmetric;
} oribi_tflite_bytes;

typedef struct oribi_tflite_tensor {
    oribi_string name;
    size_t offset;               /* of its table */
    int64_t type;                /* TensorType */
    TF_DataType dtype;           /* 0: not supported */
    oribi_flat_vector shape;     /* int32, at most ORIBI_MAX_RANK of them */
    oribi_flat_vector signature; /* the same with -1 where the caller may choose; may be empty */
    bool is_unranked;            /* no shape is given at all: a scalar, or unknown */
    bool is_sparse, is_variable;
    oribi_flat_table sparsity; /* of a sparse constant (tflite_sparse.c) */
    bool is_packed;            /* a constant of int4, two a byte; int8 in the graph */
    oribi_flat_vector data;    /* of a constant; file NULL otherwise */
    oribi_flat_vector scales;  /* float; empty: not quantised */
    oribi_flat_vector zeros;   /* int64 */
    int64_t quantised_dimension;
    oribi_value_id value;     /* or ORIBI_TFLITE_... */
    oribi_tflite_bytes bytes; /* for the layers that read it (tflite_hybrid.c) */
    int32_t npu_read; /* operators of an NPU that begin before its last reader (tflite_ethos_u.c) */
    struct oribi_tflite_variable *variable; /* that a handle names, or that is_variable makes */
} oribi_tflite_tensor;

/* Holds what a run leaves to the next one (tflite_variable.c). */
typedef struct oribi_tflite_variable {
    oribi_string container, name;
    const oribi_tflite_tensor *tensor; /* with is_variable; NULL: of a handle */
    const char *label, *origin;        /* for people, once it is read */
    oribi_value_id read, current;      /* before the run, at this point of it; -1 */
    oribi_value_id initial;            /* a constant, or -1 */
    struct oribi_tflite_variable *next;
} oribi_tflite_variable;

typedef struct oribi_tflite_code {
    int64_t builtin, version;
    oribi_string custom;
} oribi_tflite_code;

typedef struct oribi_tflite { /* one import */
    oribi_graph *graph;
    const oribi_import_options *options;
    oribi_source *source;
    oribi_flat file;
    uint64_t
        budget; /* elements that may still be read: vectors can be shared, work must not grow */
    oribi_arena kept, scratch; /* the import's, the node's */
    oribi_missing missing;
    oribi_tflite_code *codes;
    oribi_tflite_tensor *tensors;
    uint32_t n_codes, n_tensors;
    oribi_flat_vector buffers, subgraphs;
    const char *path;       /* before labels, in a subgraph that an operator calls: "while/body/" */
    int32_t depth;          /* of such calls */
    oribi_graph *outermost; /* the model's, once a body has been made; NULL before */
    oribi_tflite_variable *variables; /* in the order in which they are found */
    oribi_tflite_variable **last;     /* where the next one goes; NULL: in `variables` */
    oribi_map handles;                /* length of the container, both names -> variable */
    bool has_read;                    /* a variable has been read or given a value */
    uint32_t initialiser;             /* subgraph of CALL_ONCE, or 0 */
    bool is_initialising;             /* that is the one being read */
    bool is_waiting; /* in a subgraph of an operator that waits: operators are only looked up */
    bool is_unfit;   /* it failed for shapes that do not fit */
    oribi_flat_vector offsets; /* by tensor, where the file lays it; file NULL: it says nothing */
    struct oribi_tflite_gate *gates; /* the newest first (tflite_period.c) */
    int32_t n_npu;                   /* operators `ethos-u` so far */
    struct oribi_tflite_ending *npu_ends;
} oribi_tflite;

/* An operator under translation. The first failure sets n->status and n->failed; functions do
 * nothing afterwards, so that translations need not check every step. */
typedef struct oribi_tflite_node {
    oribi_tflite *tflite;
    oribi_graph *graph;
    TF_Status *status;
    bool failed;
    bool wants_shapes;    /* it failed, and for no other reason */
    oribi_emit_from from; /* as oribi_tflite_from last made it */
    const oribi_tflite_code *code;
    const struct oribi_tflite_row *row; /* NULL: a custom operator */
    const char *op;                     /* "CONV_2D", or the custom code */
    const char *label;                  /* name of the first output */
    const char *origin; /* "operator 3 'x' (CONV_2D) at byte 12", in the graph's arena */
    size_t offset;
    oribi_flat_table table, options;
    int64_t options_type;
    oribi_node_id first_node; /* nodes from here on belong to this translation */
    int32_t n_kept;           /* states that it has */
    int32_t n_inputs, n_outputs;
    oribi_tflite_tensor **inputs, **outputs; /* NULL: absent */
} oribi_tflite_node;

typedef struct oribi_tflite_row { /* one builtin operator */
    int16_t builtin;
    int16_t options;                           /* BuiltinOptions that it reads, 0: none */
    int16_t min_inputs, max_inputs, n_outputs; /* max_inputs, n_outputs -1: any number */
    bool (*translate)(oribi_tflite_node *n);
    const char *into; /* TensorFlow op of the same meaning, for translations that need no more */
} oribi_tflite_row;

/* Families of rows end with a translate of NULL. */
extern const oribi_tflite_row oribi_tflite_conv_rows[], oribi_tflite_elementwise_rows[],
    oribi_tflite_join_rows[], oribi_tflite_pool_rows[], oribi_tflite_quant_rows[],
    oribi_tflite_reduce_rows[], oribi_tflite_shape_rows[], oribi_tflite_variable_rows[],
    oribi_tflite_recurrent_rows[], oribi_tflite_lstm_rows[], oribi_tflite_index_rows[],
    oribi_tflite_norm_rows[], oribi_tflite_control_rows[], oribi_tflite_find_rows[],
    oribi_tflite_detection_rows[], oribi_tflite_rnn_rows[], oribi_tflite_random_rows[];

typedef struct oribi_tflite_custom { /* one custom operator; name NULL ends a table */
    const char *name;
    oribi_tflite_row row;
} oribi_tflite_custom;
extern const oribi_tflite_custom oribi_tflite_signal_rows[], oribi_tflite_landmark_rows[],
    oribi_tflite_ethos_u_rows[];

const oribi_tflite_row *oribi_tflite_find_row(int64_t builtin); /* NULL: none */
const oribi_tflite_row *oribi_tflite_find_custom(const char *name);
const char *oribi_tflite_builtin_name(int64_t builtin); /* "CONV_2D", NULL: unknown */
const char *oribi_tflite_type_name(int64_t type);       /* "INT8", NULL: unknown */
TF_DataType oribi_tflite_dtype(int64_t type);           /* 0: not supported */

/* --- Reading (tflite_node.c) ------------------------------------------------------------------ */

/* Counts elements that are read, so that a file in which much is shared can not make endless work;
 * INVALID_ARGUMENT beyond a multiple of the file's size. */
bool oribi_tflite_spend(oribi_tflite *tflite, uint64_t elements, TF_Status *status);
const oribi_emit_from *oribi_tflite_from(oribi_tflite_node *n);
/* Fails the node with a message "operator 3 'x' (CONV_2D) at byte n: ..."; returns false. */
#define oribi_tflite_fail(n, ...) oribi_emit_fail(oribi_tflite_from(n), __VA_ARGS__)
#define oribi_tflite_no_memory(n) oribi_emit_no_memory(oribi_tflite_from(n))
/* The same for what would be translated if shapes were known: UNIMPLEMENTED, n->wants_shapes. */
#define oribi_tflite_want_shapes(n, ...) oribi_emit_want_shapes(oribi_tflite_from(n), __VA_ARGS__)
/* Fields of the operator's options; the default on failure. */
int64_t oribi_tflite_int(oribi_tflite_node *n, int field, int64_t absent);  /* int32 */
int64_t oribi_tflite_long(oribi_tflite_node *n, int field, int64_t absent); /* int64 */
int64_t oribi_tflite_byte(oribi_tflite_node *n, int field, int64_t absent); /* byte, bool, enum */
float oribi_tflite_float(oribi_tflite_node *n, int field, float absent);
/* A float that is a number and finite; a failure otherwise. */
float oribi_tflite_finite(oribi_tflite_node *n, int field, float absent, const char *what);
/* Sizes or axes: false when they are absent, and on failure, as for more than ORIBI_MAX_RANK. */
bool oribi_tflite_dims_option(oribi_tflite_node *n, int field, oribi_dims *out);

/* The shape of a tensor as the file has it; unknown sizes (any below 0) are -1. */
oribi_dims oribi_tflite_dims_of(const oribi_tflite_tensor *tensor);

/* The same, with -1 where the caller may choose (tflite_ports.c). */
oribi_dims oribi_tflite_limits_of(const oribi_tflite_tensor *tensor);
/* Notes what inputs may become, where that is more than they are. */
bool oribi_tflite_limit_inputs(oribi_tflite *t, const oribi_flat_table *subgraph,
                               TF_Status *status);
/* Did the operators fail, or are they missing, for nothing but shapes that the caller may give? */
bool oribi_tflite_may_be_open(const oribi_tflite *t, bool is_read, const TF_Status *status);
/* Leaves the graph to a later import: ports alone, as the file declares them. */
bool oribi_tflite_leave_open(oribi_tflite *t, const oribi_flat_table *subgraph, TF_Status *status);

/* Value of input i: -1 when it is absent or on failure. Constants enter the graph here. */
oribi_value_id oribi_tflite_input(oribi_tflite_node *n, int32_t i);
TF_DataType oribi_tflite_dtype_in(const oribi_tflite_node *n, int32_t i); /* 0: absent */
/* Shape of a value in the graph; -1 for what is not known. */
int32_t oribi_tflite_rank(const oribi_tflite_node *n, oribi_value_id value);
int64_t oribi_tflite_dim(const oribi_tflite_node *n, oribi_value_id value, int32_t axis);
/* The whole of it; a failure when the rank is not known or above ORIBI_MAX_RANK. */
bool oribi_tflite_dims(oribi_tflite_node *n, oribi_value_id value, oribi_dims *out);

/* Returns what the file says about a tensor's numbers; an impossible kind counts as nothing. */
oribi_quantisation oribi_tflite_quantisation(const oribi_tflite_tensor *tensor);
/* The value gets it, with all scales. */
bool oribi_tflite_quantise(oribi_graph *graph, const oribi_tflite_tensor *tensor,
                           oribi_value_id value, TF_Status *status);

typedef struct oribi_tflite_quant {
    float scale;
    int64_t zero;
} oribi_tflite_quant;
/* The one scale and zero point of a tensor, checked. */
bool oribi_tflite_quant_of(oribi_tflite_node *n, const oribi_tflite_tensor *tensor,
                           const char *what, oribi_tflite_quant *out);
/* Is input i int8, uint8 or int16, with a scale? */
bool oribi_tflite_is_quantised(const oribi_tflite_node *n, int32_t i);
/* Is input 0 quantised uint8 or int16? Layers of those are in tflite_wide.c. */
bool oribi_tflite_is_wide(const oribi_tflite_node *n);
bool oribi_tflite_wide_conv(oribi_tflite_node *n);
bool oribi_tflite_wide_depthwise(oribi_tflite_node *n);
bool oribi_tflite_wide_fully_connected(oribi_tflite_node *n);
bool oribi_tflite_real_fully_connected(oribi_tflite_node *n);
bool oribi_tflite_wide_transpose_conv(oribi_tflite_node *n);
bool oribi_tflite_rounds_as_tflite(const oribi_tflite_node *n); /* or as litert: not as tflm */
bool oribi_tflite_rounds_as_litert(const oribi_tflite_node *n);
bool oribi_tflite_is_int8(const oribi_tflite_node *n);  /* is input 0 quantised int8? */
bool oribi_tflite_is_bytes(const oribi_tflite_node *n); /* ... int8 or uint8? */
bool oribi_tflite_same_quant(oribi_tflite_node *n, const oribi_tflite_tensor *a,
                             const oribi_tflite_tensor *b);

/* --- Making nodes (tflite_emit.c); -1 on failure, and when an input is -1 ----------------------
 */

oribi_node *oribi_tflite_emit_node(oribi_tflite_node *n, const char *op,
                                   const oribi_value_id *inputs, int32_t n_inputs,
                                   const oribi_emit_attr *attrs, int32_t n_attrs,
                                   int32_t n_outputs);
oribi_value_id oribi_tflite_emit(oribi_tflite_node *n, const char *op, const oribi_value_id *inputs,
                                 int32_t n_inputs, const oribi_emit_attr *attrs, int32_t n_attrs);
/* Gives the operator's output its value, whose element type must be the one declared. */
bool oribi_tflite_bind(oribi_tflite_node *n, int32_t index, oribi_value_id value);
/* [.., .., units] of both directions: an output each, or one with the units of both. */
bool oribi_tflite_bind_ways(oribi_tflite_node *n, oribi_value_id forward, oribi_value_id back,
                            bool is_one);
/* The activation as a node of its own after a float result. */
oribi_value_id oribi_tflite_activate(oribi_tflite_node *n, oribi_value_id x, int64_t activation);
/* Its name for a Q op; NULL and a failure when Q ops do not have it. */
const char *oribi_tflite_activation_name(oribi_tflite_node *n, int64_t activation);
/* Constants: integers of int32 (a failure when one does not fit), a scalar like another value's
 * elements, zeros (one element that is read `count` times: a bias costs no memory before a kernel
 * wants it).
 */
oribi_value_id oribi_tflite_vector(oribi_tflite_node *n, const oribi_dims *values);
oribi_value_id oribi_tflite_ints(oribi_tflite_node *n, const int32_t *values, int64_t count);
oribi_value_id oribi_tflite_scalar(oribi_tflite_node *n, int64_t value);
oribi_value_id oribi_tflite_scalar_like(oribi_tflite_node *n, oribi_value_id like, float value);
oribi_value_id oribi_tflite_zeros(oribi_tflite_node *n, TF_DataType dtype, int64_t count);
oribi_value_id oribi_tflite_reshape(oribi_tflite_node *n, oribi_value_id x, const oribi_dims *dims);
/* A constant is read with permuted dims, anything else gets a Transpose. */
oribi_value_id oribi_tflite_transpose(oribi_tflite_node *n, oribi_value_id x,
                                      const oribi_dims *perm);

/* Translations that several rows use: the row's `into` with the inputs as they are; `copy` for ops
 * that only move elements, so that quantised ones are moved as they are. */
bool oribi_tflite_translate_plain(oribi_tflite_node *n);
bool oribi_tflite_translate_copy(oribi_tflite_node *n);
/* The op of a custom operator, or NULL: the one that serves its version, else the one of its name.
 * out_served: the versions that are served when this one is not, else empty. */
const oribi_op_def *oribi_tflite_custom_op(const oribi_tflite_node *n, oribi_text *out_served);
bool oribi_tflite_translate_custom(oribi_tflite_node *n, const oribi_op_def *op);

/* --- Subgraphs (tflite_model.c, tflite_control.c) ----------------------------------------------
 */

bool oribi_tflite_read_tensors(oribi_tflite *t, const oribi_flat_table *subgraph,
                               TF_Status *status);
bool oribi_tflite_read_operators(oribi_tflite *t, const oribi_flat_table *subgraph,
                                 TF_Status *status);
/* Element i of a list of tensors; -1 means absent and gives NULL. */
bool oribi_tflite_tensor_at(const oribi_tflite *t, const oribi_flat_vector *list, uint32_t i,
                            oribi_tflite_tensor **out, TF_Status *status);
/* An operator that cannot be translated: what reads its outputs is not reported. */
void oribi_tflite_block_outputs(oribi_tflite_node *n);
/* Notes what is missing in the subgraphs of an operator that waits for another one. */
bool oribi_tflite_missing_inside(oribi_tflite_node *n);
/* Inside IF and WHILE there are no variables: false, with a message. */
bool oribi_tflite_may_have_variables(oribi_tflite_node *n);

/* --- Variables (tflite_variable.c) ------------------------------------------------------------ */

/* Input i, a tensor with is_variable: its present value, and the one that it has from now on. */
oribi_value_id oribi_tflite_state(oribi_tflite_node *n, int32_t i);
bool oribi_tflite_set_state(oribi_tflite_node *n, int32_t i, oribi_value_id value);
/* A state that the file does not name, filled with `first` (0, or of int32 and int8 any number):
 * its value before the run. Assign variable->current. */
oribi_value_id oribi_tflite_keep(oribi_tflite_node *n, TF_DataType dtype, const oribi_dims *dims,
                                 int32_t first, oribi_tflite_variable **out);
/* Everything is read: variables become states of the graph. */
bool oribi_tflite_finish_variables(oribi_tflite *t, TF_Status *status);
bool oribi_tflite_finish_variable(oribi_tflite *t, oribi_tflite_variable *variable,
                                  TF_Status *status);

/* --- Runs that end early (tflite_period.c) ---------------------------------------------------- */

/* Operators behind this one run only when the value, a scalar bool, is true. */
bool oribi_tflite_add_gate(oribi_tflite_node *n, oribi_value_id is_open);
/* The value, or a copy that waits where the operator does and the value does not. */
oribi_value_id oribi_tflite_behind_gate(oribi_tflite_node *n, oribi_value_id value);
/* The graph is whole: what lies behind gates becomes graphs of conditions. */
bool oribi_tflite_finish_gates(oribi_tflite *t, const oribi_flat_table *subgraph,
                               TF_Status *status);

/* --- Sparse constants (tflite_sparse.c) ------------------------------------------------------- */

/* All elements of a sparse constant whose shape has so many bytes, in the node's scratch; NULL and
 * a failure when the file does not say what it should, or memory does not allow it. */
void *oribi_tflite_expand(oribi_tflite_node *n, const oribi_tflite_tensor *tensor, size_t bytes);

bool oribi_tflite_lstm_basic(oribi_tflite_node *n); /* LSTM of the basic kernel type */

/* --- Float inputs with weights of int8 (tflite_hybrid.c) ---------------------------------------
 */

/* Is input x float and the filter quantised? */
bool oribi_tflite_is_hybrid(const oribi_tflite_node *n, int32_t x, int32_t filter);
/* A layer of inputs 1 (weights) and 2 (bias, perhaps). */
typedef struct oribi_tflite_hybrid {
    oribi_value_id x; /* input 0, NHWC, or where there are rows, [.., row] */
    int64_t rows_of;  /* length of such a row; 0: images */
    int64_t strides[2], dilations[2], activation;
    bool is_same, is_asymmetric;
} oribi_tflite_hybrid;
/* Its result, of rows as a matrix, by integers. -1: it must be done in floats; or it has failed, as
 * n says. */
oribi_value_id oribi_tflite_hybrid_conv(oribi_tflite_node *n, const oribi_tflite_hybrid *h);
/* Input i in floats: quantised weights times their scales. */
oribi_value_id oribi_tflite_weights_in(oribi_tflite_node *n, int32_t i);
oribi_value_id oribi_tflite_scaled(oribi_tflite_node *n, oribi_value_id weights,
                                   oribi_value_id scales);
/* x as quantised while the model runs, a row of all behind the first `lead` dimensions (-1: behind
 * all but the last) each by its own range, in floats again. */
oribi_value_id oribi_tflite_through_bytes(oribi_tflite_node *n, oribi_value_id x, int64_t lead,
                                          bool asymmetric);

/* --- Custom operators (tflite_custom.c) --------------------------------------------------------
 */

/* The options as a FlexBuffers map; a failure when they are none. */
bool oribi_tflite_flex(oribi_tflite_node *n, oribi_flex_map *out);
/* A number of it, `absent` where there is none, a failure when it does not fit an int32; 0. */
int64_t oribi_tflite_flex_int(oribi_tflite_node *n, const oribi_flex_map *map, const char *key,
                              int64_t absent);
float oribi_tflite_flex_float(const oribi_flex_map *map, const char *key);
bool oribi_tflite_detection(oribi_tflite_node *n); /* TFLite_Detection_PostProcess */
bool oribi_tflite_decode(oribi_tflite_node *n);    /* TFLM_DECODE */

/* --- Command streams of an Ethos-U (tflite_ethos_u.c) ------------------------------------------
 */

/* Reads where the file lays its tensors, of a model that has such an operator. */
bool oribi_tflite_read_offsets(oribi_tflite *t, const oribi_flat_table *model, TF_Status *status);
/* Is input i of the operator memory that nothing makes? */
bool oribi_tflite_is_scratch(const oribi_tflite_node *n, int32_t i);
/* All operators and outputs are read. */
bool oribi_tflite_end_npu(oribi_tflite *t, TF_Status *status);

/* --- Quantised operators (tflite_quantised.c) --------------------------------------------------
 */

bool oribi_tflite_q_conv(oribi_tflite_node *n);
bool oribi_tflite_q_depthwise(oribi_tflite_node *n);
bool oribi_tflite_q_fully_connected(oribi_tflite_node *n);
bool oribi_tflite_q_sum(oribi_tflite_node *n, const char *op, int64_t activation);
bool oribi_tflite_q_product(oribi_tflite_node *n, const char *op, int64_t activation);
bool oribi_tflite_q_pool(oribi_tflite_node *n, const char *op);
bool oribi_tflite_q_softmax(oribi_tflite_node *n);
bool oribi_tflite_q_reduce(oribi_tflite_node *n, const char *op);
bool oribi_tflite_q_transpose_conv(oribi_tflite_node *n);
bool oribi_tflite_q_batch_matmul(oribi_tflite_node *n);
bool oribi_tflite_q_prelu(oribi_tflite_node *n);
bool oribi_tflite_q_resize_bilinear(oribi_tflite_node *n);
/* Running sums of x, with the quantisations of input 0 and output 0. */
oribi_value_id oribi_tflite_q_cumsum(oribi_tflite_node *n, oribi_value_id x, oribi_value_id axis,
                                     bool exclusive, bool reverse);
bool oribi_tflite_q_add_n(oribi_tflite_node *n, const oribi_value_id *values);
bool oribi_tflite_q_log_softmax(oribi_tflite_node *n);
bool oribi_tflite_requantize(oribi_tflite_node *n); /* int8, uint8 and int16 among each other */
bool oribi_tflite_q_unary(oribi_tflite_node *n, const char *function, float alpha);

/* Holds what their files share: quantisation of input 0 and output 0, and constants of a layer. */
typedef struct oribi_tflite_weights {
    oribi_value_id filter, bias; /* the bias is zeros where the file has none */
    float *scales;
    int32_t n_scales;
} oribi_tflite_weights;
#define ORIBI_TFLITE_QUANT_ATTRS(in, out)                                                          \
    ATTR_FLOAT("input_scale", (in).scale), ATTR_INT("input_zero", (in).zero),                      \
        ATTR_FLOAT("output_scale", (out).scale), ATTR_INT("output_zero", (out).zero)
/* Has the result the type of input i? False with a message when it has not. */
bool oribi_tflite_same_output(oribi_tflite_node *n, int32_t i);
/* Filter and bias (or -1) are constants, since their sums and multipliers are worked out before the
 * first run, and the filter has this rank. */
bool oribi_tflite_check_filter(oribi_tflite_node *n, oribi_value_id filter, oribi_value_id bias,
                               int32_t rank);
/* As many as input 1, the filter, has, each above 0. */
bool oribi_tflite_read_scales(oribi_tflite_node *n, float **out);
/* Input 1 is the filter, of this rank with channels along axis; the bias is input `bias`. */
bool oribi_tflite_read_weights(oribi_tflite_node *n, int32_t bias, int32_t rank, int32_t axis,
                               oribi_tflite_weights *out);

#endif
