/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that passes ask about nodes. Read next: constant.c for constants, edit.c for changes.
 */
#include "pass/pass_internal.h"

#include <string.h>

bool oribi_pass_is(const oribi_node *node, const char *op_name)
{
    return node != NULL && strcmp(node->op_name, op_name) == 0;
}

bool oribi_pass_is_one_of(const oribi_node *node, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (oribi_pass_is(node, *names)) {
            return true;
        }
    }
    return false;
}

static const oribi_attr *find(const oribi_node *node, const char *name, uint8_t kind)
{
    const oribi_attr *attr = oribi_attrs_find(&node->attrs, name);
    return attr != NULL && attr->kind == kind && !attr->is_list && attr->count == 1 ? attr : NULL;
}

int64_t oribi_pass_attr_int(const oribi_node *node, const char *name, int64_t otherwise)
{
    const oribi_attr *attr = find(node, name, TF_ATTR_INT);
    return attr != NULL ? attr->u.i[0] : otherwise;
}

float oribi_pass_attr_float(const oribi_node *node, const char *name, float otherwise)
{
    const oribi_attr *attr = find(node, name, TF_ATTR_FLOAT);
    return attr != NULL ? attr->u.f[0] : otherwise;
}

bool oribi_pass_attr_bool(const oribi_node *node, const char *name, bool otherwise)
{
    const oribi_attr *attr = find(node, name, TF_ATTR_BOOL);
    return attr != NULL ? attr->u.b[0] != 0 : otherwise;
}

bool oribi_pass_attr_is(const oribi_node *node, const char *name, const char *text,
                        const char *otherwise)
{
    const oribi_attr *attr = find(node, name, TF_ATTR_STRING);
    if (attr == NULL) {
        return strcmp(otherwise, text) == 0;
    }
    size_t length = strlen(text);
    return attr->u.s[0].length == length && memcmp(attr->u.s[0].data, text, length) == 0;
}

oribi_node *oribi_pass_only_consumer(const oribi_graph *graph, oribi_value_id value,
                                     int32_t *out_input)
{
    const oribi_value *v = graph->values[value];
    if (v->n_uses != 1 || v->is_output) {
        return NULL;
    }
    oribi_use use;
    if (oribi_graph_uses(graph, value, &use, 1) != 1) {
        return NULL;
    }
    if (out_input != NULL) {
        *out_input = use.input;
    }
    return use.node;
}

bool oribi_pass_is_foreign(const oribi_node *node)
{
    return node->kernel != NULL && strcmp(node->kernel->provider, "built-in") != 0;
}

bool oribi_pass_keeps_op(const oribi_node *node)
{
    return oribi_pass_is_foreign(node) && (strcmp(node->kernel->device_type, "CPU") == 0 ||
                                           strcmp(node->kernel->device_type, "DEFAULT") == 0);
}

bool oribi_pass_are_together(const oribi_node *a, const oribi_node *b)
{
    return a->kernel != NULL && b->kernel != NULL &&
           strcmp(a->kernel->device_type, b->kernel->device_type) == 0 &&
           strcmp(a->kernel->provider, b->kernel->provider) == 0;
}
