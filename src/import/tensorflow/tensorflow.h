/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow's own models: a GraphDef, as freezing writes it, or a SavedModel with signatures, a
 * library of functions and a checkpoint. Nodes are made from the outputs back by the reader of
 * graphdef/; what is no tensor there (a variable, a table, a list) stands behind numbers below -1.
 *
 *   tf_open.c      which file it is, which signature
 *   tf_ports.c     inputs and outputs
 *   tf_node.c      nodes that are not made by their op's name
 *   tf_spelling.c  ops under names that were replaced
 *   tf_function.c  calls of functions
 *   tf_body.c      graphs of branches and iterations
 *   tf_branch.c    If, Case
 *   tf_loop.c      While
 *   tf_frame.c     loops as older graphs have them, of nodes that switch; tf_switch.c conditions
 *   tf_variable.c  variables, with their values from the checkpoint
 *   tf_object.c    the same, by the model's objects
 *   tf_bundle.c    the checkpoint's files
 *   tf_table.c     lookup tables
 *   tf_list.c      lists of tensors, tf_list_nodes.c their nodes
 *   tf_emit.c      how nodes are made of others: tf_formula.c by a formula, tf_..._nodes.c which
 *
 * Source   graph.proto, function.proto, meta_graph.proto, saved_model.proto, saver.proto,
 *          tensor_bundle.proto.
 */
#ifndef ORIBI_IMPORT_TENSORFLOW_TENSORFLOW_H_
#define ORIBI_IMPORT_TENSORFLOW_TENSORFLOW_H_

#include "import/emit.h"
#include "import/graphdef/graphdef_attr.h"
#include "import/graphdef/graphdef_read.h"
#include "import/import_body.h"
#include "import/missing.h"
#include "import/tensorflow/tf_bundle.h"

/* Values that are no tensors. An op that nothing provides makes BLOCKED ones; -2 is the first
 * handle. */
enum { ORIBI_TF_BLOCKED = INT32_MIN };

enum oribi_tf_handle_kind { ORIBI_TF_VARIABLE, ORIBI_TF_TABLE, ORIBI_TF_LIST };

typedef struct oribi_tf_handle {
    enum oribi_tf_handle_kind kind;
    const char *name;  /* oribi_tf_shared_name */
    const char *label; /* of the node that makes it */
    int32_t scope;     /* where `values` are known; 0: nowhere */
    /* Of a variable its value, of a table its keys and values, of a list how many elements it has
     * and their shape. */
    oribi_value_id values[2];
    TF_DataType dtype; /* of a list's elements */
    bool grows;        /* a list that is as long as what is stored asks */
} oribi_tf_handle;

typedef struct oribi_tf {
    const oribi_import_options *options;
    oribi_graph *graph;     /* that nodes are added to: the model's, or a body's */
    oribi_graph *outermost; /* the model's */
    oribi_arena kept;
    oribi_graphdef *reader; /* of the GraphDef's own nodes */
    bool is_saved_model;
    oribi_map functions; /* by name: oribi_wire of the FunctionDef */
    oribi_map assets;    /* by the tensor's name: the file's */
    oribi_map fed;       /* by "name:0": oribi_value_id */
    oribi_tf_handle *handles;
    int32_t n_handles, handles_capacity;
    oribi_map handle_ids[3]; /* by kind, by name: oribi_value_id */
    oribi_map keys;          /* of variables: the names in the checkpoint */
    bool has_keys, has_objects;
    oribi_wire objects;        /* of the SavedModel; empty: none */
    oribi_string *object_keys; /* in the checkpoint, by the object's number */
    int64_t n_objects;
    oribi_map bound;  /* by a function's name: oribi_wire of what it is bound to */
    oribi_map tables; /* what fills them */
    bool has_tables;
    oribi_tf_bundle bundle; /* the checkpoint */
    int32_t depth, scope, n_scopes;
    int32_t probe_depth; /* iterations around this one of which shapes alone are used */
    int64_t calls_left, nodes_left;
    struct oribi_tf_frame *frames; /* loops of the older kind that were made */
    oribi_missing missing;
} oribi_tf;

/* What a reader's nodes belong to: the argument of oribi_tf_make. */
typedef struct oribi_tf_scope {
    oribi_tf *tf;
    const char *prefix; /* "call/", or "" */
    oribi_wire message; /* that the reader reads; a function's is of no use here */
    oribi_graphdef *reader;
    int64_t number; /* of this reading; its address comes again */
} oribi_tf_scope;

/* Is it a GraphDef or a SavedModel, by its first fields? */
bool oribi_is_tensorflow(const uint8_t *data, size_t bytes);
oribi_graph *oribi_import_tensorflow(const uint8_t *data, size_t bytes, oribi_source *source,
                                     const char *source_name, const oribi_import_options *options,
                                     TF_Status *status);

/* oribi_graphdef_known.make, with a scope. */
int32_t oribi_tf_make(void *scope, const oribi_graphdef_node *node, oribi_value_id *out,
                      int32_t max, TF_Status *status);

/* oribi_graphdef_known.spelling and .argument. */
oribi_string oribi_tf_spelling(oribi_string op);
int32_t oribi_tf_argument(void *scope, oribi_string op, oribi_string argument);

/* Counts nodes that are read again. False, the status set: there were too many. */
bool oribi_tf_spend(oribi_tf *tf, int64_t nodes, TF_Status *status);
/* "name" of "name:2". */
oribi_string oribi_tf_without_port(oribi_string reference);
/* Inputs, nodes and outputs, as a signature names them or as a GraphDef alone has them. */
bool oribi_tf_read_signature(oribi_tf *tf, oribi_wire signature, TF_Status *status);
bool oribi_tf_read_ends(oribi_tf *tf, TF_Status *status);
/* The same as options->ends has them. */
bool oribi_tf_read_given(oribi_tf *tf, TF_Status *status);
/* A text of the file with an end; NULL: no memory, status set. */
const char *oribi_tf_text(oribi_tf *tf, oribi_string string, TF_Status *status);
/* What a Const node holds, kept by the model's graph; NULL: status set. */
TF_Tensor *oribi_tf_constant(oribi_tf *tf, const oribi_graphdef_seen *node, TF_Status *status);
/* Element i of a tensor of strings; false: it has no such. */
bool oribi_tf_string_at(const TF_Tensor *tensor, int64_t i, oribi_string *out);

/* A function's definition, read: names in order. */
typedef struct oribi_tf_function {
    oribi_wire message;
    const char *name;
    oribi_string *inputs, *outputs, *returns; /* the latter as outputs */
    int32_t n_inputs, n_outputs;
    const oribi_map *by_name; /* of inputs, while calls are visited */
} oribi_tf_function;
/* Each function that a node of the GraphDef itself calls, and the GraphDef's own nodes once: how
 * what initialises variables and tables is found. `call` is the calling node, or NULL. False:
 * status set. */
typedef bool oribi_tf_visit(oribi_tf *tf, const oribi_graphdef *reader,
                            const oribi_tf_function *function, const oribi_graphdef_seen *call,
                            TF_Status *status);
bool oribi_tf_visit_calls(oribi_tf *tf, oribi_tf_visit *visit, TF_Status *status);
/* The node of the GraphDef that input i of `node`, of the visited reader, comes from; *out_port is
 * its output. False: none is known. */
bool oribi_tf_trace(oribi_tf *tf, const oribi_graphdef *reader, const oribi_tf_function *function,
                    const oribi_graphdef_seen *call, const oribi_graphdef_seen *node, int32_t i,
                    oribi_graphdef_seen *out, int32_t *out_port);

/* The function that a NameAttrList names, that an attribute does. */
bool oribi_tf_function_named(oribi_tf *tf, oribi_wire call, oribi_tf_function *out,
                             TF_Status *status);
bool oribi_tf_function_of(oribi_tf *tf, const oribi_graphdef_node *node, const char *attr,
                          oribi_tf_function *out, TF_Status *status);
bool oribi_tf_read_function(oribi_tf *tf, oribi_wire message, oribi_tf_function *out,
                            TF_Status *status);
/* Which output of the function of this name it is; 0: it has none. */
int32_t oribi_tf_function_output(oribi_tf *tf, oribi_string function, oribi_string output);
/* Nodes of the function, for these inputs, in tf->graph; its outputs. */
bool oribi_tf_call(oribi_tf *tf, const oribi_tf_function *function, const char *label,
                   const char *step, const oribi_value_id *inputs, oribi_value_id *out_outputs,
                   TF_Status *status);
/* Which outputs of the function are its inputs of the same number, untouched: as many as it has
 * inputs. NULL: status set. */
bool *oribi_tf_handed_on(oribi_tf *tf, const oribi_tf_function *function, TF_Status *status);

/* What variables and tables of one process are the same by: the attribute, else the node's name. */
oribi_string oribi_tf_shared_name(oribi_wire node, oribi_string name);
/* The handle's number; -1: status set. */
oribi_value_id oribi_tf_handle_of(oribi_tf *tf, enum oribi_tf_handle_kind kind, oribi_string name,
                                  const char *label, TF_Status *status);
oribi_tf_handle *oribi_tf_handle_at(oribi_tf *tf, oribi_value_id id, enum oribi_tf_handle_kind kind,
                                    TF_Status *status);
/* Adds names in the checkpoint for variables that have none yet. */
bool oribi_tf_bind_objects(oribi_tf *tf, TF_Status *status);
/* The variable's value in tf->graph, from the checkpoint. */
oribi_value_id oribi_tf_variable_value(oribi_tf *tf, oribi_value_id handle, TF_Status *status);
/* What nodes were added to before a body. */
typedef struct oribi_tf_around {
    oribi_graph *graph;
    int32_t scope;
} oribi_tf_around;
/* tf->graph is the body until it ends. NULL: status set. */
oribi_graph *oribi_tf_body_begin(oribi_tf *tf, oribi_tf_around *out, TF_Status *status);
oribi_graph *oribi_tf_body_end(oribi_tf *tf, const oribi_tf_around *before, bool ok,
                               TF_Status *status);
bool oribi_tf_any_blocked(const oribi_value_id *values, int32_t n);
int32_t oribi_tf_block_all(oribi_value_id *out, int32_t n); /* n */

/* A loop over inputs, of which some are carried from one iteration to the next. Both functions make
 * nodes in tf->graph for one iteration, out of as many values as there are inputs. */
typedef struct oribi_tf_loop oribi_tf_loop;
typedef bool oribi_tf_iterate(oribi_tf_loop *self, const oribi_value_id *inputs,
                              oribi_value_id *out, TF_Status *status);
struct oribi_tf_loop {
    oribi_tf *tf;
    const char *label;
    oribi_value_id *inputs; /* lists become tensors */
    bool *is_carried;       /* by input; others are the same in each iteration */
    int32_t n;
    oribi_tf_iterate *body, *condition; /* the latter has one output */
    void *arg;
    oribi_shape *shapes; /* what follows is the maker's own */
    int32_t n_carried;
    bool is_blocked;
};
/* As many values as inputs: what they are in the end. -1: status set. */
int32_t oribi_tf_make_loop(oribi_tf_loop *self, oribi_value_id *out, TF_Status *status);

/* One of two values. `make` makes either in tf->graph, out of as many values as there are inputs.
 */
typedef struct oribi_tf_ways oribi_tf_ways;
struct oribi_tf_ways {
    oribi_tf *tf;
    const char *label;
    const oribi_value_id *inputs;
    int32_t n_inputs;
    bool (*make)(const oribi_tf_ways *self, bool is_true, const oribi_value_id *inputs,
                 oribi_value_id *out, TF_Status *status);
    void *arg;
};
bool oribi_tf_make_choice(const oribi_tf_ways *ways, oribi_value_id condition, oribi_value_id *out,
                          TF_Status *status);

typedef int32_t oribi_tf_make_fn(oribi_tf_scope *scope, const oribi_graphdef_node *node,
                                 oribi_value_id *out, int32_t max, TF_Status *status);
oribi_tf_make_fn oribi_tf_make_exit, oribi_tf_make_merge;
void oribi_tf_frames_destroy(oribi_tf *tf);
/* Is it a node that is made without its inputs being made before? */
bool oribi_tf_is_whole(void *scope, const oribi_graphdef_seen *node);
oribi_tf_make_fn oribi_tf_make_if, oribi_tf_make_case, oribi_tf_make_while, oribi_tf_make_lookup;
/* A file of the model's folder, mapped or read. NULL: status set. */
oribi_tf_open oribi_tf_open_file; /* of an oribi_tf */

#endif
