/* SPDX-License-Identifier: Apache-2.0 */
/* Constant folding: nodes whose inputs are all constant are computed once, by the same kernels that
 * would run them. What can be a view of the model's bytes becomes one (fold_view.c). A result is
 * kept only where it is small or a kernel packs it anyway.
 */
#include "pass/fold_internal.h"

#include <string.h>

#include "base/thread.h"
#include "tensor/patience.h"

enum { SMALL_BYTES = 1 << 20 };
static const size_t default_max_bytes = (size_t)64 << 20;
static const uint64_t default_max_ns = UINT64_C(2000000000);

static bool all_inputs_constant(const oribi_graph *graph, const oribi_node *node)
{
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (node->inputs[i] < 0 || graph->values[node->inputs[i]]->constant == NULL) {
            return false;
        }
    }
    return node->n_inputs > 0;
}

/* Do all that read the value make a copy of their own of it, which views and what is computed
 * element by element hand on? */
static bool is_packed_by_consumers(const oribi_graph *graph, oribi_value_id value, int depth)
{
    oribi_use uses[16];
    int32_t n = oribi_graph_uses(graph, value, uses, 16);
    if (n < 1 || n > 16 || graph->values[value]->is_output || depth == 0) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        const oribi_node *user = uses[i].node;
        const oribi_traits t = oribi_pass_traits(user);
        const uint32_t passing = ORIBI_TRAIT_PERMUTES | ORIBI_TRAIT_VIEW | ORIBI_TRAIT_ELEMENTWISE;
        bool packs = uses[i].input < 64 && (t.packed >> uses[i].input & 1) != 0;
        bool passes = (t.is & passing) != 0 && uses[i].input == t.data &&
                      is_packed_by_consumers(graph, user->outputs[0], depth - 1);
        if (!packs && !passes) {
            return false;
        }
    }
    return true;
}

/* Is a result of so many bytes worth keeping? */
static bool is_kept(const oribi_graph *graph, const oribi_node *node, size_t bytes)
{
    size_t input_bytes = 0;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        size_t one = oribi_pass_view_bytes(oribi_pass_constant(graph, node->inputs[i]));
        input_bytes += one < bytes ? one : bytes;
    }
    return bytes <= SMALL_BYTES || bytes <= input_bytes / 2 ||
           is_packed_by_consumers(graph, node->outputs[0], 8);
}

/* Bytes of all outputs, when they are known before running; else 0. */
static bool known_output_bytes(const oribi_graph *graph, const oribi_node *node, size_t *out_bytes)
{
    *out_bytes = 0;
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_value *value = graph->values[node->outputs[i]];
        size_t one = 0;
        if (!oribi_shape_is_full(&value->shape)) {
            return false;
        }
        if (!oribi_size_of_dims(value->shape.dims, value->shape.rank,
                                oribi_dtype_bytes(value->dtype), &one) ||
            !oribi_size_add(*out_bytes, one, out_bytes)) {
            *out_bytes = SIZE_MAX;
            return true;
        }
    }
    return true;
}

static bool dense_inputs_fit(const oribi_graph *graph, const oribi_node *node, size_t max_bytes)
{
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const oribi_constant_view *view = oribi_pass_constant(graph, node->inputs[i]);
        size_t bytes = 0;
        if (!oribi_size_of_dims(view->dims, view->rank, oribi_dtype_bytes(view->dtype), &bytes) ||
            bytes > max_bytes) {
            return false;
        }
    }
    return true;
}

static void delete_tensors(TF_Tensor **tensors, int32_t count)
{
    for (int32_t i = 0; tensors != NULL && i < count; i++) {
        TF_DeleteTensor(tensors[i]);
    }
    oribi_free(tensors);
}

bool oribi_pass_fold_run(oribi_graph *graph, const oribi_node *node, TF_Tensor *const *inputs,
                         TF_Tensor **out_outputs, const oribi_pass_options *options,
                         TF_Status *status)
{
    const oribi_kernel_def *def = node->kernel;
    oribi_node_view view;
    oribi_kernel kernel;
    ORIBI_TRY(oribi_graph_node_view(graph, node, &view, status));
    if (def == NULL || strcmp(def->device_type, "CPU") != 0) {
        def = oribi_kernel_select(&view, "CPU", NULL, status);
    }
    if (def != NULL && def->compute == NULL) { /* nothing here could outlive one that is late */
        return oribi_fail(status, TF_UNIMPLEMENTED, "the kernel of node '%s' is asynchronous",
                          node->name);
    }
    if (def == NULL || !oribi_kernel_create(def, &view, &kernel, status)) {
        return false;
    }
    bool ok = oribi_kernel_run_once(&kernel, inputs, out_outputs,
                                    options != NULL ? options->pool : NULL, status);
    oribi_kernel_destroy(&kernel);
    return ok;
}

/* Puts constants in the place of the node's outputs. */
static bool keep_results(oribi_graph *graph, oribi_node *node, TF_Tensor *const *outputs,
                         TF_Status *status)
{
    for (int32_t i = 0; i < node->n_outputs; i++) {
        if (graph->values[node->outputs[i]]->n_uses == 0) {
            continue;
        }
        oribi_value_id id = oribi_graph_add_constant_tensor(
            graph, graph->values[node->outputs[i]]->name, outputs[i], status);
        ORIBI_TRY(id >= 0);
        oribi_graph_replace_uses(graph, node->outputs[i], id);
    }
    oribi_graph_remove_node(graph, node);
    return true;
}

/* A kernel that takes longer than a result is worth is stopped, where it asks; so is one that takes
 * longer than all may. */
static oribi_patience fold_patience(uint64_t start_ns, uint64_t max_ns)
{
    const oribi_patience *outer = oribi_patience_now();
    oribi_patience own = {.deadline_ns = start_ns + max_ns, .what = "folding a constant"};
    if (outer != NULL) {
        own.stop = outer->stop;
        own.deadline_ns = outer->deadline_ns != 0 && outer->deadline_ns < own.deadline_ns
                              ? outer->deadline_ns
                              : own.deadline_ns;
    }
    return own;
}

/* False with OK status: the node stays as it is. */
static bool compute(oribi_graph *graph, oribi_node *node, const oribi_pass_options *options,
                    oribi_pass_report *report, TF_Status *status)
{
    TF_Tensor **inputs = oribi_alloc_zero((size_t)node->n_inputs, sizeof(TF_Tensor *));
    TF_Tensor **outputs = oribi_alloc_zero((size_t)node->n_outputs, sizeof(TF_Tensor *));
    bool done = false;
    uint64_t max_ns =
        options != NULL && options->fold_max_ns > 0 ? options->fold_max_ns : default_max_ns;
    size_t bytes = 0;
    if (inputs == NULL || outputs == NULL) {
        oribi_fail_memory(status);
        goto end;
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        inputs[i] = oribi_graph_constant_tensor(graph, node->inputs[i], status);
        if (inputs[i] == NULL) {
            goto end;
        }
    }
    uint64_t start = oribi_now_ns();
    oribi_patience patience = fold_patience(start, max_ns);
    oribi_patience_begin(&patience);
    bool has_run = oribi_pass_fold_run(graph, node, inputs, outputs, options, status);
    oribi_patience_end(&patience);
    if (!has_run || oribi_now_ns() - start > max_ns) {
        TF_SetStatus(status, TF_OK, ""); /* it will fail, or not, when the model runs */
        goto end;
    }
    bool agrees = true; /* with what was inferred; else the run says what is wrong */
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_shape shape = {outputs[i]->rank, (int64_t *)outputs[i]->dims};
        bytes += outputs[i]->bytes +
                 oribi_elements_held(outputs[i]->dtype, outputs[i]->data, outputs[i]->bytes);
        agrees = agrees && oribi_shape_agrees(&shape, &graph->values[node->outputs[i]]->shape);
    }
    if (agrees && is_kept(graph, node, bytes)) {
        oribi_pass_note(graph, report, "fold", "computed %s '%s' once (%zu bytes)", node->op_name,
                        node->name, bytes);
        done = keep_results(graph, node, outputs, status);
    }
end:
    delete_tensors(inputs, node->n_inputs);
    delete_tensors(outputs, node->n_outputs);
    return done;
}

bool oribi_pass_may_run(const oribi_node *node)
{
    return !node->op->is_stateful && node->n_outputs > 0 &&
           node->signature.output_types[0] != TF_VARIANT && /* no constant holds objects */
           (node->kernel == NULL || strcmp(node->kernel->provider, "built-in") == 0 ||
            strcmp(node->kernel->device_type, "CPU") == 0);
}

static bool fold_node(oribi_graph *graph, oribi_node *node, const oribi_pass_options *options,
                      oribi_pass_report *report, TF_Status *status)
{
    if (oribi_pass_fold_view(graph, node, options, report, status) || !oribi_ok(status)) {
        return oribi_ok(status);
    }
    size_t max_bytes = options != NULL && options->fold_max_bytes > 0 ? options->fold_max_bytes
                                                                      : default_max_bytes;
    size_t bytes = 0;
    if (oribi_pass_is_off(node, ORIBI_PASS_FOLD) || !all_inputs_constant(graph, node) ||
        !oribi_pass_may_run(node) || !dense_inputs_fit(graph, node, max_bytes) ||
        (known_output_bytes(graph, node, &bytes) &&
         (bytes > max_bytes || !is_kept(graph, node, bytes)))) {
        return true;
    }
    compute(graph, node, options, report, status);
    return oribi_ok(status);
}

/* Dense copies that only folding asked for are not needed any more. */
static void drop_unused_copies(oribi_graph *graph)
{
    for (int32_t i = 0; i < graph->n_values; i++) {
        oribi_value *value = graph->values[i];
        if (value->constant != NULL && value->n_uses == 0 && value->constant->dense != NULL &&
            value->constant->view.data != TF_TensorData(value->constant->dense)) {
            oribi_graph_drop_dense(graph, value->constant);
        }
    }
}

static bool is_open(const oribi_graph *graph, const oribi_node *node)
{
    bool open = false;
    for (int32_t i = 0; i < node->n_outputs; i++) {
        open = open || !oribi_shape_is_full(&graph->values[node->outputs[i]]->shape);
    }
    return open;
}

/* Node by node: what was folded before it may tell its shape, and a shape what follows from it.
 * True in *out_spliced where the graph got nodes, which are to be folded, too; true in *out_learned
 * where shapes may be known that were not. */
static bool fold_all(oribi_graph *graph, const oribi_pass_options *options,
                     oribi_pass_report *report, bool *out_spliced, bool *out_learned,
                     TF_Status *status)
{
    *out_spliced = false;
    ORIBI_TRY(oribi_graph_sort(graph, status));
    for (int32_t i = 0; i < graph->n_order; i++) {
        oribi_node *node = graph->nodes[graph->order[i]];
        bool spliced = false;
        if (node->is_dead || node->op == NULL) {
            continue;
        }
        ORIBI_TRY(oribi_patience_left(status));
        if (is_open(graph, node)) {
            *out_learned = true;
            ORIBI_TRY(oribi_pass_infer_node(graph, node, status));
        }
        if (node->n_bodies > 0) {
            *out_learned = true;
            ORIBI_TRY(oribi_pass_fold_control(graph, node, options, report, &spliced, status));
            *out_spliced = *out_spliced || spliced;
        } else if (!oribi_pass_fold_known(graph, node, report, status)) {
            ORIBI_TRY(oribi_ok(status));
            ORIBI_TRY(fold_node(graph, node, options, report, status));
        }
    }
    return true;
}

bool oribi_pass_fold(oribi_graph *graph, const oribi_pass_options *options,
                     oribi_pass_report *report, TF_Status *status)
{
    bool spliced = true, learned = false;
    if (options != NULL && (options->disabled & ORIBI_PASS_FOLD) != 0) {
        return true;
    }
    ORIBI_TRY(oribi_pass_simplify(graph, report, status));
    while (spliced) { /* as often as conditions nest: each time there is one less */
        ORIBI_TRY(fold_all(graph, options, report, &spliced, &learned, status));
    }
    oribi_graph_remove_dead(graph);
    drop_unused_copies(graph);
    return (!learned || oribi_pass_infer(graph, status)) &&
           oribi_pass_simplify(graph, report, status);
}
