/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs and sessions as TensorFlow's C API has them, for bindings that run TensorFlow's models: a
 * TF_Graph is the nodes of a GraphDef and what is known of their types and shapes; a TF_Session
 * imports what lies between feeds and fetches, once for each set of them, and runs that.
 *
 *   binding_graph.c     graphs, their operations by name and in order, shapes
 *   binding_settle.c    types and shapes of a new operation
 *   binding_unknown.c   the same of ops that nothing registers: what TensorFlow keeps beside models
 *   binding_operation.c what an operation says about itself
 *   binding_attr.c      attributes of operations
 *   binding_write.c     operations and graphs as messages
 *   binding_describe.c  new operations
 *   binding_import.c    GraphDefs into graphs
 *   binding_import_options.c  what is asked of an import, and what it says
 *   binding_session.c   sessions and their runs
 *   binding_state.c     targets, and what they assign
 *   binding_plan.c      one set of feeds and fetches, ready to run
 *   binding_load.c      SavedModels
 *   binding_partial.c   runs whose feeds come one after another
 *   binding_function.c  functions of graphs
 *   binding_to_function.c, binding_while.c  graphs that become functions, and loops
 *   binding_gradients.c, binding_gradient_rows.c, binding_formula.c  gradients of a graph
 *   binding_edit.c      changes of what is in a graph
 *   binding_deprecated.c  sessions that know operations by their names
 *   binding_checkpoint.c  checkpoints, read by the names of their tensors
 *   binding_device.c, binding_config.c, binding_eager.c  what bindings ask beside
 *
 * Source   TensorFlow's c_api.h; graph.proto, node_def.proto, meta_graph.proto.
 */
#ifndef ORIBI_BINDING_BINDING_H_
#define ORIBI_BINDING_BINDING_H_

#include "base/thread.h"
#include "format/wire.h"
#include "graph/graph.h"
#include "op/op_proto.h"
#include "tensor/status.h"
#include "tensorflow/c/c_api.h"

typedef struct oribi_binding_attr {
    oribi_string name;
    oribi_wire value; /* an AttrValue */
} oribi_binding_attr;

/* Who reads an output; port -1: who runs after the operation. */
typedef struct oribi_binding_reader {
    int32_t port;
    TF_Input input;
    struct oribi_binding_reader *next;
} oribi_binding_reader;

/* All memory is the graph's. */
struct TF_Operation {
    TF_Graph *graph;
    const char *name, *type, *device;
    const oribi_op_def *op; /* NULL: nothing registers it */
    oribi_binding_attr *attrs;
    oribi_attrs read; /* those that were asked for, or given by the op */
    TF_Output *inputs;
    TF_Operation **controls;
    oribi_value_id *outputs;                     /* of graph->known */
    const int32_t *input_starts, *output_starts; /* by argument of `op`; NULL: not known */
    int32_t n_attrs, n_inputs, n_controls, n_outputs;
    int32_t attrs_capacity, inputs_capacity, controls_capacity;
    bool is_reference;    /* its outputs are variables of the older kind */
    bool is_given;        /* a loop has its value: it is not written */
    oribi_wire full_type; /* FullTypeDef; empty: none */
    oribi_binding_reader *readers, *last_reader;
};

struct TF_Graph {
    oribi_mutex lock;
    _Atomic int32_t references;
    oribi_graph *known; /* types, shapes and small constants; its arena is the graph's */
    TF_Operation **ops;
    int32_t n_ops, capacity;
    oribi_map by_name;
    oribi_map functions;   /* oribi_wire of the FunctionDef */
    oribi_wire *gradients; /* GradientDef messages */
    int32_t n_gradients;
    int64_t producer, min_consumer;
    uint64_t version;          /* another one after each change */
    _Atomic uint64_t edits;    /* changes of operations that plans may have read */
    const oribi_map *arriving; /* functions of an import that is not done, or NULL */
    oribi_map handles;      /* "node:0": oribi_wire, what variables behind it hold (HandleData) */
    TF_Graph *around;       /* of a loop's condition or body: the loop's */
    const TF_Output *given; /* there */
    bool requires_shape_functions;
};

/* "src:index" stands for `dst`; index -1: a control input, and dst.index means nothing. */
typedef struct oribi_binding_mapping {
    const char *name;
    int index;
    TF_Output dst;
    bool is_used;
    struct oribi_binding_mapping *next;
} oribi_binding_mapping;

/* Lists are in the order in which they were given. */
struct TF_ImportGraphDefOptions {
    oribi_arena arena;
    const char *prefix, *device;
    bool uniquifies_names, uniquifies_prefix, has_failed; /* the latter: no memory */
    bool extends; /* nodes may read those that are in the graph */
    oribi_binding_mapping *mappings, *outputs, *operations, *controls;
    int32_t n_outputs, n_operations;
};

struct TF_ImportGraphDefResults {
    oribi_arena arena;
    TF_Output *outputs;
    TF_Operation **operations;
    const char **missing_names;
    int *missing_indexes;
    int n_outputs, n_operations, n_missing;
};

/* --- Graphs: the lock is held --------------------------------------------------------------- */

void oribi_binding_retain(TF_Graph *graph);
void oribi_binding_release(TF_Graph *graph); /* NULL ok */
/* An operation that is in no graph yet; NULL: no memory, status set. */
TF_Operation *oribi_binding_operation(TF_Graph *graph, oribi_string type, oribi_string name,
                                      TF_Status *status);
bool oribi_binding_add_input(TF_Operation *self, TF_Output input, TF_Status *status);
bool oribi_binding_add_control(TF_Operation *self, TF_Operation *input, TF_Status *status);
/* Replaces an attribute of the same name. Copies nothing. */
bool oribi_binding_set_attr(TF_Operation *self, oribi_string name, oribi_wire value,
                            TF_Status *status);
const oribi_binding_attr *oribi_binding_find_attr(const TF_Operation *self, const char *name);
/* Has an operation the name, or `taken`, which may be NULL? */
bool oribi_binding_is_taken(const TF_Graph *graph, const oribi_map *taken, const char *name);
/* The name, or with a number behind it where it is taken, in the arena; NULL, also for no name: no
 * memory. */
const char *oribi_binding_free_name(const TF_Graph *graph, const oribi_map *taken,
                                    oribi_arena *arena, const char *name);
/* Puts it into its graph, under its name. INVALID_ARGUMENT: the name is taken. */
bool oribi_binding_put(TF_Operation *self, TF_Status *status);
/* Tells one output who reads it; port -1: who runs after it. */
bool oribi_binding_add_reader(TF_Operation *of, int32_t port, TF_Input input, TF_Status *status);
/* Tells its inputs who reads them. */
bool oribi_binding_link(TF_Operation *self, TF_Status *status);
/* A function, of a copy of the message. NULL: status set. */
TF_Function *oribi_binding_function(const void *proto, size_t bytes, TF_Status *status);
/* "": it has none. */
bool oribi_binding_function_name(oribi_wire function, oribi_string *out, TF_Status *status);
/* The signature of the graph's function, or of one that arrives; false: there is none. */
bool oribi_binding_find_function(const TF_Graph *graph, const char *name, oribi_wire *out);
/* Adds the functions and gradients of a FunctionDefLibrary, whose bytes must be the graph's. */
bool oribi_binding_add_library(TF_Graph *graph, oribi_wire library, TF_Status *status);
/* Bytes that live as long as the graph; NULL: no memory, status set. */
const uint8_t *oribi_binding_keep(TF_Graph *graph, const void *data, size_t bytes,
                                  TF_Status *status);
TF_Operation *oribi_binding_find(const TF_Graph *graph, oribi_string name);
/* The value of an output; NULL, the status set: there is no such output. */
oribi_value *oribi_binding_value(TF_Output output, TF_Status *status);

/* --- Types and shapes ----------------------------------------------------------------------- */

/* Outputs, their types and shapes, defaults of attributes. What is not strict takes what its op
 * does not allow as an op that nothing registers, of which n_read outputs are read: a part of a
 * model that never runs. */
bool oribi_binding_settle(TF_Operation *self, bool is_strict, int32_t n_read, TF_Status *status);
/* Is it an op of TensorFlow's of which outputs are known, although nothing registers it? */
bool oribi_binding_is_known(const char *type);
bool oribi_binding_settle_unknown(TF_Operation *self, int32_t n_read, TF_Status *status);
/* Outputs of a call, of an operation whose type is the name of a function. */
bool oribi_binding_settle_call(TF_Operation *self, oribi_wire signature, bool is_strict,
                               TF_Status *status);
/* The argument that an output belongs to, and the argument's first output. */
oribi_string oribi_binding_output_name(const TF_Operation *self, int32_t output,
                                       int32_t *out_start);
/* Does it more than its inputs say? */
bool oribi_binding_is_stateful(const TF_Operation *self);
/* What a GraphDef itself says of the shapes becomes known, and is no attribute any more. */
bool oribi_binding_take_shapes(TF_Operation *self, TF_Status *status);
/* Adds the value of the next output. */
bool oribi_binding_add_output(TF_Operation *self, TF_DataType dtype, const oribi_shape *shape,
                              TF_Status *status);

/* --- Messages ------------------------------------------------------------------------------- */

void oribi_binding_write_node(oribi_text *out, const TF_Operation *self);
void oribi_binding_write_attrs(oribi_text *out, const TF_Operation *self); /* and the device */
void oribi_binding_write_graph(oribi_text *out, const TF_Graph *graph);
/* Adds a GraphDef, whose bytes must be the graph's, or nothing. `results` may be NULL. */
bool oribi_binding_import(TF_Graph *graph, oribi_wire graph_def,
                          const TF_ImportGraphDefOptions *options,
                          TF_ImportGraphDefResults *results, TF_Status *status);

#endif
