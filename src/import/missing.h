/* SPDX-License-Identifier: Apache-2.0 */
/* The report of ops that nothing provides: all of them at once, with their nodes. Shared by the
 * importers.
 */
#ifndef ORIBI_IMPORT_MISSING_H_
#define ORIBI_IMPORT_MISSING_H_

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "tensor/status.h"

typedef struct oribi_missing_op {
    const char *op, *name, *why; /* for people, registered name, reason or NULL */
    oribi_text nodes;
    int32_t n_nodes;
} oribi_missing_op;

typedef struct oribi_missing { /* {0}, with an arena that lives as long */
    oribi_map ops;             /* by `op`, in the order of the file */
    oribi_arena arena;
    int32_t n_nodes;    /* all of them */
    int32_t n_unshaped; /* of these, those that only want shapes */
    int32_t n_inside;   /* of these, those in graphs of nodes that wait for others */
} oribi_missing;

/* Notes that nothing provides the op for a node; texts are copied. name NULL: no
 * plugin could; why may be NULL, the first one is kept. */
bool oribi_missing_add(oribi_missing *missing, const char *op, const char *name, const char *why,
                       const char *node, TF_Status *status);
/* Is there nothing that shapes could not mend? What is inside a node that waits does not count: it
 * may be in a branch that known shapes do not take. */
bool oribi_missing_wants_shapes(const oribi_missing *missing);
/* Sets UNIMPLEMENTED with what is missing, all of it up to some dozens of ops; returns false. */
bool oribi_missing_report(const oribi_missing *missing, TF_Status *status);
void oribi_missing_destroy(oribi_missing *missing);

#endif
