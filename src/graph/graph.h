/* SPDX-License-Identifier: Apache-2.0 */
/* Graph: nodes, values, attributes; what importers make, passes change, session and compile read.
 * Memory lives in the graph's arena and goes with it; ids are indices and never change; removed
 * things are marked dead and skipped. One thread at a time. Read next: graph.c, then src/pass.
 */
#ifndef ORIBI_GRAPH_GRAPH_H_
#define ORIBI_GRAPH_GRAPH_H_

#include "base/map.h"
#include "kernel/kernel.h"
#include "op/quantisation.h"

typedef int32_t oribi_value_id; /* index in graph->values; -1: none (an absent optional input) */
typedef int32_t oribi_node_id;

/* Bytes that a constant points into: a mapped file, a caller's memory, a folded tensor. Counted. */
typedef struct oribi_source {
    _Atomic int32_t references;
    void (*release)(struct oribi_source *source); /* frees the struct too */
    /* Pages of the range are not needed soon; NULL when there is nothing to give back. */
    void (*give_back)(struct oribi_source *source, const void *from, size_t bytes);
    void *priv;
} oribi_source;
void oribi_source_retain(oribi_source *source);
void oribi_source_release(oribi_source *source); /* NULL ok */
/* A file's bytes, mapped, or read into memory where is_read says so, max_bytes at most; one
 * reference. NULL: status set. */
oribi_source *oribi_source_open(const char *path, bool is_read, uint64_t max_bytes,
                                const uint8_t **out_data, size_t *out_bytes, TF_Status *status);
/* Zeros that can be read and take no memory; one reference. NULL: status set. */
oribi_source *oribi_source_zeros(size_t bytes, const uint8_t **out_data, TF_Status *status);

typedef struct oribi_constant {
    oribi_constant_view view; /* data may be unaligned; strides as bytes, 0 for a splat */
    oribi_source *source;     /* one reference held by the graph */
    TF_Tensor *dense;         /* dense 64-byte aligned copy, made when first asked for, or NULL */
    int32_t n_released;       /* uses whose kernel keeps a packed copy of its own */
    bool is_dropped;          /* all uses have one, and the bytes are gone for good */
    bool is_absent; /* of a packed file, which has them packed only: the view shows zeros */
} oribi_constant;

/* Packed bytes in a packed file, for one node. */
typedef struct oribi_graph_packed {
    const char *kernel, *layout;
    const uint8_t *data;
    size_t bytes;
    struct oribi_graph_packed *next; /* of the same node */
} oribi_graph_packed;

struct oribi_node;

/* One input slot that reads a value; the slots of a value form a ring in order of addition. */
typedef struct oribi_use {
    struct oribi_node *node;
    int32_t input;
} oribi_use;
typedef struct oribi_use_link {
    oribi_use use;
    struct oribi_use_link *next, *previous;
} oribi_use_link;

/* How the integers of a value stand for real numbers: real = scale * (stored - zero). */
typedef struct oribi_quantisation {
    int32_t n_scales; /* 0: they do not; more than 1: one for each index of dimension `axis` */
    int32_t axis;
    float scale; /* of index 0, as is `zero` */
    int32_t zero;
    const float *scales; /* of all, in the graph's arena, where there are more than one */
    const int32_t *zeros;
} oribi_quantisation;

typedef struct oribi_value {
    const char *name; /* unique, never NULL */
    TF_DataType dtype;
    oribi_shape shape;
    oribi_quantisation quantisation; /* as the model says; of an input or output: oribi_graph */
    oribi_handle_data handle;        /* of a resource: what is known of the values behind it */
    oribi_node_id producer;          /* -1: graph input or constant */
    int32_t producer_output;
    oribi_constant *constant; /* or NULL */
    int32_t n_uses;           /* node inputs plus graph outputs; kept by the functions below */
    oribi_use_link *uses;     /* node inputs: first of the ring, or NULL */
    bool is_input;            /* fed by the caller */
    bool is_output;
    int32_t first_output; /* of the graph outputs that it is: index + 1, 0 for none */
} oribi_value;

/* A graph that belongs to a node. Its inputs are those that the node's op gives it, `n_formals`,
 * then values of the graph around it, which are inputs of the node: which ones, `captured` says. */
typedef struct oribi_body {
    struct oribi_graph *graph; /* owned; NULL once a session has taken it */
    const char *name;          /* "then_branch", "body" */
    int32_t n_formals, n_captured;
    int32_t *captured; /* in the arena of the node's graph */
} oribi_body;

typedef struct oribi_node {
    oribi_node_id id;
    const char *name;       /* unique */
    const char *op_name;    /* kept also when no definition is known */
    const oribi_op_def *op; /* NULL until resolved */
    oribi_attrs attrs;
    oribi_signature signature;
    int32_t n_inputs, n_outputs;
    oribi_value_id *inputs, *outputs; /* change inputs through oribi_graph_set_node_input only */
    oribi_use_link *links;            /* n_inputs */
    const char *device;               /* requested: "", "CPU", "/device:GPU:0" */
    const char *origin; /* "Conv 'x' at byte 123 (+BatchNormalization 'y')": for people */
    const oribi_kernel_def *kernel; /* chosen, or NULL */
    oribi_body *bodies;             /* of control flow */
    int32_t guard;                  /* of emitted C: one more than the bool that says whether the
                                     * node runs; 0: it always does */
    int16_t n_bodies;               /* there are many nodes: no byte more than needed */
    bool is_dead;
    uint32_t passes_off;        /* ORIBI_PASS_...: whose work a graph optimiser did on this node */
    struct oribi_node *waiting; /* a list that oribi_graph_remove_dead makes */
} oribi_node;

typedef struct oribi_metadata { /* what the file says about itself */
    const char *key, *value;
    struct oribi_metadata *next;
} oribi_metadata;

typedef struct oribi_graph {
    oribi_arena arena;
    oribi_node **nodes; /* by id; order[] gives the execution order */
    int32_t n_nodes, nodes_capacity;
    oribi_value **values;
    int32_t n_values, values_capacity;
    oribi_value_id *inputs, *outputs;
    const char **input_names, **output_names; /* as the model calls them */
    /* These belong to the ports, not to their values: an output that only reshapes an input becomes
     * the same value, and keeps its own units. */
    oribi_quantisation *input_quantisation, *output_quantisation;
    int32_t n_inputs, n_outputs;
    const struct oribi_instruction_set *isa; /* limit of built-in kernels, or NULL */
    int32_t *next_outputs; /* by output: the next one of the same value, as first_output */
    /* What a run leaves to the next one: the last n_states inputs are read from it, the last
     * n_states outputs are what becomes of it, in the same order. Callers see neither. */
    TF_Tensor **states; /* their values before the first run; `kept` owns them */
    int32_t n_states;
    oribi_node_id *order; /* live nodes, topological; valid after oribi_graph_sort */
    int32_t n_order;
    struct oribi_kept_tensor *kept;
    oribi_map names;               /* of nodes and values, for uniqueness */
    const char *source_name;       /* file, for messages */
    const char *source_kind;       /* "onnx", "tflite", "graphdef" */
    const char *producer;          /* free text of the model */
    oribi_metadata *metadata;      /* in the order of the file */
    oribi_metadata **metadata_end; /* NULL: no entry yet */
    int64_t producer_version;      /* GraphDef version, else 0 */
    uint64_t max_bytes;            /* limit on memory made from the model; 0: none */
    uint64_t made_bytes;           /* counted against max_bytes */
    oribi_shape *input_limits; /* by input: what the file allows beyond the present shape; NULL */
    bool is_open;              /* ports alone: it is to be made again when input shapes are known */
    int32_t max_nodes;         /* ORIBI_GRAPH_MAX_NODES, dead ones included */
    uint64_t charged_bytes;    /* of a body: what the graph around it counts of it */
    bool is_packed;            /* from a packed file: passes have been over it */
    bool keeps_constants;      /* to be packed: what kernels give back stays */
    oribi_map packed;          /* by node: oribi_graph_packed, the list of a packed file */
    oribi_source *packed_source; /* where these are; one reference */
    const char *packed_from;     /* what the packed model was called */
} oribi_graph;

/* A thousand times what large models have. Each takes some 2 kB until it runs, and all that passes
 * and planning do is n log n, so that this many take minutes and not days. */
enum { ORIBI_GRAPH_MAX_NODES = 4000000 };

oribi_graph *oribi_graph_create(TF_Status *status);
void oribi_graph_destroy(oribi_graph *graph);

/* Counts bytes that the model makes the library take; RESOURCE_EXHAUSTED, and nothing counted, when
 * max_bytes would be passed. Ask before allocating. */
bool oribi_graph_charge(oribi_graph *graph, uint64_t bytes, TF_Status *status);
/* The same for who knows the graph as an argument of its own (oribi_proto_charge). */
bool oribi_graph_charge_arg(void *graph, uint64_t bytes, TF_Status *status);
/* Opens a file for a model, within what is left of the graph's limit; what is read, and not mapped,
 * is charged. NULL: status set. */
oribi_source *oribi_graph_open_file(oribi_graph *graph, const char *path, bool is_read,
                                    const uint8_t **out_data, size_t *out_bytes, TF_Status *status);
/* Copies both texts, which need no NUL. */
bool oribi_graph_add_metadata(oribi_graph *graph, const char *key, size_t key_bytes,
                              const char *value, size_t value_bytes, TF_Status *status);

/* Takes over the reference of a tensor that an attribute of a node points to, also when it fails;
 * it goes with the graph. */
bool oribi_graph_keep_tensor(oribi_graph *graph, TF_Tensor *tensor, TF_Status *status);

/* All adders return -1 / NULL on failure with status set. Names are made unique with a suffix. */
oribi_value_id oribi_graph_add_value(oribi_graph *graph, const char *name, TF_DataType dtype,
                                     const oribi_shape *shape, TF_Status *status);
/* *shape becomes, dimension by dimension, what either side knows, in the graph's arena; it wins
 * where they disagree. False: no memory. */
bool oribi_graph_merge_shape(oribi_graph *graph, const oribi_shape *known, oribi_shape *shape);
/* Returns what a model says about a value of this type, or none where that is not quantisation: of
 * a type that is not an integer's, with a scale that is not positive and finite, with a zero point
 * that the type does not have. */
oribi_quantisation oribi_graph_quantisation(TF_DataType dtype, int64_t n_scales, int64_t axis,
                                            double scale, int64_t zero);
/* The value gets it; where there are several scales, `read` tells each, and what is impossible
 * makes it none. */
bool oribi_graph_quantise(oribi_graph *graph, oribi_value *value,
                          const oribi_quantisation *quantisation,
                          void (*read)(const void *arg, int32_t i, double *scale, int64_t *zero),
                          const void *arg, TF_Status *status);
/* As contract functions tell it; count 0: none. Points into the argument. */
TF_Quantisation oribi_graph_quantisation_view(const oribi_quantisation *quantisation);
/* Takes over one reference of source (may be NULL for static data), also when it fails; copies dims
 * and strides. The maker has checked that all elements lie inside the source. */
oribi_value_id oribi_graph_add_constant(oribi_graph *graph, const char *name,
                                        const oribi_constant_view *view, oribi_source *source,
                                        TF_Status *status);
/* Copies data (dense). */
oribi_value_id oribi_graph_add_constant_copy(oribi_graph *graph, const char *name,
                                             TF_DataType dtype, const int64_t *dims, int32_t rank,
                                             const void *data, TF_Status *status);
/* Keeps a reference of the tensor (a folded result) and counts its bytes against max_bytes. */
oribi_value_id oribi_graph_add_constant_tensor(oribi_graph *graph, const char *name,
                                               TF_Tensor *tensor, TF_Status *status);
/* Lets the dense tensor go; a copy of its own counts against max_bytes no more. */
void oribi_graph_drop_dense(oribi_graph *graph, oribi_constant *constant);
/* The first of the bytes that a constant's view reads, and how many there are to the last. */
void oribi_graph_view_range(const oribi_constant_view *view, const uint8_t **out_from,
                            size_t *out_bytes);
/* Lets go of the constants that nothing uses: what folding replaced. For when no pass follows. */
void oribi_graph_drop_unused_constants(oribi_graph *graph);
/* A constant that reads another one with permuted dims, nothing copied; INVALID_ARGUMENT unless the
 * permutation is one, of as many axes as the constant has. */
oribi_value_id oribi_graph_add_constant_transposed(oribi_graph *graph, const char *name,
                                                   oribi_value_id constant,
                                                   const oribi_dims *permutation,
                                                   TF_Status *status);
/* New node with n_outputs fresh values named NAME:k (or NAME for one). attrs may be filled through
 * node->attrs before oribi_graph_resolve. inputs are counted as uses. */
oribi_node *oribi_graph_add_node(oribi_graph *graph, const char *op_name, const char *name,
                                 const oribi_value_id *inputs, int32_t n_inputs, int32_t n_outputs,
                                 TF_Status *status);
/* Looks up the op, resolves attributes, sets output types, infers output shapes. NOT_FOUND when the
 * op is unknown. */
bool oribi_graph_resolve(oribi_graph *graph, oribi_node *node, TF_Status *status);
/* Infers the output shapes of a resolved node again. */
bool oribi_graph_infer(oribi_graph *graph, oribi_node *node, TF_Status *status);
/* Gives a value another name, made unique. */
bool oribi_graph_rename_value(oribi_graph *graph, oribi_value_id value, const char *name,
                              TF_Status *status);
/* The port takes over the value's quantisation. */
bool oribi_graph_add_input(oribi_graph *graph, oribi_value_id value, const char *name,
                           TF_Status *status);
bool oribi_graph_add_output(oribi_graph *graph, oribi_value_id value, const char *name,
                            TF_Status *status);

/* State that a run reads as `read`, an input from now on, and leaves as `next`, of equal type and
 * shape; the latter's name is NAME:next. Takes `initial` over, also when it fails. No input or
 * output may be added behind it. */
bool oribi_graph_add_state(oribi_graph *graph, oribi_value_id read, oribi_value_id next,
                           const char *name, TF_Tensor *initial, TF_Status *status);

/* The node gets graphs of its own, which are taken over, also when it fails. Their bytes count
 * against the graph's. */
bool oribi_graph_give_bodies(oribi_graph *graph, oribi_node *node, const oribi_body *bodies,
                             int32_t n, TF_Status *status);
/* What is known of captured values now: constants move into the body, shapes are handed on. */
bool oribi_graph_settle_body(const oribi_graph *graph, const oribi_node *node, oribi_body *body,
                             TF_Status *status);
/* Adds copies of the body's nodes, which have this guard (-1: none), read the node's captured
 * inputs and these formals (a branch has none: NULL), and tells the values that stand for the
 * body's outputs, of which out_results has room for all. Graphs of nodes inside move; the body is
 * used up.
 */
bool oribi_graph_splice(oribi_graph *graph, const oribi_node *node, const oribi_body *body,
                        const oribi_value_id *formals, oribi_value_id guard,
                        oribi_value_id *out_results, TF_Status *status);
/* Puts copies of the nodes from `first` on into `body`, an empty graph, of which that becomes an
 * input what they read of the others; graphs of theirs move. Returns for each value of the graph
 * the one of the body that stands for it, or -1: oribi_free. NULL: status set. */
oribi_value_id *oribi_graph_enclose(oribi_graph *graph, oribi_node_id first, oribi_graph *body,
                                    TF_Status *status);
/* A constant of another graph as one of this graph, over the same bytes. */
oribi_value_id oribi_graph_share_constant(oribi_graph *graph, const oribi_graph *from,
                                          oribi_value_id constant, TF_Status *status);
/* Has a node of the graph graphs of its own? */
bool oribi_graph_has_bodies(const oribi_graph *graph);

void oribi_graph_set_node_input(oribi_graph *graph, oribi_node *node, int32_t index,
                                oribi_value_id value);
/* Every use of `from`, graph outputs included, becomes a use of `to`, which keeps its quantisation
 * and gets that of `from` when it has none. */
void oribi_graph_replace_uses(oribi_graph *graph, oribi_value_id from, oribi_value_id to);
/* Marks dead; its inputs lose a use. Outputs must have no uses. */
void oribi_graph_remove_node(oribi_graph *graph, oribi_node *node);
/* Removes nodes without side effects whose outputs nobody uses; returns how many. */
int32_t oribi_graph_remove_dead(oribi_graph *graph);
/* Recomputes order; INVALID_ARGUMENT naming a node on a cycle. Deterministic. */
bool oribi_graph_sort(oribi_graph *graph, TF_Status *status);
/* Consumers of a value (node inputs only): fills up to max pairs, returns the number there are, but
 * at most max_uses + 1: a value may have millions of them. */
int32_t oribi_graph_uses(const oribi_graph *graph, oribi_value_id value, oribi_use *out_uses,
                         int32_t max_uses);
oribi_node *oribi_graph_producer(const oribi_graph *graph, oribi_value_id value);

/* Dense, aligned tensor of a constant value (kept in the constant); counted handle. Checks
 * max_bytes. */
TF_Tensor *oribi_graph_constant_tensor(oribi_graph *graph, oribi_value_id value, TF_Status *status);
/* Reads an integer constant (int32 or int64, rank 0 or 1) that lists sizes or axes; false, and out
 * untouched, when the value is not such a constant or has more elements than fit. */
bool oribi_graph_constant_ints(const oribi_graph *graph, oribi_value_id value, oribi_dims *out);
/* The same for one that must have `count` elements, however many; false, and out untouched, when it
 * has another number. */
bool oribi_graph_constant_exactly(const oribi_graph *graph, oribi_value_id value, int64_t *out,
                                  int32_t count);
/* What is known of an integer value of rank 0 or 1 whose elements are not all constant, as dims: -1
 * where nothing (or a negative one) is known; rank -1 when nothing is. Lives in the arena. */
bool oribi_graph_partial_ints(oribi_graph *graph, oribi_value_id value, oribi_shape *out_shape,
                              TF_Status *status);
/* oribi_graph_constant_ints and _exactly for a value that is constant or follows from shapes that
 * are known (Shape, Gather, Concat and so on); false also when an element is not known. */
bool oribi_graph_known_ints(const oribi_graph *graph, oribi_value_id value, oribi_dims *out);
bool oribi_graph_known_exactly(const oribi_graph *graph, oribi_value_id value, int64_t *out,
                               int32_t count);
/* View for kernel selection and creation; arrays live in the graph's arena. */
bool oribi_graph_node_view(oribi_graph *graph, const oribi_node *node, oribi_node_view *out_view,
                           TF_Status *status);

#endif
