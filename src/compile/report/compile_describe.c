/* SPDX-License-Identifier: Apache-2.0 */
/* JSON about a compilation: which device takes each node, or why none does. It can be asked for as
 * soon as the graph is partitioned, also when the model cannot be compiled then. */
#include <string.h>

#include "format/json.h"
#include "compile/schedule/timeline.h"
#include "tensor/status.h"

/* Is the op part of a pattern of one of the devices' targets? */
static bool is_known_op(const oribi_partition *p, const char *op)
{
    for (int32_t d = 0; d < p->n_devices; d++) {
        if (oribi_target_takes(p->devices[d].target, op)) {
            return true;
        }
    }
    return false;
}

/* Do the options keep the node on the CPU? */
static bool is_kept(const oribi_program *c, const char *node)
{
    const oribi_option_list *list = &c->options->assignments;
    for (int32_t i = 0; i < list->n; i++) {
        const char *equals = strrchr(list->items[i], '=');
        const size_t length = (size_t)(equals - list->items[i]);
        if (strcmp(equals, "=cpu") == 0 && strlen(node) == length &&
            memcmp(list->items[i], node, length) == 0) {
            return true;
        }
    }
    return false;
}

/* "npu, conv2d: it computes int8 only; ..." */
static void put_reasons(const oribi_program *c, const oribi_node *node, oribi_text *why)
{
    const oribi_partition *p = &c->devices.partition;
    for (int32_t i = 0; i < p->n_notes; i++) {
        const oribi_partition_note *note = &p->notes[i];
        if (note->why != NULL && strcmp(note->node, node->name) == 0) {
            const size_t before = why->length;
            oribi_text one = {0};
            oribi_text_printf(&one, "%s, %s: %s", note->target, note->pattern, note->why);
            if (before == 0 || strstr(oribi_text_string(why), oribi_text_string(&one)) == NULL) {
                oribi_text_printf(why, "%s%s", before > 0 ? "; " : "", oribi_text_string(&one));
            }
            why->failed = why->failed || one.failed;
            oribi_text_destroy(&one);
        }
    }
    if (why->length == 0) {
        oribi_text_append(why, is_kept(c, node->name) ? "--assign keeps it on the CPU"
                               : is_known_op(p, node->op_name)
                                   ? "a pattern has its op, but not with these operators round it"
                                   : "no pattern of a target has its op");
    }
}

static void put_node(oribi_json *json, const char *node, const char *op, const char *device)
{
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "node", node);
    oribi_json_put_string(json, "op", op);
    oribi_json_put_string(json, "device", device);
}

static void put_region(oribi_json *json, const oribi_partition *p, const oribi_region *region)
{
    const oribi_device_instance *device = &p->devices[region->device];
    for (int32_t i = 0; i < region->n_nodes; i++) {
        put_node(json, region->nodes[i]->name, region->nodes[i]->op_name, device->name);
        oribi_json_put_int(json, "us", i == 0 ? region->us : 0);
        oribi_json_key(json, "why");
        oribi_text why = {0};
        oribi_text_printf(&why, "%s, %s: taken", device->target->name, region->pattern->name);
        oribi_json_string(json, oribi_text_string(&why));
        json->text->failed = json->text->failed || why.failed;
        oribi_text_destroy(&why);
        oribi_json_close(json, '}');
    }
}

static void put_nodes(oribi_json *json, const oribi_program *c)
{
    const oribi_partition *p = &c->devices.partition;
    for (int32_t i = 0; i < c->graph->n_order; i++) {
        const oribi_node *node = c->graph->nodes[c->graph->order[i]];
        const oribi_attr *region = oribi_attrs_find(&node->attrs, "region");
        if (strcmp(node->op_name, ORIBI_REGION_OP) == 0 && region != NULL) {
            put_region(json, p, &p->regions[region->u.i[0]]);
            continue;
        }
        oribi_text why = {0};
        put_node(json, node->name, node->op_name, "cpu");
        put_reasons(c, node, &why);
        oribi_json_put_string(json, "why", oribi_text_string(&why));
        oribi_json_close(json, '}');
        json->text->failed = json->text->failed || why.failed;
        oribi_text_destroy(&why);
    }
}

void oribi_compile_describe(oribi_compile *compile, const char *what, TF_Buffer *json,
                            TF_Status *status)
{
    oribi_text text = {0};
    oribi_json writer = {.text = &text};
    if (!ORIBI_GIVEN(status, compile, what, json)) {
        return;
    }
    if (json->data != NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "the buffer must be empty");
        return;
    }
    if (strcmp(what, "devices") != 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "a compilation can describe its devices, not '%s'",
                   what);
        return;
    }
    if (compile->n_programs != 1 || compile->programs[0]->graph == NULL ||
        !compile->programs[0]->is_partitioned) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "give the compilation one model before asking for its devices");
        return;
    }
    oribi_json_open(&writer, '{');
    oribi_json_key(&writer, "nodes");
    oribi_json_open(&writer, '[');
    put_nodes(&writer, compile->programs[0]);
    oribi_json_close(&writer, ']');
    oribi_json_close(&writer, '}');
    TF_Buffer *made =
        text.failed ? NULL : TF_NewBufferFromString(oribi_text_string(&text), text.length);
    if (made == NULL) {
        oribi_fail_memory(status);
    } else {
        *json = *made;
        *made = (TF_Buffer){0};
        TF_DeleteBuffer(made);
    }
    oribi_text_destroy(&text);
}
