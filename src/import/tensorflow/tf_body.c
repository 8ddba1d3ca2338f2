/* SPDX-License-Identifier: Apache-2.0 */
/* Which graph are nodes added to? Those of branches and iterations go to one of their own, where
 * what is known of variables and tables has to be made anew.
 */
#include "import/tensorflow/tensorflow.h"

oribi_graph *oribi_tf_body_begin(oribi_tf *tf, oribi_tf_around *out, TF_Status *status)
{
    oribi_graph *graph = oribi_import_body_begin(tf->graph, tf->options, status);
    if (graph != NULL) {
        *out = (oribi_tf_around){tf->graph, tf->scope};
        tf->graph = graph;
        tf->scope = ++tf->n_scopes;
    }
    return graph;
}

oribi_graph *oribi_tf_body_end(oribi_tf *tf, const oribi_tf_around *before, bool ok,
                               TF_Status *status)
{
    oribi_graph *graph = tf->graph;
    tf->graph = before->graph;
    tf->scope = before->scope;
    return oribi_import_body_end(graph, before->graph, ok, status);
}

bool oribi_tf_any_blocked(const oribi_value_id *values, int32_t n)
{
    bool is_blocked = false;
    for (int32_t i = 0; i < n; i++) {
        is_blocked = is_blocked || values[i] == ORIBI_TF_BLOCKED;
    }
    return is_blocked;
}

int32_t oribi_tf_block_all(oribi_value_id *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        out[i] = ORIBI_TF_BLOCKED;
    }
    return n;
}
