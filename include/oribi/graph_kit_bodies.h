/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of graph_kit.h, which includes this.
 * Source   field numbers of TensorFlow's graph.proto, node_def.proto and attr_value.proto.
 */
#ifndef ORIBI_GRAPH_KIT_BODIES_H_
#define ORIBI_GRAPH_KIT_BODIES_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/graph_kit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Memory: blocks that go together -----------------------------------------------------------
 */

typedef struct oribi_rewrite_chunk {
    struct oribi_rewrite_chunk *next;
    size_t used, size;
} oribi_rewrite_chunk;

ORIBI_REWRITE_FN void oribi_rewrite__fail(oribi_rewrite *rewrite, TF_Code code, const char *text)
{
    if (TF_GetCode(rewrite->status) == TF_OK) {
        TF_SetStatus(rewrite->status, code, text);
    }
}

/* Zeroed; NULL: no memory. */
ORIBI_REWRITE_FN void *oribi_rewrite__alloc(oribi_rewrite *rewrite, size_t bytes)
{
    enum { CHUNK = 32768, GRAIN = 16 };
    const size_t head = (sizeof(oribi_rewrite_chunk) + GRAIN - 1) / GRAIN * GRAIN;
    oribi_rewrite_chunk *chunk = rewrite->chunks;
    void *result = NULL;
    if (bytes > SIZE_MAX / 2) {
        oribi_rewrite__fail(rewrite, TF_RESOURCE_EXHAUSTED, "no memory for a graph");
        return NULL;
    }
    bytes = (bytes + GRAIN - 1) / GRAIN * GRAIN;
    if (chunk == NULL || chunk->size - chunk->used < bytes) {
        const size_t size = head + (bytes > (size_t)CHUNK ? bytes : (size_t)CHUNK);
        chunk = (oribi_rewrite_chunk *)calloc(1, size);
        if (chunk == NULL) {
            oribi_rewrite__fail(rewrite, TF_RESOURCE_EXHAUSTED, "no memory for a graph");
            return NULL;
        }
        chunk->used = head;
        chunk->size = size;
        chunk->next = rewrite->chunks;
        rewrite->chunks = chunk;
    }
    result = (char *)chunk + chunk->used;
    chunk->used += bytes;
    return result;
}

/* Room for n, of which `present` are kept; NULL: no memory. */
ORIBI_REWRITE_FN void *oribi_rewrite__grow(oribi_rewrite *rewrite, const void *array,
                                           size_t present, size_t n, size_t element)
{
    void *grown = n > SIZE_MAX / 2 / element ? NULL : oribi_rewrite__alloc(rewrite, n * element);
    if (grown != NULL && present > 0) {
        memcpy(grown, array, present * element);
    }
    return grown;
}

ORIBI_REWRITE_FN char *oribi_rewrite__text(oribi_rewrite *rewrite, const void *data, size_t length)
{
    char *copy = (char *)oribi_rewrite__alloc(rewrite, length + 1);
    if (copy != NULL && length > 0) {
        memcpy(copy, data, length);
    }
    return copy;
}

/* --- Reading -----------------------------------------------------------------------------------
 */

typedef struct oribi_rewrite_field {
    uint32_t number, wire;
    uint64_t value;              /* of wire types 0, 1 and 5 */
    oribi_rewrite_bytes content; /* of wire type 2 */
    oribi_rewrite_bytes whole;   /* with its key */
} oribi_rewrite_field;

ORIBI_REWRITE_FN bool oribi_rewrite__varint(oribi_rewrite_bytes *from, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && from->length > 0; shift += 7) {
        const uint8_t byte = *from->data++;
        from->length--;
        *out |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            return true;
        }
    }
    return false;
}

/* The next field; false at the end, and for bytes that are none, with which from->length stays
 * above 0. */
ORIBI_REWRITE_FN bool oribi_rewrite__field(oribi_rewrite_bytes *from, oribi_rewrite_field *out)
{
    oribi_rewrite_bytes at = *from;
    uint64_t key, length = 0;
    if (!oribi_rewrite__varint(&at, &key) || key >> 3 == 0 || key >> 3 > 536870911) {
        return false;
    }
    out->number = (uint32_t)(key >> 3);
    out->wire = (uint32_t)(key & 7);
    out->value = 0;
    if (out->wire == 0) {
        if (!oribi_rewrite__varint(&at, &out->value)) {
            return false;
        }
    } else if (out->wire == 2) {
        if (!oribi_rewrite__varint(&at, &length)) {
            return false;
        }
    } else if (out->wire == 1 || out->wire == 5) {
        length = out->wire == 1 ? 8 : 4;
    } else {
        return false;
    }
    if (length > at.length) {
        return false;
    }
    out->content.data = at.data;
    out->content.length = (size_t)length;
    for (size_t i = 0; out->wire != 2 && i < (size_t)length; i++) {
        out->value |= (uint64_t)at.data[i] << (8 * i);
    }
    at.data += length;
    at.length -= (size_t)length;
    out->whole.data = from->data;
    out->whole.length = (size_t)(at.data - from->data);
    *from = at;
    return true;
}

ORIBI_REWRITE_FN void oribi_rewrite__append(oribi_rewrite *rewrite, oribi_rewrite_bytes *to,
                                            const oribi_rewrite_bytes *more)
{
    uint8_t *grown =
        (uint8_t *)oribi_rewrite__grow(rewrite, to->data, to->length, to->length + more->length, 1);
    if (grown != NULL) {
        memcpy(grown + to->length, more->data, more->length);
        to->data = grown;
        to->length += more->length;
    }
}

/* A text of a message, NUL behind it; NULL: it is none, or has a NUL in it. */
ORIBI_REWRITE_FN const char *oribi_rewrite__name(oribi_rewrite *rewrite,
                                                 const oribi_rewrite_field *field)
{
    if (field->wire != 2 || (field->content.length > 0 &&
                             memchr(field->content.data, 0, field->content.length) != NULL)) {
        oribi_rewrite__fail(rewrite, TF_INVALID_ARGUMENT,
                            "the graph has a name that is not text without a NUL");
        return NULL;
    }
    return oribi_rewrite__text(rewrite, field->content.data, field->content.length);
}

ORIBI_REWRITE_FN void oribi_rewrite__put_attr(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                              const char *name, oribi_rewrite_bytes value)
{
    for (int i = 0; i < node->n_attrs; i++) {
        if (strcmp(node->attrs[i].name, name) == 0) {
            node->attrs[i].value = value;
            return;
        }
    }
    if ((node->n_attrs & (node->n_attrs - 1)) == 0) { /* room for 1, 2, 4, ... */
        const size_t room = node->n_attrs == 0 ? 1 : (size_t)node->n_attrs * 2;
        oribi_rewrite_attr *grown = (oribi_rewrite_attr *)oribi_rewrite__grow(
            rewrite, node->attrs, (size_t)node->n_attrs, room, sizeof *grown);
        if (grown == NULL) {
            return;
        }
        node->attrs = grown;
    }
    node->attrs[node->n_attrs].name = name;
    node->attrs[node->n_attrs++].value = value;
}

ORIBI_REWRITE_FN bool oribi_rewrite__read_attr(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                               oribi_rewrite_bytes entry)
{
    oribi_rewrite_field field;
    const char *name = "";
    oribi_rewrite_bytes value = {NULL, 0};
    while (name != NULL && oribi_rewrite__field(&entry, &field)) {
        if (field.number == 1) {
            name = oribi_rewrite__name(rewrite, &field);
        } else if (field.number == 2 && field.wire == 2) {
            value = field.content;
        }
    }
    if (name == NULL || entry.length > 0) {
        return false;
    }
    oribi_rewrite__put_attr(rewrite, node, name, value);
    return true;
}

ORIBI_REWRITE_FN void oribi_rewrite__add_input(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                               const char *text)
{
    if ((node->n_inputs & (node->n_inputs - 1)) == 0) {
        const size_t room = node->n_inputs == 0 ? 1 : (size_t)node->n_inputs * 2;
        const char **grown = (const char **)oribi_rewrite__grow(
            rewrite, node->inputs, (size_t)node->n_inputs, room, sizeof *grown);
        if (grown == NULL) {
            return;
        }
        node->inputs = grown;
    }
    node->inputs[node->n_inputs++] = text;
}

ORIBI_REWRITE_FN bool oribi_rewrite__read_node(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                               oribi_rewrite_bytes from)
{
    oribi_rewrite_field field;
    node->name = node->op = node->device = "";
    while (oribi_rewrite__field(&from, &field)) {
        const char *text = field.number <= 4 ? oribi_rewrite__name(rewrite, &field) : "";
        if (text == NULL) {
            return false;
        }
        if (field.number == 1) {
            node->name = text;
        } else if (field.number == 2) {
            node->op = text;
        } else if (field.number == 3) {
            oribi_rewrite__add_input(rewrite, node, text);
        } else if (field.number == 4) {
            node->device = text;
        } else if (field.number != 5) {
            oribi_rewrite__append(rewrite, &node->rest, &field.whole);
        } else if (field.wire != 2 || !oribi_rewrite__read_attr(rewrite, node, field.content)) {
            return false;
        }
    }
    return from.length == 0;
}

/* --- Names -------------------------------------------------------------------------------------
 */

/* Bytes of the node's name in an input's text, which begins at *text. */
ORIBI_REWRITE_FN size_t oribi_rewrite__split(const char **text, int *out_output)
{
    const bool is_control = **text == '^';
    *text += is_control;
    const char *colon = strrchr(*text, ':');
    int output = 0;
    for (const char *c = colon != NULL ? colon + 1 : ""; *c != '\0'; c++) {
        if (*c < '0' || *c > '9' || output > 100000000) {
            colon = NULL;
            break;
        }
        output = output * 10 + (*c - '0');
    }
    if (colon == NULL || colon[1] == '\0') {
        colon = NULL;
        output = 0;
    }
    if (out_output != NULL) {
        *out_output = is_control ? -1 : output;
    }
    return colon != NULL ? (size_t)(colon - *text) : strlen(*text);
}

ORIBI_REWRITE_FN uint32_t oribi_rewrite__hash(const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)name[i]) * 16777619u;
    }
    return hash;
}

/* Where the name stands in the table, or the empty place for it; -1: there is no table. */
ORIBI_REWRITE_FN int oribi_rewrite__slot(const oribi_rewrite *rewrite, const char *name,
                                         size_t length)
{
    if (rewrite->table_size == 0) {
        return -1;
    }
    const uint32_t mask = (uint32_t)rewrite->table_size - 1;
    uint32_t i = oribi_rewrite__hash(name, length) & mask;
    for (; rewrite->table[i] != 0; i = (i + 1) & mask) {
        const char *other = rewrite->nodes[rewrite->table[i] - 1]->name;
        if (strncmp(other, name, length) == 0 && other[length] == '\0') {
            break;
        }
    }
    return (int)i;
}

/* A node that is in the array gets into the table, which stays at most half full. */
ORIBI_REWRITE_FN void oribi_rewrite__enter(oribi_rewrite *rewrite, int index)
{
    if (rewrite->n_nodes * 2 > rewrite->table_size) {
        const int size = rewrite->table_size == 0 ? 64 : rewrite->table_size * 2;
        int *table = (int *)oribi_rewrite__alloc(rewrite, (size_t)size * sizeof *table);
        if (table == NULL) {
            return;
        }
        rewrite->table = table;
        rewrite->table_size = size;
        for (int i = 0; i < index; i++) {
            const char *name = rewrite->nodes[i]->name;
            const int at = oribi_rewrite__slot(rewrite, name, strlen(name));
            table[at] = table[at] == 0 ? i + 1 : table[at];
        }
    }
    const char *name = rewrite->nodes[index]->name;
    const int at = oribi_rewrite__slot(rewrite, name, strlen(name));
    if (rewrite->table[at] == 0) {
        rewrite->table[at] = index + 1;
    }
}

ORIBI_REWRITE_FN oribi_rewrite_node *oribi_rewrite_find(const oribi_rewrite *rewrite,
                                                        const char *text, int *out_output)
{
    const size_t length = oribi_rewrite__split(&text, out_output);
    const int at = oribi_rewrite__slot(rewrite, text, length);
    return at < 0 || rewrite->table[at] == 0 ? NULL : rewrite->nodes[rewrite->table[at] - 1];
}

ORIBI_REWRITE_FN oribi_rewrite_node *oribi_rewrite_input(const oribi_rewrite *rewrite,
                                                         const oribi_rewrite_node *node, int i,
                                                         const char *op)
{
    int output = 0;
    oribi_rewrite_node *found =
        i >= 0 && i < node->n_inputs ? oribi_rewrite_find(rewrite, node->inputs[i], &output) : NULL;
    return found != NULL && output == 0 && !found->is_removed &&
                   (op == NULL || strcmp(found->op, op) == 0)
               ? found
               : NULL;
}

/* --- Nodes -------------------------------------------------------------------------------------
 */

ORIBI_REWRITE_FN oribi_rewrite_node *oribi_rewrite__new_node(oribi_rewrite *rewrite)
{
    oribi_rewrite_node *node =
        (oribi_rewrite_node *)oribi_rewrite__alloc(rewrite, sizeof(oribi_rewrite_node));
    if (node != NULL && rewrite->n_nodes == rewrite->capacity) {
        const size_t room = rewrite->capacity == 0 ? 64 : (size_t)rewrite->capacity * 2;
        oribi_rewrite_node **grown = (oribi_rewrite_node **)oribi_rewrite__grow(
            rewrite, rewrite->nodes, (size_t)rewrite->n_nodes, room, sizeof *grown);
        if (grown == NULL || room > INT32_MAX / 4) {
            return NULL;
        }
        rewrite->nodes = grown;
        rewrite->capacity = (int)room;
    }
    return node;
}

ORIBI_REWRITE_FN void oribi_rewrite__count(oribi_rewrite *rewrite, const oribi_rewrite_node *node,
                                           int change)
{
    for (int i = 0; i < node->n_inputs; i++) {
        oribi_rewrite_node *read = oribi_rewrite_find(rewrite, node->inputs[i], NULL);
        if (read != NULL) {
            read->n_readers += change;
        }
    }
}

ORIBI_REWRITE_FN oribi_rewrite_node *oribi_rewrite_add(oribi_rewrite *rewrite, const char *op,
                                                       const char *name,
                                                       const oribi_rewrite_node *like)
{
    const size_t length = strlen(name);
    char *own = (char *)oribi_rewrite__alloc(rewrite, length + 16);
    oribi_rewrite_node *node = own != NULL ? oribi_rewrite__new_node(rewrite) : NULL;
    if (node == NULL) {
        return NULL;
    }
    memcpy(own, name, length + 1);
    for (int i = 1; oribi_rewrite_find(rewrite, own, NULL) != NULL; i++) {
        (void)snprintf(own + length, 16, "_%d", i);
    }
    node->name = own;
    node->op = op;
    node->device = like != NULL ? like->device : "";
    rewrite->nodes[rewrite->n_nodes++] = node;
    oribi_rewrite__enter(rewrite, rewrite->n_nodes - 1);
    return node;
}

ORIBI_REWRITE_FN void oribi_rewrite_set_inputs(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                               const char *const *inputs, int n)
{
    oribi_rewrite_node fresh = *node;
    fresh.inputs = NULL;
    fresh.n_inputs = 0;
    for (int i = 0; i < n; i++) {
        const char *own = oribi_rewrite__text(rewrite, inputs[i], strlen(inputs[i]));
        if (own != NULL) {
            oribi_rewrite__add_input(rewrite, &fresh, own);
        }
    }
    if (fresh.n_inputs != n) {
        return; /* no memory */
    }
    oribi_rewrite__count(rewrite, node, -1);
    node->inputs = fresh.inputs;
    node->n_inputs = n;
    oribi_rewrite__count(rewrite, node, 1);
}

ORIBI_REWRITE_FN void oribi_rewrite_replace(oribi_rewrite *rewrite, const char *old,
                                            const char *with)
{
    int output, wanted;
    oribi_rewrite_node *from = oribi_rewrite_find(rewrite, old, &wanted);
    oribi_rewrite_node *to = oribi_rewrite_find(rewrite, with, NULL);
    const char *own = oribi_rewrite__text(rewrite, with, strlen(with));
    for (int n = 0; from != NULL && own != NULL && n < rewrite->n_nodes; n++) {
        oribi_rewrite_node *node = rewrite->nodes[n];
        for (int i = 0; !node->is_removed && i < node->n_inputs; i++) {
            if (oribi_rewrite_find(rewrite, node->inputs[i], &output) == from && output == wanted) {
                node->inputs[i] = own;
                from->n_readers--;
                if (to != NULL) {
                    to->n_readers++;
                }
            }
        }
    }
}

ORIBI_REWRITE_FN void oribi_rewrite_remove(oribi_rewrite *rewrite, oribi_rewrite_node *node)
{
    if (!node->is_removed) {
        node->is_removed = true;
        oribi_rewrite__count(rewrite, node, -1);
    }
}

ORIBI_REWRITE_FN void oribi_rewrite_prune(oribi_rewrite *rewrite, oribi_rewrite_node *node)
{
    /* Nodes to look at, chained through a list of their own: graphs are deep. */
    oribi_rewrite_node **open = (oribi_rewrite_node **)oribi_rewrite__alloc(rewrite, sizeof node);
    size_t n_open = 1, room = 1;
    if (open == NULL) {
        return;
    }
    open[0] = node;
    while (n_open > 0) {
        oribi_rewrite_node *next = open[--n_open];
        if (next->is_removed || next->is_kept || next->n_readers > 0) {
            continue;
        }
        oribi_rewrite_remove(rewrite, next);
        if (n_open + (size_t)next->n_inputs > room) {
            room = (n_open + (size_t)next->n_inputs) * 2;
            open = (oribi_rewrite_node **)oribi_rewrite__grow(rewrite, open, n_open, room,
                                                              sizeof *open);
            if (open == NULL) {
                return;
            }
        }
        for (int i = 0; i < next->n_inputs; i++) {
            oribi_rewrite_node *read = oribi_rewrite_find(rewrite, next->inputs[i], NULL);
            if (read != NULL) {
                open[n_open++] = read;
            }
        }
    }
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#include "oribi/graph_kit_bytes.h"

#endif /* ORIBI_GRAPH_KIT_BODIES_H_ */
