/* SPDX-License-Identifier: Apache-2.0 */
/* Whom an input of a GraphDef names: a node, and which of its outputs. */
#include "import/graphdef/graphdef_internal.h"

#include <string.h>

#include "op/op.h"

void oribi_graphdef_split(const oribi_graphdef *self, oribi_string text,
                          oribi_graphdef_reference *out)
{
    out->is_control = oribi_graphdef_is_control(text);
    const char *name = text.data + out->is_control;
    size_t length = text.length - out->is_control;
    int64_t port = 0;
    size_t digits = 0;
    while (digits < length && digits < 9 && name[length - 1 - digits] >= '0' &&
           name[length - 1 - digits] <= '9') {
        digits++;
    }
    if (digits > 0 && digits < length && name[length - 1 - digits] == ':') {
        for (size_t i = length - digits; i < length; i++) {
            port = port * 10 + (name[i] - '0');
        }
        length -= digits + 1;
    }
    out->argument = (oribi_string){"", 0};
    const char *colon = self->known.is_function ? memchr(name, ':', length) : NULL;
    if (colon != NULL) {
        const size_t before = (size_t)(colon - name);
        out->argument = (oribi_string){colon + 1, length - before - 1};
        length = before;
    }
    out->port = (int32_t)port;
    out->name = (oribi_string){name, length};
    out->node = oribi_map_get_n(&self->by_name, name, length);
}

bool oribi_graphdef_find_reference(const oribi_graphdef *self, oribi_string text,
                                   oribi_graphdef_reference *out, TF_Status *status)
{
    oribi_graphdef_split(self, text, out);
    return out->node != NULL || oribi_fail(status, TF_INVALID_ARGUMENT, "there is no node '%.*s'",
                                           (int)(out->name.length & 0xfff), out->name.data);
}

const oribi_graphdef_fed *oribi_graphdef_fed_of(const oribi_graphdef_reference *from)
{
    const oribi_graphdef_fed *fed = from->node->fed;
    while (fed != NULL && (from->is_control || fed->port != from->port)) {
        fed = fed->next;
    }
    return fed;
}

/* The first output of an argument: behind those before, which may be lists. */
static int32_t first_of_argument(const oribi_graphdef *self, const oribi_graphdef_def *node,
                                 const oribi_op_def *op, oribi_string argument)
{
    const oribi_node *made = node->n_outputs > 0 && node->outputs[0] >= 0
                                 ? oribi_graph_producer(self->graph, node->outputs[0])
                                 : NULL;
    const int32_t *starts =
        made != NULL && made->op == op ? made->signature.output_arg_start : NULL;
    int32_t first = 0;
    for (int32_t i = 0; op != NULL && i < op->n_outputs; i++) {
        const oribi_arg_def *arg = &op->outputs[i];
        const bool is_list = arg->number_attr != NULL || arg->type_list_attr != NULL;
        if (oribi_string_is(argument, arg->name)) {
            return starts != NULL ? starts[i] : first;
        }
        first += is_list ? node->n_outputs - op->n_outputs + 1 : 1; /* made of others: one list */
    }
    return 0;
}

bool oribi_graphdef_output_of(const oribi_graphdef *self, const oribi_graphdef_reference *from,
                              oribi_value_id *out, TF_Status *status)
{
    const oribi_graphdef_def *node = from->node;
    const oribi_graphdef_fed *fed = oribi_graphdef_fed_of(from);
    int64_t port = from->port;
    if (fed != NULL) {
        *out = fed->value;
        return true;
    }
    if (from->argument.length > 0) {
        char op[128];
        const size_t length = node->op.length < sizeof op - 1 ? node->op.length : sizeof op - 1;
        memcpy(op, node->op.data, length);
        op[length] = '\0';
        const oribi_op_def *def = oribi_op_find(op);
        port += def == NULL && self->known.argument != NULL
                    ? self->known.argument(self->known.arg, node->op, from->argument)
                    : first_of_argument(self, node, def, from->argument);
    }
    if (port < 0 || port >= node->n_outputs) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "node '%.*s' has no output %d",
                          (int)(node->name.length & 0xfff), node->name.data, (int)from->port);
    }
    *out = node->outputs[port];
    return true;
}
