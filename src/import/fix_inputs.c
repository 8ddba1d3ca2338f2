/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that the caller gives to a model's inputs. They are there before the first node is
 * translated, so that translations which need ranks or sizes have them. Where they are missing the
 * graph may be left open until a run has some. See emit.h.
 */
#include <string.h>

#include "base/text.h"
#include "import/emit.h"

static int32_t find_input(const oribi_graph *graph, const char *name)
{
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        if (strcmp(graph->input_names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool no_such_input(const oribi_graph *graph, const char *name, TF_Status *status)
{
    const char *near = oribi_text_did_you_mean(name, graph->input_names, (size_t)graph->n_inputs);
    return oribi_fail(status, TF_INVALID_ARGUMENT, "the model has no input '%s'%s%s%s", name,
                      near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                      near != NULL ? "'?" : "");
}

static bool contradicts(const oribi_shape *declared, const oribi_input_shape *given,
                        TF_Status *status)
{
    oribi_text has = {0}, wanted = {0};
    oribi_shape_print(declared, &has);
    oribi_shape_print(&given->shape, &wanted);
    oribi_fail(status, TF_INVALID_ARGUMENT,
               "the shape %s given for input '%s' contradicts the model's shape %s",
               oribi_text_string(&wanted), given->input, oribi_text_string(&has));
    oribi_text_destroy(&has);
    oribi_text_destroy(&wanted);
    return false;
}

static bool fix(oribi_graph *graph, const oribi_input_shape *given, oribi_shape *shape,
                TF_Status *status)
{
    if (!oribi_shape_agrees(shape, &given->shape)) {
        return contradicts(shape, given, status);
    }
    return oribi_shape_copy(&graph->arena, given->shape.dims, given->shape.rank, shape) ||
           oribi_fail_memory(status);
}

static bool fix_batch(oribi_graph *graph, oribi_shape *shape, TF_Status *status)
{
    if (shape->rank < 1 || shape->dims[0] >= 0) {
        return true;
    }
    ORIBI_TRY(oribi_shape_copy(&graph->arena, shape->dims, shape->rank, shape) ||
              oribi_fail_memory(status));
    shape->dims[0] = 1;
    return true;
}

const oribi_input_shape *oribi_import_shape_of(const oribi_import_options *options,
                                               const char *input)
{
    const oribi_input_shape *at = options != NULL ? options->shapes : NULL;
    while (at != NULL && strcmp(at->input, input) != 0) {
        at = at->next;
    }
    return at;
}

bool oribi_import_fix_inputs(oribi_graph *graph, const oribi_import_options *options,
                             TF_Status *status)
{
    const oribi_input_shape *given = options != NULL ? options->shapes : NULL;
    for (; given != NULL; given = given->next) {
        const int32_t index = find_input(graph, given->input);
        if (index < 0 && options->is_one_of_several) {
            continue;
        }
        ORIBI_TRY(index >= 0 || no_such_input(graph, given->input, status));
        oribi_shape *shape = &graph->values[graph->inputs[index]]->shape;
        ORIBI_TRY(oribi_import_shape_of(options, given->input) != given ||
                  fix(graph, given, shape, status));
    }
    for (int32_t i = 0; options != NULL && options->batch_is_one && i < graph->n_inputs; i++) {
        ORIBI_TRY(fix_batch(graph, &graph->values[graph->inputs[i]]->shape, status));
    }
    return true;
}

bool oribi_import_may_be_open(const oribi_graph *graph, const oribi_import_options *options)
{
    bool any = false;
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        any = any || !oribi_shape_is_full(&graph->values[graph->inputs[i]]->shape);
    }
    return any && options != NULL && options->may_be_open;
}

void oribi_import_leave_open(oribi_graph *graph)
{
    for (int32_t i = graph->n_nodes - 1; i >= 0; i--) { /* readers go before what they read */
        if (!graph->nodes[i]->is_dead) {
            oribi_graph_remove_node(graph, graph->nodes[i]);
        }
    }
    graph->is_open = true;
}
