/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of graph_kit.h that read and write attributes and the whole graph; it includes
 * this.
 */
#ifndef ORIBI_GRAPH_KIT_BYTES_H_
#define ORIBI_GRAPH_KIT_BYTES_H_

#include "oribi/graph_kit_bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Attributes: reading -----------------------------------------------------------------------
 */

/* Field `number` of the attribute; false: there is no such attribute, or it is another field. */
ORIBI_REWRITE_FN bool oribi_rewrite__value(const oribi_rewrite_node *node, const char *name,
                                           uint32_t number, uint32_t wire, oribi_rewrite_field *out)
{
    for (int i = 0; i < node->n_attrs; i++) {
        oribi_rewrite_bytes value = node->attrs[i].value;
        bool found = false;
        oribi_rewrite_field field;
        while (strcmp(node->attrs[i].name, name) == 0 && oribi_rewrite__field(&value, &field)) {
            if (field.number == number && field.wire == wire) {
                *out = field;
                found = true;
            }
        }
        if (found) {
            return true;
        }
    }
    return false;
}

ORIBI_REWRITE_FN bool oribi_rewrite_get_int(const oribi_rewrite_node *node, const char *name,
                                            int64_t *out)
{
    oribi_rewrite_field field;
    if (!oribi_rewrite__value(node, name, 3, 0, &field)) {
        return false;
    }
    *out = (int64_t)field.value;
    return true;
}

ORIBI_REWRITE_FN bool oribi_rewrite_get_float(const oribi_rewrite_node *node, const char *name,
                                              float *out)
{
    oribi_rewrite_field field;
    if (!oribi_rewrite__value(node, name, 4, 5, &field)) {
        return false;
    }
    const uint32_t bits = (uint32_t)field.value;
    memcpy(out, &bits, sizeof *out);
    return true;
}

ORIBI_REWRITE_FN bool oribi_rewrite_get_bool(const oribi_rewrite_node *node, const char *name,
                                             bool *out)
{
    oribi_rewrite_field field;
    if (!oribi_rewrite__value(node, name, 5, 0, &field)) {
        return false;
    }
    *out = field.value != 0;
    return true;
}

ORIBI_REWRITE_FN bool oribi_rewrite_get_type(const oribi_rewrite_node *node, const char *name,
                                             TF_DataType *out)
{
    oribi_rewrite_field field;
    if (!oribi_rewrite__value(node, name, 6, 0, &field)) {
        return false;
    }
    *out = (TF_DataType)field.value;
    return true;
}

ORIBI_REWRITE_FN bool oribi_rewrite_get_text(const oribi_rewrite_node *node, const char *name,
                                             oribi_rewrite_bytes *out)
{
    oribi_rewrite_field field;
    if (!oribi_rewrite__value(node, name, 2, 2, &field)) {
        return false;
    }
    *out = field.content;
    return true;
}

ORIBI_REWRITE_FN int oribi_rewrite_get_ints(const oribi_rewrite_node *node, const char *name,
                                            int64_t *out, int max)
{
    oribi_rewrite_field list, field;
    int count = 0;
    if (!oribi_rewrite__value(node, name, 1, 2, &list)) {
        return -1;
    }
    while (oribi_rewrite__field(&list.content, &field)) {
        oribi_rewrite_bytes packed = field.content;
        uint64_t value = field.value;
        if (field.number != 3 || (field.wire != 0 && field.wire != 2)) {
            return -1; /* a list of something else */
        }
        while (field.wire == 0 || (packed.length > 0 && oribi_rewrite__varint(&packed, &value))) {
            if (count < max) {
                out[count] = (int64_t)value;
            }
            count++;
            if (field.wire == 0) {
                break;
            }
        }
    }
    return count;
}

/* --- Writing -----------------------------------------------------------------------------------
 */

typedef struct oribi_rewrite_out { /* measures while data is NULL, then writes */
    uint8_t *data;
    size_t length;
} oribi_rewrite_out;

ORIBI_REWRITE_FN void oribi_rewrite__put(oribi_rewrite_out *out, const void *data, size_t length)
{
    if (out->data != NULL && length > 0) {
        memcpy(out->data + out->length, data, length);
    }
    out->length += length;
}

ORIBI_REWRITE_FN void oribi_rewrite__put_varint(oribi_rewrite_out *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; value > 127; value >>= 7) {
        bytes[n++] = (uint8_t)(value | 128);
    }
    bytes[n++] = (uint8_t)value;
    oribi_rewrite__put(out, bytes, n);
}

ORIBI_REWRITE_FN void oribi_rewrite__put_key(oribi_rewrite_out *out, uint32_t number, uint32_t wire)
{
    oribi_rewrite__put_varint(out, (uint64_t)number << 3 | wire);
}

ORIBI_REWRITE_FN void oribi_rewrite__put_bytes(oribi_rewrite_out *out, uint32_t number,
                                               const void *data, size_t length)
{
    oribi_rewrite__put_key(out, number, 2);
    oribi_rewrite__put_varint(out, length);
    oribi_rewrite__put(out, data, length);
}

ORIBI_REWRITE_FN void oribi_rewrite__put_text(oribi_rewrite_out *out, uint32_t number,
                                              const char *text)
{
    if (text[0] != '\0') {
        oribi_rewrite__put_bytes(out, number, text, strlen(text));
    }
}

ORIBI_REWRITE_FN void oribi_rewrite__put_entry(oribi_rewrite_out *out,
                                               const oribi_rewrite_attr *attr)
{
    oribi_rewrite__put_bytes(out, 1, attr->name, strlen(attr->name));
    oribi_rewrite__put_bytes(out, 2, attr->value.data, attr->value.length);
}

ORIBI_REWRITE_FN void oribi_rewrite__put_node(oribi_rewrite_out *out,
                                              const oribi_rewrite_node *node)
{
    oribi_rewrite__put_text(out, 1, node->name);
    oribi_rewrite__put_text(out, 2, node->op);
    for (int i = 0; i < node->n_inputs; i++) {
        oribi_rewrite__put_bytes(out, 3, node->inputs[i], strlen(node->inputs[i]));
    }
    oribi_rewrite__put_text(out, 4, node->device);
    for (int i = 0; i < node->n_attrs; i++) {
        oribi_rewrite_out entry = {NULL, 0};
        oribi_rewrite__put_entry(&entry, &node->attrs[i]);
        oribi_rewrite__put_key(out, 5, 2);
        oribi_rewrite__put_varint(out, entry.length);
        oribi_rewrite__put_entry(out, &node->attrs[i]);
    }
    oribi_rewrite__put(out, node->rest.data, node->rest.length);
}

ORIBI_REWRITE_FN void oribi_rewrite__put_graph(oribi_rewrite_out *out, const oribi_rewrite *rewrite)
{
    for (int i = 0; i < rewrite->n_nodes; i++) {
        oribi_rewrite_out node = {NULL, 0};
        if (!rewrite->nodes[i]->is_removed) {
            oribi_rewrite__put_node(&node, rewrite->nodes[i]);
            oribi_rewrite__put_key(out, 1, 2);
            oribi_rewrite__put_varint(out, node.length);
            oribi_rewrite__put_node(out, rewrite->nodes[i]);
        }
    }
    oribi_rewrite__put(out, rewrite->rest.data, rewrite->rest.length);
}

/* --- Attributes: writing -----------------------------------------------------------------------
 */

/* The attribute becomes so many bytes, which the caller writes; NULL: no memory. */
ORIBI_REWRITE_FN uint8_t *oribi_rewrite__new_value(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                                   const char *name, size_t length)
{
    const char *own = oribi_rewrite__text(rewrite, name, strlen(name));
    uint8_t *data = (uint8_t *)oribi_rewrite__alloc(rewrite, length);
    if (own != NULL && data != NULL) {
        const oribi_rewrite_bytes value = {data, length};
        oribi_rewrite__put_attr(rewrite, node, own, value);
        return data;
    }
    return NULL;
}

ORIBI_REWRITE_FN void oribi_rewrite__set_number(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                                const char *name, uint32_t number, uint64_t value)
{
    oribi_rewrite_out out = {NULL, 0};
    oribi_rewrite__put_key(&out, number, 0);
    oribi_rewrite__put_varint(&out, value);
    out.data = oribi_rewrite__new_value(rewrite, node, name, out.length);
    out.length = 0;
    if (out.data != NULL) {
        oribi_rewrite__put_key(&out, number, 0);
        oribi_rewrite__put_varint(&out, value);
    }
}

ORIBI_REWRITE_FN void oribi_rewrite_set_int(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                            const char *name, int64_t value)
{
    oribi_rewrite__set_number(rewrite, node, name, 3, (uint64_t)value);
}

ORIBI_REWRITE_FN void oribi_rewrite_set_bool(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                             const char *name, bool value)
{
    oribi_rewrite__set_number(rewrite, node, name, 5, value ? 1 : 0);
}

ORIBI_REWRITE_FN void oribi_rewrite_set_type(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                             const char *name, TF_DataType value)
{
    oribi_rewrite__set_number(rewrite, node, name, 6, (uint64_t)value);
}

ORIBI_REWRITE_FN void oribi_rewrite_set_float(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                              const char *name, float value)
{
    uint32_t bits;
    uint8_t *data = oribi_rewrite__new_value(rewrite, node, name, 5);
    memcpy(&bits, &value, sizeof bits);
    if (data == NULL) {
        return;
    }
    *data++ = 4 << 3 | 5;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        *data++ = (uint8_t)(bits >> shift);
    }
}

ORIBI_REWRITE_FN void oribi_rewrite_set_text(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                             const char *name, const char *value, size_t length)
{
    oribi_rewrite_out out = {NULL, 0};
    oribi_rewrite__put_bytes(&out, 2, value, length);
    out.data = oribi_rewrite__new_value(rewrite, node, name, out.length);
    out.length = 0;
    if (out.data != NULL) {
        oribi_rewrite__put_bytes(&out, 2, value, length);
    }
}

/* The list message of integers (texts NULL) or texts. */
ORIBI_REWRITE_FN void oribi_rewrite__put_items(oribi_rewrite_out *out, const int64_t *values,
                                               const char *const *texts, int n)
{
    oribi_rewrite_out packed = {NULL, 0};
    for (int i = 0; texts != NULL && i < n; i++) {
        oribi_rewrite__put_bytes(out, 2, texts[i], strlen(texts[i]));
    }
    for (int i = 0; texts == NULL && i < n; i++) {
        oribi_rewrite__put_varint(&packed, (uint64_t)values[i]);
    }
    if (packed.length > 0) {
        oribi_rewrite__put_key(out, 3, 2);
        oribi_rewrite__put_varint(out, packed.length);
    }
    for (int i = 0; texts == NULL && i < n; i++) {
        oribi_rewrite__put_varint(out, (uint64_t)values[i]);
    }
}

ORIBI_REWRITE_FN void oribi_rewrite__set_list(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                              const char *name, const int64_t *values,
                                              const char *const *texts, int n)
{
    oribi_rewrite_out list = {NULL, 0}, out = {NULL, 0};
    oribi_rewrite__put_items(&list, values, texts, n);
    oribi_rewrite__put_key(&out, 1, 2);
    oribi_rewrite__put_varint(&out, list.length);
    out.data = oribi_rewrite__new_value(rewrite, node, name, out.length + list.length);
    out.length = 0;
    if (out.data != NULL) {
        oribi_rewrite__put_key(&out, 1, 2);
        oribi_rewrite__put_varint(&out, list.length);
        oribi_rewrite__put_items(&out, values, texts, n);
    }
}

ORIBI_REWRITE_FN void oribi_rewrite_set_ints(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                             const char *name, const int64_t *values, int n)
{
    oribi_rewrite__set_list(rewrite, node, name, values, NULL, n);
}

ORIBI_REWRITE_FN void oribi_rewrite_set_texts(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                              const char *name, const char *const *values, int n)
{
    oribi_rewrite__set_list(rewrite, node, name, NULL, values, n);
}

ORIBI_REWRITE_FN bool oribi_rewrite_copy_attr(oribi_rewrite *rewrite, oribi_rewrite_node *node,
                                              const oribi_rewrite_node *from, const char *name)
{
    for (int i = 0; i < from->n_attrs; i++) {
        if (strcmp(from->attrs[i].name, name) == 0) {
            oribi_rewrite__put_attr(rewrite, node, from->attrs[i].name, from->attrs[i].value);
            return true;
        }
    }
    return false;
}

ORIBI_REWRITE_FN void oribi_rewrite_drop_attr(oribi_rewrite_node *node, const char *name)
{
    /* The last one takes its place, and the array's room is that of a higher power of two or the
     * same: the next addition may copy it once more, no harm. */
    for (int i = 0; i < node->n_attrs; i++) {
        if (strcmp(node->attrs[i].name, name) == 0) {
            node->attrs[i] = node->attrs[--node->n_attrs];
            return;
        }
    }
}

/* --- The whole graph ---------------------------------------------------------------------------
 */

ORIBI_REWRITE_FN void oribi_rewrite__free(oribi_rewrite *rewrite)
{
    while (rewrite->chunks != NULL) {
        oribi_rewrite_chunk *next = rewrite->chunks->next;
        free(rewrite->chunks);
        rewrite->chunks = next;
    }
}

ORIBI_REWRITE_FN bool oribi_rewrite_begin(oribi_rewrite *rewrite, const TF_Buffer *graph,
                                          TF_Status *status)
{
    oribi_rewrite_bytes from = {(const uint8_t *)graph->data, graph->length};
    oribi_rewrite_field field;
    char text[100];
    memset(rewrite, 0, sizeof *rewrite);
    rewrite->status = status;
    TF_SetStatus(status, TF_OK, "");
    while (TF_GetCode(status) == TF_OK && oribi_rewrite__field(&from, &field)) {
        if (field.number != 1 || field.wire != 2) {
            oribi_rewrite__append(rewrite, &rewrite->rest, &field.whole);
            continue;
        }
        oribi_rewrite_node *node = oribi_rewrite__new_node(rewrite);
        if (node == NULL) {
            break;
        }
        if (!oribi_rewrite__read_node(rewrite, node, field.content)) {
            (void)snprintf(text, sizeof text, "node %d of the graph, at byte %lld, is damaged",
                           rewrite->n_nodes,
                           (long long)(field.content.data - (const uint8_t *)graph->data));
            oribi_rewrite__fail(rewrite, TF_INVALID_ARGUMENT, text);
            break;
        }
        rewrite->nodes[rewrite->n_nodes++] = node;
        oribi_rewrite__enter(rewrite, rewrite->n_nodes - 1);
    }
    if (TF_GetCode(status) == TF_OK && from.length > 0) {
        (void)snprintf(text, sizeof text, "the graph is damaged at byte %lld",
                       (long long)(from.data - (const uint8_t *)graph->data));
        oribi_rewrite__fail(rewrite, TF_INVALID_ARGUMENT, text);
    }
    if (TF_GetCode(status) != TF_OK) {
        oribi_rewrite__free(rewrite);
        return false;
    }
    for (int i = 0; i < rewrite->n_nodes; i++) {
        oribi_rewrite__count(rewrite, rewrite->nodes[i], 1);
    }
    return true;
}

ORIBI_REWRITE_FN void oribi_rewrite__free_bytes(void *data, size_t length)
{
    (void)length;
    free(data);
}

ORIBI_REWRITE_FN void oribi_rewrite_end(oribi_rewrite *rewrite, TF_Buffer *out)
{
    oribi_rewrite_out bytes = {NULL, 0};
    oribi_rewrite__put_graph(&bytes, rewrite);
    uint8_t *data = TF_GetCode(rewrite->status) == TF_OK
                        ? (uint8_t *)malloc(bytes.length == 0 ? 1 : bytes.length)
                        : NULL;
    if (data == NULL) {
        oribi_rewrite__fail(rewrite, TF_RESOURCE_EXHAUSTED, "no memory for the graph's bytes");
    } else {
        bytes.data = data;
        bytes.length = 0;
        oribi_rewrite__put_graph(&bytes, rewrite);
        out->data = data;
        out->length = bytes.length;
        out->data_deallocator = oribi_rewrite__free_bytes;
    }
    oribi_rewrite__free(rewrite);
}

ORIBI_REWRITE_FN void oribi_rewrite_keep(oribi_rewrite *rewrite, const TF_GrapplerItem *item)
{
    int n = 0;
    size_t bytes = 0;
    TF_GetNodesToPreserveListSize(item, &n, &bytes, rewrite->status);
    if (n <= 0 || TF_GetCode(rewrite->status) != TF_OK) {
        return;
    }
    char **values = (char **)oribi_rewrite__alloc(rewrite, (size_t)n * sizeof *values);
    size_t *lengths = (size_t *)oribi_rewrite__alloc(rewrite, (size_t)n * sizeof *lengths);
    char *storage = (char *)oribi_rewrite__alloc(rewrite, bytes + 1);
    if (values == NULL || lengths == NULL || storage == NULL) {
        return;
    }
    TF_GetNodesToPreserveList(item, values, lengths, n, storage, bytes, rewrite->status);
    for (int i = 0; TF_GetCode(rewrite->status) == TF_OK && i < n; i++) {
        const int at = oribi_rewrite__slot(rewrite, values[i], lengths[i]);
        if (at >= 0 && rewrite->table[at] != 0) {
            rewrite->nodes[rewrite->table[at] - 1]->is_kept = true;
        }
    }
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_GRAPH_KIT_BYTES_H_ */
