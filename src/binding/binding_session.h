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

/* The part of the graph that answers one wish. */
typedef struct oribi_binding_plan {
    oribi_arena arena;
    oribi_binding_wish wish; /* its values are NULL */
    TF_DataType *types;      /* of feeds */
    int32_t *result_of;      /* by fetch: which output of the model */
    oribi_import_ends ends;
    oribi_model *model; /* NULL: nothing is computed */
    oribi_session *session;
    oribi_run **idle;
    int32_t n_idle, idle_capacity;
    int32_t users; /* runs that are under way */
    uint64_t last_used;
    struct oribi_binding_plan *next;
} oribi_binding_plan;

struct TF_SessionOptions {
    oribi_options *options;
    bool has_target; /* of a server elsewhere */
};

struct TF_Session {
    oribi_mutex lock;
    oribi_cond idle; /* nothing is under way any more */
    TF_Graph *graph; /* one reference */
    oribi_options *options;
    char *name, *folder; /* of the SavedModel; the latter NULL: none */
    oribi_wire meta;     /* of its MetaGraphDef all but the graph; the graph's bytes */
    oribi_model_file file; /* the graph as a file, of this version */
    uint64_t version;
    oribi_binding_plan *plans;
    int32_t n_plans, n_running;
    uint64_t clock;
    bool is_closed;
};

/* A session over the graph; `options` may be NULL. */
TF_Session *oribi_binding_session(TF_Graph *graph, const TF_SessionOptions *options,
                                  TF_Status *status);
/* All under the session's lock. The plan is in use until it is given back. */
oribi_binding_plan *oribi_binding_plan_find(TF_Session *session, const oribi_binding_wish *wish,
                                            TF_Status *status);
void oribi_binding_plan_destroy(oribi_binding_plan *plan);

#endif
