/* SPDX-License-Identifier: Apache-2.0 */
/* Passes: graph in, better graph out, same results. Order: infer, place and choose kernels,
 * join quantised ops, fold, lay out, fuse, choose again, dead nodes. One file per pass.
 */
#ifndef ORIBI_PASS_PASS_H_
#define ORIBI_PASS_PASS_H_

#include "graph/graph.h"

enum { /* bits of `disabled` */
       ORIBI_PASS_FOLD = 1,
       ORIBI_PASS_FUSE = 2,
       ORIBI_PASS_LAYOUT = 4,
       ORIBI_PASS_BATCH_NORM = 8,
       ORIBI_PASS_QDQ = 16
};

typedef struct oribi_pass_options {
    uint32_t disabled;
    const char *device; /* default device type; NULL: "CPU" */
    struct oribi_pool *pool;
    size_t fold_max_bytes;  /* per node result; 0: 64 MiB */
    uint64_t fold_max_ns;   /* per node; 0: 2 s; a slower node is given up afterwards */
    const char *label;      /* kernels with this label go before all others; NULL: none */
    bool plain_activations; /* layers take along Relu, Relu6 and LeakyRelu only */
    bool keep_names;        /* values of the model stay visible (verify --per-node) */
} oribi_pass_options;

typedef struct oribi_pass_change { /* one thing that a pass did, for `inspect --passes` */
    const char *pass, *what;
} oribi_pass_change;
typedef struct oribi_pass_report {
    oribi_pass_change *changes; /* in the graph's arena */
    int32_t n_changes, capacity;
} oribi_pass_report;

bool oribi_pass_run_all(oribi_graph *graph, const oribi_pass_options *options,
                        oribi_pass_report *report, TF_Status *status);
bool oribi_pass_infer(oribi_graph *graph, TF_Status *status);
bool oribi_pass_choose(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status);
/* Runs the node's CPU kernel once; outputs are new tensors that the caller deletes. */
bool oribi_pass_fold_run(oribi_graph *graph, const oribi_node *node, TF_Tensor *const *inputs,
                         TF_Tensor **out_outputs, const oribi_pass_options *options,
                         TF_Status *status);
/* Part of run_all: kernels with options->label, where there are some. */
bool oribi_pass_prefer(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status);
bool oribi_pass_qdq(oribi_graph *graph, const oribi_pass_options *options,
                    oribi_pass_report *report, TF_Status *status);
bool oribi_pass_fold(oribi_graph *graph, const oribi_pass_options *options,
                     oribi_pass_report *report, TF_Status *status);
bool oribi_pass_batch_norm(oribi_graph *graph, const oribi_pass_options *options,
                           oribi_pass_report *report, TF_Status *status);
bool oribi_pass_fuse(oribi_graph *graph, const oribi_pass_options *options,
                     oribi_pass_report *report, TF_Status *status);
bool oribi_pass_layout(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status);
void oribi_pass_note(oribi_graph *graph, oribi_pass_report *report, const char *pass,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
