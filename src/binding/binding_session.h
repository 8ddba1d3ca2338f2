/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions inside: what was made ready for which feeds, fetches and targets.
 */
#ifndef ORIBI_BINDING_BINDING_SESSION_H_
#define ORIBI_BINDING_BINDING_SESSION_H_

#include "binding/binding.h"
#include "import/open.h"
#include "oribi/oribi.h"

/* What a run is asked for. */
typedef struct oribi_binding_wish {
    const TF_Output *feeds;
    TF_Tensor *const *values;
    const TF_Output *fetches;
    const TF_Operation *const *targets;
    int n_feeds, n_fetches, n_targets;
} oribi_binding_wish;

/* An output of the model that becomes a variable's value. */
typedef struct oribi_binding_assignment {
    const char *variable; /* what nodes of one process know it by */
    int32_t result;
} oribi_binding_assignment;

/* The part of the graph that answers one wish. */
typedef struct oribi_binding_plan {
    oribi_arena arena;
    oribi_binding_wish wish; /* its values are NULL */
    TF_DataType *types;      /* of feeds */
    int32_t *result_of;      /* by fetch: which output of the model */
    oribi_import_ends ends;  /* whose variables have a reference of their own */
    uint64_t generation;     /* of these variables */
    uint64_t edits;          /* of the graph */
    oribi_binding_assignment *assignments;
    int32_t n_assignments;
    oribi_model *model; /* NULL: nothing is computed */
    oribi_session *session;
    oribi_run **idle;
    int32_t n_idle, idle_capacity;
    int32_t users; /* runs that are under way */
    uint64_t last_used;
    struct oribi_binding_plan *next;
} oribi_binding_plan;

/* A partial run that was set up. */
typedef struct oribi_binding_partial oribi_binding_partial;
void oribi_binding_partials_destroy(oribi_binding_partial *first); /* and those behind it */

struct TF_SessionOptions {
    oribi_options *options;
    bool has_target; /* of a server elsewhere */
};

struct TF_Session {
    oribi_mutex lock;
    oribi_cond idle; /* nothing is under way any more */
    TF_Graph *graph; /* one reference */
    oribi_options *options;
    char *name, *folder;   /* of the SavedModel; the latter NULL: none */
    oribi_wire meta;       /* of its MetaGraphDef all but the graph; the graph's bytes */
    oribi_model_file file; /* the graph as a file, of this version */
    uint64_t version;
    oribi_import_variable *variables; /* those that runs assigned, with a reference of each */
    int32_t n_variables;
    uint64_t generation; /* another one after each assignment */
    oribi_binding_plan *plans;
    int32_t n_plans, n_running;
    oribi_binding_partial *partials;
    uint64_t n_partials; /* that were ever set up */
    uint64_t clock;
    bool is_closed;
    struct TF_Session *next, **place; /* among all of the process, for TF_Reset */
};

/* A session over the graph; `options` may be NULL. */
TF_Session *oribi_binding_session(TF_Graph *graph, const TF_SessionOptions *options,
                                  TF_Status *status);
/* All under the session's lock. The plan is in use until it is given back. */
oribi_binding_plan *oribi_binding_plan_find(TF_Session *session, const oribi_binding_wish *wish,
                                            TF_Status *status);
void oribi_binding_plan_destroy(oribi_binding_plan *plan);

/* What targets do: fetches of what they compute, and what is assigned. The graph's lock is held. */
bool oribi_binding_add_targets(oribi_binding_plan *plan, TF_Status *status);
/* Which output of the model it is, one for all that ask for the same: an output that the operation
 * has, or that the importer makes. -1: no memory, status set. */
int32_t oribi_binding_add_fetch(oribi_binding_plan *plan, TF_Output fetch, TF_Status *status);
/* Puts what a run computed in the place of the variables' values, under the session's lock. */
bool oribi_binding_assign(TF_Session *session, const oribi_binding_plan *plan, oribi_run *run,
                          TF_Status *status);
/* The session's variables as the importer takes them. */
bool oribi_binding_copy_variables(const TF_Session *session, oribi_binding_plan *plan,
                                  TF_Status *status);
void oribi_binding_drop_variables(const oribi_import_variable *variables, int32_t n);

#endif
