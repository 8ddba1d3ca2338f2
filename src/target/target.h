/* SPDX-License-Identifier: Apache-2.0 */
/* Targets inside the house: the registry, regions, ops of one kernel, and the partition of a graph
 * over devices. After it each region is one node `Oribi>Region` whose attribute `region` is its
 * index; compile and session turn that into calls of a device. Read next: partition.c, then
 * oribi/target.h for what plugins see.
 */
#ifndef ORIBI_TARGET_TARGET_INTERNAL_H_
#define ORIBI_TARGET_TARGET_INTERNAL_H_

#include "base/text.h"
#include "graph/graph.h"
#include "oribi/target.h"

#define ORIBI_REGION_OP "Oribi>Region"

enum { ORIBI_DEVICES_MAX = 32, ORIBI_PATTERN_MAX = 16, ORIBI_SHARED_MAX = 64 };

typedef struct oribi_kernel_array {
    const void *data; /* NULL: none */
    int64_t count;
} oribi_kernel_array;

typedef struct oribi_kernel_state {
    oribi_shape shape;
    const void *initial;
    bool is_set;
} oribi_kernel_state;

/* Holds what the `prepare` of an op of one kernel said of a node. */
typedef struct oribi_kernel_code {
    const oribi_target_kernel *kernel;
    const oribi_node *node;
    void *arguments;            /* args->bytes; pointers lead to the arrays */
    oribi_kernel_array *arrays; /* by member of the arguments */
    int32_t *inputs;            /* of the node, that the kernel takes */
    int32_t n_inputs;
    int32_t in_place[2], n_in_place; /* of those */
    int64_t macs;
    oribi_kernel_state *states;
} oribi_kernel_code;

/* The result of a target's writer for a region. It lives in the partition's arena. */
struct oribi_target_code {
    oribi_arena *arena;
    int32_t op;
    const void *params;
    size_t params_bytes, params_alignment, scratch_bytes;
    const char *declarations, *body;    /* NULL: Invoke */
    oribi_kernel_code *own;             /* of an op of one kernel; NULL: of a device */
    const oribi_target_scratch *shared; /* scratch at fixed places; NULL: its own, anywhere */
    const char *refusal;                /* of compile_region: why not; NULL: it takes the region */
    int32_t refused;                    /* the operator that it does not take; -1: all of them */
    int64_t us;
};

/* Nodes that a device takes. The graph keeps them, dead, after the partition. */
struct oribi_region {
    oribi_graph *graph;
    const oribi_target_pattern *pattern;
    int32_t device; /* of the partition */
    int64_t us;
    oribi_node **nodes;
    int32_t n_nodes;
    const oribi_value_id **inputs; /* by node: what it read; dead nodes have forgotten it */
    oribi_value_id *outer;         /* what it reads from outside, constants apart */
    oribi_value_id *outputs;
    int32_t n_outer, n_outputs;
    bool is_compiled; /* by compile_region: any operators, each outer value once */
    bool is_assigned; /* to its device, by name */
    oribi_target_code code;
};

/* A member of the devices struct. */
typedef struct oribi_device_instance {
    const char *name; /* "npu1": as asked for */
    const oribi_target *target;
} oribi_device_instance;

/* Why a node stayed on the CPU, or where it went. */
typedef struct oribi_partition_note {
    const char *node, *target, *pattern;
    const char *why; /* NULL: taken */
} oribi_partition_note;

/* A region that a target would take, but is not to: what planning has found out about its devices.
 */
typedef struct oribi_kept_off {
    const char *node; /* the first of the region */
    int32_t n_nodes;  /* at least so many: a smaller one may do */
    const oribi_target *target;
    const char *why;
} oribi_kept_off;

typedef struct oribi_partition {
    oribi_arena arena;
    const oribi_kept_off *kept_off; /* n_kept_off, set before oribi_partition_graph */
    int32_t n_kept_off;
    oribi_device_instance devices[ORIBI_DEVICES_MAX];
    int32_t n_devices;
    oribi_region *regions;
    int32_t n_regions, regions_capacity;
    oribi_partition_note *notes;
    int32_t n_notes, notes_capacity;
} oribi_partition;

/* --- Ops of one kernel: target_kernel.c --------------------------------------------------------
 */

/* The descriptor for a node of that op and these attributes; NULL: there is none. */
const oribi_target_kernel *oribi_target_kernel_find(const char *op, const oribi_attrs *attrs);
/* How many of the op's last inputs a model need not connect. */
int32_t oribi_target_kernel_states(const char *op);
/* Asks `prepare` about a node of the graph, whose code then lives in the arena. */
bool oribi_target_kernel_ask(const oribi_target_kernel *kernel, oribi_graph *graph,
                             oribi_node *node, oribi_arena *arena, oribi_target_code *out,
                             TF_Status *status);
/* Registers the host's kernel that calls `run` (target_host.c). */
void oribi_target_kernel_host(const oribi_target_kernel *kernel, TF_Status *status);
/* Input `input` of a node in the making, a state that the model does not connect: a value without a
 * producer (target_state.c). Its type may be that of one of the inputs before. -1: no memory. */
oribi_value_id oribi_target_state_value(oribi_graph *graph, const oribi_op_def *op,
                                        const char *node, const oribi_value_id *inputs,
                                        int32_t input, TF_Status *status);
bool oribi_target_has_open_states(const oribi_graph *graph);
/* Makes these values state of the graph, once the sizes of inputs are final. */
bool oribi_target_open_states(oribi_graph *graph, TF_Status *status);
/* The text of the next file in a source with marks: its name, its lines. False: no more. */
typedef struct oribi_target_file {
    char name[128]; /* "acme_centre.h" */
    const char *text;
    size_t bytes;
} oribi_target_file;
bool oribi_target_next_file(const char **source, oribi_target_file *out);

/* --- Devices -----------------------------------------------------------------------------------
 */

/* A letter, then letters, digits, '-' and '_': what becomes part of C names. */
bool oribi_target_is_name(const char *text, size_t length);
/* NULL: none of that name. */
const oribi_target *oribi_target_find(const char *name);
/* What a target says that may be older than these members: it does not. */
bool oribi_target_compiles(const oribi_target *target);
bool oribi_target_has_load(const oribi_target *target);
int32_t oribi_target_driver_contract(const oribi_target *target);
/* Is the op part of a pattern of the target? */
bool oribi_target_takes(const oribi_target *target, const char *op);
/* The first that has a pattern of this op; NULL: none. */
const oribi_target *oribi_target_taking(const char *op);
/* "a, b", for messages. */
void oribi_target_list(oribi_text *text);
/* At the end of the process's use of the library. */
void oribi_target_forget_all(void);
void oribi_target_forget_kernels(void);

/* Adds a device, "npu" or "npu1=npu": instance and kind.
 * Errors: NOT_FOUND, ALREADY_EXISTS, RESOURCE_EXHAUSTED past ORIBI_DEVICES_MAX. */
bool oribi_partition_add_device(oribi_partition *partition, const char *spec, TF_Status *status);

/* Takes what a target's compiler takes of the subgraphs that it is offered, then every region that
 * a device's target supports, the longest patterns first, and puts a node in the place of each. Of
 * several instances the least loaded is taken, unless `assignments` ("NODE=npu1", "NODE=cpu") names
 * one. Shapes are known; the graph is sorted. */
bool oribi_partition_graph(oribi_partition *partition, oribi_graph *graph,
                           const char *const *assignments, int32_t n_assignments,
                           TF_Status *status);
/* Is the node of an assignment in the graph? oribi_partition_graph refuses those that are not. */
bool oribi_partition_has_node(const oribi_graph *graph, const char *assignment);
void oribi_partition_destroy(oribi_partition *partition);

#endif
