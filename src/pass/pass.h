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
    const char *device;   /* default device type; NULL: "CPU" */
    const char *standard; /* the default device, "GPU:1"; NULL: "CPU:0" */
    struct oribi_pool *pool;
    size_t fold_max_bytes; /* per node result; 0: 64 MiB */
    uint64_t fold_max_ns;  /* per node; 0: 2 s; a slower node is given up afterwards */
    const struct oribi_instruction_set *isa; /* limit of built-in kernels; NULL: none */
    const char *label;      /* kernels with this label go before all others; NULL: none; of
                             * "a-b" with the label "a" where there is none */
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

/* The two halves of run_all: what undoes the detours of importers, then fusing and what follows.
 * The first may run again on a graph that somebody rewrote. */
bool oribi_pass_prepare(oribi_graph *graph, const oribi_pass_options *options,
                        oribi_pass_report *report, TF_Status *status);
bool oribi_pass_finish(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status);
bool oribi_pass_run_all(oribi_graph *graph, const oribi_pass_options *options,
                        oribi_pass_report *report, TF_Status *status);
bool oribi_pass_infer(oribi_graph *graph, TF_Status *status);
/* The value whose bytes this one is, under another shape. */
oribi_value_id oribi_pass_viewed(const oribi_graph *graph, oribi_value_id value);
bool oribi_pass_choose(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status);
/* Runs the node's CPU kernel once; outputs are new tensors that the caller deletes. */
bool oribi_pass_fold_run(oribi_graph *graph, const oribi_node *node, TF_Tensor *const *inputs,
                         TF_Tensor **out_outputs, const oribi_pass_options *options,
                         TF_Status *status);
/* Part of run_all: kernels with options->label, where there are some. */
bool oribi_pass_prefer(oribi_graph *graph, const oribi_pass_options *options,
                       oribi_pass_report *report, TF_Status *status);
/* Casts around nodes whose types have no kernel; wants the order of oribi_pass_infer. */
bool oribi_pass_widen(oribi_graph *graph, const oribi_pass_options *options,
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
/* "GPU" of "GPU", "GPU:0", "/device:GPU:0", "/job:a/task:0/device:GPU:0"; "" when none is named. */
enum { ORIBI_DEVICE_TYPE_BYTES = 64 };
void oribi_pass_device_type(const char *device, char out_type[ORIBI_DEVICE_TYPE_BYTES]);
/* The number behind the type in such a name, 0 where none is; -1: another type, or NULL. */
int oribi_pass_device_ordinal(const char *device, const char *type);
/* How TensorFlow calls the place of a node whose kernel is chosen:
 * "/job:localhost/replica:0/task:0/device:GPU:1", in the arena; NULL: no memory. `standard` is the
 * name of the device that nodes get which ask for none, NULL: the CPU. */
const char *oribi_pass_place_name(oribi_arena *arena, const oribi_node *node, const char *standard);
void oribi_pass_note(oribi_graph *graph, oribi_pass_report *report, const char *pass,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
