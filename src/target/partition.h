/* SPDX-License-Identifier: Apache-2.0 */
/* The partition of one graph while it is made: what partition.c and offers.c have in common. */
#ifndef ORIBI_TARGET_PARTITION_INTERNAL_H_
#define ORIBI_TARGET_PARTITION_INTERNAL_H_

#include "target/target.h"

#define ORIBI_WHY_GUARDED                                                                          \
    "it stands in a branch of a condition or in a loop, which no device waits for"
#define ORIBI_WHY_UNSAID "the target refuses it without a reason"

typedef struct oribi_partitioning {
    oribi_partition *partition;
    oribi_graph *graph;
    const char *const *assignments;
    int32_t n_assignments;
    bool *is_taken;      /* by node id */
    bool *is_inside;     /* by node id: for a moment; all false between calls */
    oribi_node_id *late; /* room for all nodes */
    int64_t load[ORIBI_DEVICES_MAX];
    TF_Status *status;
} oribi_partitioning;

bool oribi__partition_note(oribi_partitioning *p, const oribi_node *node,
                           const oribi_target *target, const oribi_target_pattern *pattern,
                           const char *why);
/* Why planning wants no such region on the target; NULL: it has nothing against it. */
const char *oribi__partition_kept_off(const oribi_partitioning *p, const oribi_target *target,
                                      const oribi_region *region);
/* The instance that an assignment names for the node: its index, -1 for the CPU, -2 for none. */
bool oribi__partition_assigned(const oribi_partitioning *p, const oribi_node *node, int32_t *out);
/* Finds what a region reads from outside and what is read of it there. */
bool oribi__partition_border(oribi_partitioning *p, oribi_region *region);
/* Adds the region, a copy, to the partition; a pattern writes its operator. */
bool oribi__partition_take(oribi_partitioning *p, const oribi_region *region);
/* Puts a node in the place of those of the region. */
bool oribi__partition_replace(oribi_partitioning *p, int32_t region);

/* Offers subgraphs to the targets that have a compiler of their own, and replaces what they take
 * (offers.c). */
bool oribi__partition_offer(oribi_partitioning *p);

#endif
