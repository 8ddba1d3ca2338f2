/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX importer, inside: what its files share. A model is read front to back, each node is
 * translated at once by a function from a table, into TensorFlow ops. Strings and weights stay in
 * the file. Read next: onnx_model.c (the walk), onnx_table.c (op to function), onnx_emit.h (how a
 * translation makes nodes), then one family, onnx_conv.c.
 * Source   onnx.proto3 of ONNX 1.16 (field numbers), the operator specification.
 */
#ifndef ORIBI_IMPORT_ONNX_H_
#define ORIBI_IMPORT_ONNX_H_

#include "base/text.h"
#include "import/emit.h"
#include "import/import.h"
#include "import/missing.h"
#include "format/wire.h"
#include "micro/dims.h"

enum { ORIBI_ONNX_MIN_OPSET = 1, ORIBI_ONNX_MAX_OPSET = 28 };

/* AttributeProto.type */
enum {
    ORIBI_ONNX_ATTR_FLOAT = 1,
    ORIBI_ONNX_ATTR_INT = 2,
    ORIBI_ONNX_ATTR_STRING = 3,
    ORIBI_ONNX_ATTR_TENSOR = 4,
    ORIBI_ONNX_ATTR_GRAPH = 5,
    ORIBI_ONNX_ATTR_FLOATS = 6,
    ORIBI_ONNX_ATTR_INTS = 7,
    ORIBI_ONNX_ATTR_STRINGS = 8
};

typedef struct oribi_onnx_file { /* a file of external data */
    oribi_source *source;        /* one reference */
    const uint8_t *data;
    size_t bytes;
} oribi_onnx_file;

/* One scope of an import: the model's graph, a function that is inlined, a graph of an attribute.
 */
typedef struct oribi_onnx {
    oribi_graph *graph;
    const oribi_import_options *options;
    oribi_source *source;
    struct oribi_onnx *outer;  /* whose names this scope sees, or whose node calls it; NULL: none */
    struct oribi_onnx *root;   /* the model's: has the functions, the files and what is missing */
    struct oribi_onnx *opsets; /* the scope with the versions that count here */
    const struct oribi_onnx_node *call; /* of the function around: its attributes; or NULL */
    const oribi_wire *function;         /* the function around, or NULL */
    bool hides;                         /* names of the outer scope: a function */
    bool is_waiting;                    /* for what is missing: its nodes are only looked up */
    const char *path;                   /* before labels: "loop/body/" or "" */
    int32_t depth;                      /* scopes around this one */
    oribi_map captured;           /* of a body: names of the scopes around it -> value id + 1 */
    oribi_value_id *outer_values; /* of a body: what its inputs behind the formals are outside */
    int32_t n_captured, captured_capacity;
    int64_t n_inlined;   /* of the root: nodes of all other scopes */
    oribi_arena kept;    /* goes when the import ends */
    oribi_arena scratch; /* emptied after every node */
    oribi_map values;    /* name in the file -> tagged value id, initialiser, "missing", "absent" */
    oribi_map claims;    /* name -> body of the ValueInfoProto of a value inside */
    oribi_wire claims_in; /* the graph that they are in */
    oribi_map constants;  /* small ones made here, by content -> id + 1 */
    oribi_map tested;     /* tag and id of a constant -> 1: no, 2: yes (oribi_emit_every) */
    oribi_map functions;  /* of the model, by domain, name and overload */
    int64_t opset;        /* of the standard domain */
    oribi_map domains;    /* domain -> version */
    oribi_missing missing;
    oribi_map files;                 /* of external data, by location */
    oribi_value_id to_nhwc, to_nchw; /* permutations, shared by all transposes; -1 until needed */
} oribi_onnx;

typedef struct oribi_onnx_attr {
    oribi_string name;
    int64_t type;    /* ORIBI_ONNX_ATTR_..., told from the content in old files */
    oribi_wire body; /* the AttributeProto */
    size_t offset;
    bool is_passed; /* the function's caller gave it: it belongs to another scope */
} oribi_onnx_attr;

/* A node under translation. Functions that take one set n->status and n->failed on the first
 * failure and do nothing afterwards, so that translations need not check every step. */
typedef struct oribi_onnx_node {
    oribi_onnx *onnx;
    oribi_graph *graph; /* of onnx */
    TF_Status *status;
    bool failed;
    bool wants_shapes;                /* it failed, and for no other reason */
    oribi_emit_from from;             /* as oribi_onnx_from last made it */
    const struct oribi_onnx_row *row; /* NULL: an op without one */
    oribi_wire body;                  /* the NodeProto */
    size_t offset;
    oribi_string name, op_type, domain, overload; /* as in the file */
    const char *label;        /* name or first output, for new nodes and messages */
    const char *origin;       /* "Conv 'x' at byte 12", in the graph's arena */
    int64_t opset;            /* of its domain */
    oribi_node_id first_node; /* nodes from here on belong to this translation */
    int32_t n_inputs, n_outputs;
    oribi_value_id *inputs; /* -1: absent */
    oribi_string *outputs;  /* names; empty: not wanted */
} oribi_onnx_node;

typedef bool (*oribi_onnx_translate)(oribi_onnx_node *n);

typedef struct oribi_onnx_row { /* one ONNX operator over a range of opsets */
    const char *op_type;
    int32_t since, until; /* opsets of the model, both included */
    oribi_onnx_translate translate;
    int32_t min_inputs, max_inputs; /* max -1: any number */
    const char *into;               /* TensorFlow ops, for people */
} oribi_onnx_row;

/* Families of rows end with an op_type of NULL. */
extern const oribi_onnx_row oribi_onnx_activation_rows[], oribi_onnx_attention_rows[],
    oribi_onnx_constant_rows[], oribi_onnx_control_rows[], oribi_onnx_conv_rows[],
    oribi_onnx_elementwise_rows[], oribi_onnx_gather_rows[], oribi_onnx_matmul_rows[],
    oribi_onnx_norm_rows[], oribi_onnx_pool_rows[], oribi_onnx_qlinear_rows[],
    oribi_onnx_quant_rows[], oribi_onnx_reduce_rows[], oribi_onnx_resize_rows[],
    oribi_onnx_shape_rows[], oribi_onnx_slice_rows[], oribi_onnx_sort_rows[],
    oribi_onnx_einsum_rows[], oribi_onnx_index_rows[], oribi_onnx_loss_rows[],
    oribi_onnx_picture_rows[], oribi_onnx_recurrent_rows[], oribi_onnx_sequence_rows[],
    oribi_onnx_spelled_rows[];

/* Operators of other domains: com.microsoft, ai.onnx.ml, ai.onnx.preview and its training. */
extern const oribi_onnx_row oribi_onnx_microsoft_rows[], oribi_onnx_ml_rows[],
    oribi_onnx_preview_rows[], oribi_onnx_training_rows[];
/* The row of a node, in any domain, or NULL; a plugin's op of another domain goes before ours. */
const oribi_onnx_row *oribi_onnx_row_of(const oribi_onnx_node *n);
/* NULL: no row for the op at this opset. */
const oribi_onnx_row *oribi_onnx_find_row(const oribi_string *op_type, int64_t opset);

/* Oldest opset that has a row for the op, 0 when none has. */
int32_t oribi_onnx_first_opset(const oribi_string *op_type);

/* --- The walk (onnx_model.c) --------------------------------------------------------------------
 */

typedef enum oribi_onnx_found {
    ORIBI_ONNX_UNKNOWN, /* nothing has the name */
    ORIBI_ONNX_VALUE,
    ORIBI_ONNX_MISSING, /* a missing op should have made it */
    ORIBI_ONNX_ABSENT   /* an optional input that the function's caller left out */
} oribi_onnx_found;
/* The value of a name in this scope and those that it sees; -1 where there is none. False: status
 * set. */
bool oribi_onnx_look_up(oribi_onnx *onnx, const oribi_string *name, oribi_value_id *out_value,
                        oribi_onnx_found *out_found, TF_Status *status);
/* Gives a name a value of the scope's graph; value -1: it is absent. */
bool oribi_onnx_define(oribi_onnx *onnx, const oribi_string *name, oribi_value_id value,
                       TF_Status *status);
bool oribi_onnx_read_initialisers(oribi_onnx *onnx, oribi_wire graph, TF_Status *status);
/* Translates all nodes, which are the fields of this number. */
bool oribi_onnx_read_nodes(oribi_onnx *onnx, oribi_wire graph, uint32_t number, TF_Status *status);
/* One of them. *out_early: nothing has been done, as nothing made an input yet; NULL: an error. */
bool oribi_onnx_read_node(oribi_onnx *onnx, const oribi_wire *graph, const oribi_wire_field *field,
                          bool *out_early, TF_Status *status);
bool oribi_onnx_read_opset(oribi_onnx *onnx, const oribi_wire *model, const oribi_wire_field *field,
                           TF_Status *status);
/* The name of an input or output of a graph. */
bool oribi_onnx_port_name(const oribi_wire *graph, const oribi_wire_field *field,
                          oribi_string *out_name, TF_Status *status);
/* A node behind a missing op: its outputs are missing. */
bool oribi_onnx_mark_missing(oribi_onnx_node *n);

/* --- Bodies (graphs/onnx_body.c) ---
 */

typedef struct oribi_onnx_formal { /* an input of a body that the op gives */
    TF_DataType dtype;
    oribi_shape shape;   /* rank -1: as the body declares it */
    TF_DataType element; /* of a list */
} oribi_onnx_formal;
/* A graph that is to belong to a node, under translation. */
typedef struct oribi_onnx_body {
    oribi_onnx scope;     /* open until the body is closed */
    oribi_body body;      /* `captured` is not set */
    oribi_onnx_node node; /* stands for the node, inside */
    bool is_missing;      /* an op of it is: there is no use in it */
} oribi_onnx_body;
/* Opens one with a graph of its own. Close it also after a failure. */
bool oribi_onnx_body_open(oribi_onnx_node *n, const char *step, oribi_onnx_body *out);
/* One more formal input; before any value is captured. -1: failed. */
oribi_value_id oribi_onnx_body_formal(oribi_onnx_body *b, const char *name,
                                      const oribi_onnx_formal *formal);
/* The value inside that is `outer` outside. */
oribi_value_id oribi_onnx_body_take(oribi_onnx_body *b, oribi_value_id outer);
bool oribi_onnx_body_output(oribi_onnx_body *b, oribi_value_id value, const char *name);
/* Inputs of the graph get values; nodes are translated; outputs are added to the body's. */
bool oribi_onnx_body_read(oribi_onnx_body *b, const oribi_wire *graph, const oribi_value_id *inputs,
                          int32_t n_inputs);
/* Closes the scope; the graph is ready, or destroyed after a failure. */
bool oribi_onnx_body_close(oribi_onnx_body *b, bool ok);
/* The node of the bodies, which are closed: inputs are the fixed ones, then what bodies captured.
 * Takes the graphs over, also when it fails. */
oribi_node *oribi_onnx_body_node(oribi_onnx_node *n, const char *op, const oribi_value_id *fixed,
                                 int32_t n_fixed, int32_t n_outputs, oribi_onnx_body *bodies,
                                 int32_t n_bodies, const oribi_attrs *attrs);
/* A name of a scope around a body, as a value of the body. */
bool oribi_onnx_capture(oribi_onnx *onnx, const oribi_string *name, oribi_value_id *out_value,
                        oribi_onnx_found *out_found, TF_Status *status);

/* --- Scopes (graphs/onnx_scope.c)
 * ----------------------------------------------------------------------
 */

/* Remembers a model-local function. */
bool oribi_onnx_function_add(oribi_onnx *onnx, const oribi_wire *model,
                             const oribi_wire_field *field, TF_Status *status);
/* The function that the node calls, or NULL; *out_failed: no memory. */
const oribi_wire *oribi_onnx_function_find(const oribi_onnx_node *n, bool *out_failed);
/* Opens the scope of a call: inputs get the call's values, the opsets are the function's own. */
bool oribi_onnx_function_open(oribi_onnx_node *n, const oribi_wire *function, oribi_onnx *scope);
/* Translates the function's nodes in the place of the node. */
bool oribi_onnx_function_call(oribi_onnx_node *n, const oribi_wire *function);
/* Opens a scope below the node's, with the graph of the node's scope, named `step` in labels.
 * Close it also after a failure. */
bool oribi_onnx_scope_open(oribi_onnx_node *n, const char *step, oribi_onnx *out);
void oribi_onnx_scope_close(oribi_onnx *scope);
/* Counts one more node of a scope; RESOURCE_EXHAUSTED when there are too many. */
bool oribi_onnx_scope_charge(oribi_onnx *onnx, TF_Status *status);
/* Translates a graph in the place of the node: its outputs become the node's. */
bool oribi_onnx_graph_inline(oribi_onnx_node *n, const char *step, const oribi_wire *graph);
/* Translates a graph of so many inputs and outputs, for these values of the inputs. False: failed,
 * or *out_missing: an op inside is missing. */
bool oribi_onnx_graph_apply(oribi_onnx_node *n, const char *step, const oribi_wire *graph,
                            const oribi_value_id *inputs, int32_t n_inputs, oribi_value_id *out,
                            int32_t n_out, bool *out_missing);
/* The graph of an attribute; false: failed. */
bool oribi_onnx_read_graph(oribi_onnx_node *n, const char *name, oribi_wire *out);

/* --- Reading a node (onnx_node.c) --------------------------------------------------------------
 */

/* Fills everything but the inputs' values; outputs and label live in the scratch arena. */
bool oribi_onnx_node_read(oribi_onnx *onnx, const oribi_wire *wire, const oribi_wire_field *field,
                          oribi_onnx_node *out, oribi_string **out_input_names, TF_Status *status);

/* Attributes: false when absent or on failure (n->failed), the output untouched then. A wrong kind
 * is a failure. */
bool oribi_onnx_attr_next(oribi_onnx_node *n, oribi_wire *position, oribi_onnx_attr *out);
bool oribi_onnx_find_attr(oribi_onnx_node *n, const char *name, oribi_onnx_attr *out);
bool oribi_onnx_has_attr(oribi_onnx_node *n, const char *name);
int64_t oribi_onnx_int(oribi_onnx_node *n, const char *name, int64_t fallback);
float oribi_onnx_float(oribi_onnx_node *n, const char *name, float fallback);
bool oribi_onnx_flag(oribi_onnx_node *n, const char *name, bool fallback);
bool oribi_onnx_string_is(oribi_onnx_node *n, const char *name, const char *fallback,
                          const char *wanted);
/* Sizes, steps or axes: a failure when there are more than ORIBI_MAX_RANK. */
bool oribi_onnx_dims(oribi_onnx_node *n, const char *name, oribi_dims *out);
bool oribi_onnx_read_int(oribi_onnx_node *n, const oribi_onnx_attr *attr, int64_t *out);
bool oribi_onnx_read_float(oribi_onnx_node *n, const oribi_onnx_attr *attr, float *out);
bool oribi_onnx_read_string(oribi_onnx_node *n, const oribi_onnx_attr *attr, oribi_string *out);
/* Arrays in the scratch arena. */
bool oribi_onnx_read_ints(oribi_onnx_node *n, const oribi_onnx_attr *attr, int64_t **out,
                          int32_t *out_count);
bool oribi_onnx_read_floats(oribi_onnx_node *n, const oribi_onnx_attr *attr, float **out,
                            int32_t *out_count);
bool oribi_onnx_read_strings(oribi_onnx_node *n, const oribi_onnx_attr *attr, oribi_string **out,
                             int32_t *out_count);
/* The TensorProto, and it as a constant of the graph. */
bool oribi_onnx_read_tensor_body(oribi_onnx_node *n, const oribi_onnx_attr *attr, oribi_wire *out);
oribi_value_id oribi_onnx_read_tensor(oribi_onnx_node *n, const oribi_onnx_attr *attr);

const oribi_emit_from *oribi_onnx_from(oribi_onnx_node *n);
/* Sets a message "node 'x' (Conv) at byte n: ..." and n->failed; returns false. */
#define oribi_onnx_fail(n, ...) oribi_emit_fail(oribi_onnx_from(n), __VA_ARGS__)
#define oribi_onnx_no_memory(n) oribi_emit_no_memory(oribi_onnx_from(n))

/* The same for what would be translated if shapes were known: UNIMPLEMENTED, n->wants_shapes. */
#define oribi_onnx_want_shapes(n, ...) oribi_emit_want_shapes(oribi_onnx_from(n), __VA_ARGS__)

/* --- What files say of values (onnx_info.c) -----------------------------------------------------
 */

typedef struct oribi_onnx_info { /* a ValueInfoProto */
    oribi_string name;
    TF_DataType dtype;   /* 0: not said */
    TF_DataType element; /* of a sequence or optional, whose own type is TF_VARIANT */
    bool has_shape;
    int64_t rank; /* as the file has it, which may be more than dims hold */
    oribi_dims dims;
} oribi_onnx_info;

/* A TypeProto; of the name only messages make use. Lists: docs/reference/running/sequences.md. */
bool oribi_onnx_type_read(const oribi_wire *around, const oribi_wire_field *field,
                          oribi_onnx_info *info, TF_Status *status);
/* Says of a value that is a list what its elements are of; nothing of any other. */
bool oribi_onnx_set_list(oribi_graph *graph, oribi_value_id value, TF_DataType element,
                         TF_Status *status);
TF_DataType oribi_onnx_list_type(const oribi_graph *graph, oribi_value_id value); /* 0: unknown */

bool oribi_onnx_info_read(const oribi_wire *graph, const oribi_wire_field *field,
                          oribi_onnx_info *out, TF_Status *status);
/* Remembers what the graph says of values inside it (value_info). */
bool oribi_onnx_claims_read(oribi_onnx *onnx, oribi_wire graph, TF_Status *status);
/* The value; where its rank does not follow from what made it, with the rank that the file claims,
 * which is checked when it runs. -1: failed. */
oribi_value_id oribi_onnx_claimed(oribi_onnx_node *n, const oribi_string *name,
                                  oribi_value_id value);
/* Leaves the graph to a later import: what was translated goes, outputs are as the file declares
 * them. False without a failure: the file does not say of what type they are. */
bool oribi_onnx_leave_open(oribi_onnx *onnx, oribi_wire graph, TF_Status *status);

/* --- Tensors (onnx_tensor.c, onnx_external.c) ---------------------------------------------------
 */

TF_DataType oribi_onnx_dtype(int64_t onnx_type); /* 0: unknown */
/* A TensorProto as a constant of the graph, in place where the encoding allows. name may be empty.
 */
oribi_value_id oribi_onnx_tensor_read(oribi_onnx *onnx, const oribi_wire *tensor,
                                      const char *fallback_name, TF_Status *status);
/* A TensorProto with one number, of any rank, as a view of rank 0; *out_source is borrowed. */
bool oribi_onnx_tensor_element(oribi_onnx *onnx, const oribi_wire *tensor,
                               oribi_constant_view *out_view, oribi_source **out_source,
                               TF_Status *status);
bool oribi_onnx_tensor_name(const oribi_wire *tensor, oribi_string *out_name, TF_Status *status);
/* Bytes of a file of external data, [offset, offset + bytes); length -1: to its end. *out_source is
 * borrowed from the import. */
bool oribi_onnx_external_open(oribi_onnx *onnx, const oribi_string *location, int64_t offset,
                              int64_t length, size_t expected_bytes, const char *tensor,
                              const uint8_t **out_data, oribi_source **out_source,
                              TF_Status *status);
void oribi_onnx_external_close(oribi_onnx *onnx);

/* --- Quantisation of values (onnx_units.c) ------------------------------------------------------
 */

/* Notes the units of a translated node. Inputs are as the file gives them, in the standard domain's
 * positions; result: its output 0, or -1. */
void oribi_onnx_note_units(oribi_onnx_node *n, const oribi_value_id *inputs, int32_t n_inputs,
                           oribi_value_id result);
/* All nodes are read: what moves elements hands it on, inputs and outputs keep it. */
void oribi_onnx_finish_units(oribi_graph *graph);

/* --- Ops without a row (onnx_custom.c, onnx_missing.c) ------------------------------------------
 */

/* "com.acme:Foo" -> "Com>Acme>Foo", "LSTM" -> "ONNX>LSTM"; in the scratch arena, NULL: no memory.
 */
const char *oribi_onnx_custom_name(oribi_onnx *onnx, const oribi_string *domain,
                                   const oribi_string *op_type);
/* The op that a node without a row becomes, or NULL: the one that serves its version, that of the
 * domain, else, in a domain that is not ONNX's own, a plugin's op under the operator's plain name.
 * out_served: the versions that are served when this one is not, else empty. */
const oribi_op_def *oribi_onnx_custom_op(const oribi_onnx_node *n, oribi_text *out_served);
/* The op under its own name; what the table's functions fall back to as well. Binds all outputs. */
bool oribi_onnx_translate_custom(oribi_onnx_node *n);
/* Open ops (onnx_open.c): they declare `onnx_attributes: list(string)` and are called as ONNX calls
 * operators: argument i is parameter i, with lists for optional and variadic ones. */
bool oribi_onnx_is_open(const oribi_op_def *op);
/* Sets the node's attributes as messages, and the lengths of lists by what the node names. */
bool oribi_onnx_set_open(oribi_onnx_node *n, const oribi_op_def *op, oribi_attrs *attrs);
bool oribi_onnx_bind_open(oribi_onnx_node *n, const oribi_op_def *op, const oribi_node *node);
/* Notes what is missing in a node that waits for another one, in its graphs and in the function
 * that it calls. */
bool oribi_onnx_missing_inside(oribi_onnx_node *n, const oribi_wire *function);
/* Notes that nothing provides the op; why may be NULL. */
bool oribi_onnx_missing_add(oribi_onnx *onnx, const oribi_onnx_node *n, const char *why,
                            TF_Status *status);

#endif
