/* SPDX-License-Identifier: Apache-2.0 */
/* Targets inside the house: the registry, regions, and the partition of a graph over devices. After
 * it each region is one node `Oribi>Region` whose attribute `region` is its index; compile and
 * session turn that into calls of a device. Read next: partition.c, then oribi/target.h for what
 * plugins see.
 */
#ifndef ORIBI_TARGET_TARGET_INTERNAL_H_
#define ORIBI_TARGET_TARGET_INTERNAL_H_

#include "base/text.h"
#include "graph/graph.h"
#include "oribi/target.h"

#define ORIBI_REGION_OP "Oribi>Region"

enum { ORIBI_DEVICES_MAX = 32, ORIBI_PATTERN_MAX = 16 };

/* What the writer of a target made of a region. Lives in the partition's arena. */
struct oribi_target_code {
    oribi_arena *arena;
    int32_t op;
    const void *params;
    size_t params_bytes, params_alignment, scratch_bytes;
    const char *declarations, *body; /* NULL: Invoke */
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

typedef struct oribi_partition {
    oribi_arena arena;
    oribi_device_instance devices[ORIBI_DEVICES_MAX];
    int32_t n_devices;
    oribi_region *regions;
    int32_t n_regions, regions_capacity;
    oribi_partition_note *notes;
    int32_t n_notes, notes_capacity;
} oribi_partition;

/* A letter, then letters, digits, '-' and '_': what becomes part of C names. */
bool oribi_target_is_name(const char *text, size_t length);
/* NULL: none of that name. */
const oribi_target *oribi_target_find(const char *name);
/* "a, b", for messages. */
void oribi_target_list(oribi_text *text);

/* Adds a device, "woofles" or "npu1=woofles": instance and kind.
 * Errors: NOT_FOUND, ALREADY_EXISTS, RESOURCE_EXHAUSTED past ORIBI_DEVICES_MAX. */
bool oribi_partition_add_device(oribi_partition *partition, const char *spec, TF_Status *status);

/* Takes every region that a device's target supports, the longest patterns first, and puts a node
 * in its place. Of several instances the least loaded is taken, unless `assignments` ("NODE=npu1",
 * "NODE=cpu") names one. Shapes are known; the graph is sorted. */
bool oribi_partition_graph(oribi_partition *partition, oribi_graph *graph,
                           const char *const *assignments, int32_t n_assignments,
                           TF_Status *status);
/* Is the node of an assignment in the graph? oribi_partition_graph refuses those that are not. */
bool oribi_partition_has_node(const oribi_graph *graph, const char *assignment);
void oribi_partition_destroy(oribi_partition *partition);

#endif
