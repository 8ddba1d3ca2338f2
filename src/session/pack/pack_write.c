/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a packed file from a session whose kernels have packed; see src/import/packed/packed.h. A
 * constant is left out where all that read it asked for it packed and promised not to read it
 * otherwise.
 */
#include "session/pack/pack_write.h"

#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "format/proto.h"
#include "grappler/graphdef.h"
#include "import/packed/packed.h"
#include "op/op_proto.h"
#include "session/session_internal.h"

typedef struct piece { /* of the data */
    const void *data;
    size_t bytes, offset;
} piece;

typedef struct writer {
    oribi_session *session;
    oribi_graph *graph;
    oribi_graphdef_names names;
    oribi_arena arena;
    oribi_text header;
    oribi_map by_place; /* piece, by the address of its bytes */
    piece *pieces;
    int32_t n_pieces, room;
    size_t data_bytes;
    int32_t *n_packed; /* by value: uses that have it packed */
    TF_Tensor **tensors;
    int32_t n_tensors;
} writer;

/* --- What can be packed ---------------------------------------------------------------------- */

static bool check_node(const oribi_node *node, TF_Status *status)
{
    for (int32_t i = 0; i < node->attrs.count; i++) {
        const oribi_attr *attr = &node->attrs.items[i];
        if (oribi_op_find_attr(node->op, attr->name) == NULL) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "node '%s' has an attribute '%s' that its op does not declare",
                              node->name, attr->name);
        }
    }
    return node->n_bodies == 0 ||
           oribi_fail(status, TF_UNIMPLEMENTED,
                      "node '%s' (%s): a model with conditions or loops cannot be packed",
                      node->name, node->op_name);
}

static bool check_session(const oribi_session *session, TF_Status *status)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_session_step *step = &session->steps[s];
        if (step->device != 0 || step->transfer != NULL) {
            return oribi_fail(status, TF_UNIMPLEMENTED,
                              "node '%s' runs on a device; a model is packed for the CPU",
                              step->node->name);
        }
        ORIBI_TRY(check_node(step->node, status));
    }
    return session->check == NULL ||
           oribi_fail(status, TF_FAILED_PRECONDITION,
                      "a model is packed without ORIBI_CHECK and --check");
}

/* --- Data ------------------------------------------------------------------------------------ */

static bool reserve(writer *w, TF_Status *status)
{
    size_t n = (size_t)w->graph->n_values + 1;
    for (int32_t s = 0; s < w->session->n_steps; s++) {
        for (const oribi_packed *each = w->session->steps[s].kernel.packed; each != NULL;
             each = each->next) {
            n++;
        }
    }
    if (n > INT32_MAX) {
        return oribi_fail_memory(status);
    }
    w->room = (int32_t)n;
    w->pieces = oribi_arena_array(&w->arena, n, sizeof *w->pieces);
    w->n_packed = oribi_arena_array(&w->arena, n, sizeof *w->n_packed);
    w->tensors = oribi_arena_array(&w->arena, n, sizeof(TF_Tensor *));
    return (w->pieces != NULL && w->n_packed != NULL && w->tensors != NULL) ||
           oribi_fail_memory(status);
}

/* The place of these bytes in the data: one for all that share them. */
static bool add_piece(writer *w, const void *data, size_t bytes, size_t *out_offset,
                      TF_Status *status)
{
    const void *const *key = oribi_arena_memdup(&w->arena, &data, sizeof data);
    ORIBI_TRY(key != NULL || oribi_fail_memory(status));
    piece *one = oribi_map_get_n(&w->by_place, (const char *)key, sizeof data);
    if (one == NULL || one->bytes != bytes) {
        one = &w->pieces[w->n_pieces++];
        *one = (piece){data, bytes, 0};
        if (!oribi_size_round_up(w->data_bytes, ORIBI_PACKED_ALIGNMENT, &one->offset) ||
            !oribi_size_add(one->offset, bytes, &w->data_bytes) ||
            !oribi_map_put_n(&w->by_place, (const char *)key, sizeof data, one)) {
            return oribi_fail_memory(status);
        }
    }
    *out_offset = one->offset;
    return true;
}

static void count_packed(writer *w)
{
    for (int32_t s = 0; s < w->session->n_steps; s++) {
        const oribi_session_step *step = &w->session->steps[s];
        uint64_t inputs = 0;
        for (const oribi_packed *each = step->kernel.packed; each != NULL; each = each->next) {
            inputs |= each->inputs;
        }
        for (int32_t i = 0; i < step->node->n_inputs && i < 64; i++) {
            if (step->node->inputs[i] >= 0) {
                w->n_packed[step->node->inputs[i]] += step->released[i] && (inputs >> i & 1) != 0;
            }
        }
    }
}

/* --- Header ---------------------------------------------------------------------------------- */

static void put_units(oribi_text *to, unsigned field, const oribi_quantisation *q)
{
    oribi_text units = {0}, scales = {0}, zeros = {0};
    const TF_Quantisation all = oribi_graph_quantisation_view(q);
    if (q->n_scales <= 0 || all.count <= 0) {
        return;
    }
    for (int32_t i = 0; i < all.count; i++) {
        oribi_proto_float_bits(&scales, all.scales[i]);
        oribi_proto_varint(&zeros, (uint64_t)(int64_t)all.zero_points[i]);
    }
    oribi_proto_number(&units, ORIBI_UNITS_AXIS, (uint64_t)q->axis);
    oribi_proto_message(&units, ORIBI_UNITS_SCALES, &scales);
    oribi_proto_message(&units, ORIBI_UNITS_ZEROS, &zeros);
    oribi_proto_message(to, field, &units);
}

static void put_ports(writer *w, unsigned field, const oribi_value_id *ids,
                      const char *const *names, const oribi_quantisation *units, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        oribi_text port = {0};
        oribi_proto_string(&port, ORIBI_PORT_NAME, names[i]);
        oribi_proto_string(&port, ORIBI_PORT_VALUE, w->names.values[ids[i]]);
        put_units(&port, ORIBI_PORT_UNITS, &units[i]);
        oribi_proto_message(&w->header, field, &port);
    }
}

static void put_value(writer *w, oribi_value_id id)
{
    const oribi_value *value = w->graph->values[id];
    oribi_text text = {0};
    oribi_proto_string(&text, ORIBI_VALUE_NAME, w->names.values[id]);
    oribi_proto_number(&text, ORIBI_VALUE_DTYPE, (uint64_t)value->dtype);
    oribi_proto_shape(&text, ORIBI_VALUE_SHAPE, value->shape.dims, value->shape.rank);
    put_units(&text, ORIBI_VALUE_UNITS, &value->quantisation);
    oribi_proto_message(&w->header, ORIBI_PACKED_VALUE, &text);
}

/* Its bytes, or the form that a kernel which does not read them saw. */
static bool put_constant(writer *w, oribi_value_id id, TF_Status *status)
{
    const oribi_value *value = w->graph->values[id];
    const oribi_constant_view *view = &value->constant->view;
    const bool is_absent = value->n_uses > 0 && w->n_packed[id] == value->n_uses;
    oribi_text text = {0}, strides = {0};
    size_t offset = 0;
    if (value->dtype == TF_RESOURCE || value->dtype == TF_VARIANT) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "constant '%s' is no plain data", value->name);
    }
    if (!is_absent) {
        TF_Tensor *tensor = oribi_graph_constant_tensor(w->graph, id, status);
        ORIBI_TRY(tensor != NULL);
        w->tensors[w->n_tensors++] = tensor;
        ORIBI_TRY(add_piece(w, tensor->data, tensor->bytes, &offset, status));
    }
    for (int32_t i = 0; is_absent && view->strides != NULL && i < view->rank; i++) {
        oribi_proto_varint(&strides, (uint64_t)view->strides[i]);
    }
    oribi_proto_string(&text, ORIBI_CONSTANT_NAME, w->names.values[id]);
    oribi_proto_number(&text, ORIBI_CONSTANT_DTYPE, (uint64_t)value->dtype);
    oribi_proto_shape(&text, ORIBI_CONSTANT_SHAPE, view->dims, view->rank);
    oribi_proto_number(&text, ORIBI_CONSTANT_OFFSET, offset);
    if (strides.length > 0) {
        oribi_proto_message(&text, ORIBI_CONSTANT_STRIDES, &strides);
    }
    oribi_proto_number(&text, ORIBI_CONSTANT_IS_ABSENT, is_absent ? 1 : 0);
    oribi_proto_message(&w->header, ORIBI_PACKED_CONSTANT, &text);
    return true;
}

static bool put_values(writer *w, TF_Status *status)
{
    const oribi_graph *graph = w->graph;
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        put_value(w, graph->inputs[i]);
    }
    for (int32_t i = 0; i < graph->n_order; i++) {
        const oribi_node *node = graph->nodes[graph->order[i]];
        oribi_text origin = {0};
        for (int32_t k = 0; k < node->n_outputs; k++) {
            put_value(w, node->outputs[k]);
        }
        oribi_proto_string(&origin, ORIBI_ORIGIN_NODE, w->names.nodes[node->id]);
        oribi_proto_string(&origin, ORIBI_ORIGIN_TEXT, node->origin);
        oribi_proto_message(&w->header, ORIBI_PACKED_ORIGIN, &origin);
    }
    for (int32_t v = 0; v < graph->n_values; v++) {
        const oribi_value *value = graph->values[v];
        if (value->constant != NULL && w->names.values[v] != NULL && value->dtype != TF_STRING) {
            ORIBI_TRY(put_constant(w, v, status));
        }
    }
    return true;
}

static bool put_blobs(writer *w, TF_Status *status)
{
    for (int32_t s = 0; s < w->session->n_steps; s++) {
        const oribi_session_step *step = &w->session->steps[s];
        for (const oribi_packed *each = step->kernel.packed; each != NULL; each = each->next) {
            oribi_text text = {0};
            size_t offset = 0;
            ORIBI_TRY(add_piece(w, each->data, each->bytes, &offset, status));
            oribi_proto_string(&text, ORIBI_BLOB_NODE, w->names.nodes[step->node->id]);
            oribi_proto_string(&text, ORIBI_BLOB_KERNEL, step->kernel.def->kernel_name);
            oribi_proto_string(&text, ORIBI_BLOB_LAYOUT, each->layout);
            oribi_proto_number(&text, ORIBI_BLOB_OFFSET, offset);
            oribi_proto_number(&text, ORIBI_BLOB_BYTES, each->bytes);
            oribi_proto_message(&w->header, ORIBI_PACKED_BLOB, &text);
        }
    }
    return true;
}

static bool put_header(writer *w, const char *source, TF_Status *status)
{
    oribi_graph *graph = w->graph;
    oribi_text *header = &w->header;
    oribi_proto_string(header, ORIBI_PACKED_VERSION, oribi_packed_version());
    oribi_proto_string(header, ORIBI_PACKED_MACHINE, oribi_packed_machine());
    oribi_proto_string(header, ORIBI_PACKED_SOURCE, oribi_path_name(source));
    oribi_proto_string(header, ORIBI_PACKED_PRODUCER, graph->producer);
    oribi_proto_number(header, ORIBI_PACKED_N_NODES, (uint64_t)graph->n_order);
    put_ports(w, ORIBI_PACKED_INPUT, graph->inputs, graph->input_names, graph->input_quantisation,
              graph->n_inputs);
    put_ports(w, ORIBI_PACKED_OUTPUT, graph->outputs, graph->output_names,
              graph->output_quantisation, graph->n_outputs);
    for (int32_t i = 0; i < graph->n_states; i++) {
        oribi_proto_tensor(header, ORIBI_PACKED_STATE, graph->states[i]);
    }
    ORIBI_TRY(put_values(w, status) && put_blobs(w, status));
    TF_Buffer *graphdef = oribi_graphdef_write(graph, &w->names, true, status);
    ORIBI_TRY(graphdef != NULL);
    oribi_proto_bytes(header, ORIBI_PACKED_GRAPH, graphdef->data, graphdef->length);
    TF_DeleteBuffer(graphdef);
    return !header->failed || oribi_fail_memory(status);
}

/* --- The file -------------------------------------------------------------------------------- */

static void put_number(uint8_t *to, uint64_t number)
{
    for (int i = 0; i < 8; i++) {
        to[i] = (uint8_t)(number >> (8 * i));
    }
}

static void put_head(uint8_t *file, size_t header_bytes, size_t bytes)
{
    oribi_digest digest = {0};
    oribi_digest_add(&digest, file + ORIBI_PACKED_HEAD_BYTES, header_bytes);
    memcpy(file, ORIBI_PACKED_MAGIC, 8);
    put_number(file + 8, ORIBI_PACKED_FORMAT);
    put_number(file + 16, header_bytes);
    put_number(file + 24, bytes);
    put_number(file + 32, digest.at[0]);
    put_number(file + 40, digest.at[1]);
}

static void free_file(void *data, size_t bytes)
{
    (void)bytes;
    oribi_free(data);
}

static bool put_file(const writer *w, TF_Buffer *out, TF_Status *status)
{
    size_t start = 0, bytes = 0;
    uint8_t *file = NULL;
    if (oribi_size_round_up(ORIBI_PACKED_HEAD_BYTES + w->header.length, ORIBI_PACKED_DATA_ALIGNMENT,
                            &start) &&
        oribi_size_add(start, w->data_bytes, &bytes)) {
        file = oribi_alloc_zero(1, bytes);
    }
    if (file == NULL) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED, "no memory for a packed file of %zu bytes",
                          bytes);
    }
    memcpy(file + ORIBI_PACKED_HEAD_BYTES, w->header.data, w->header.length);
    put_head(file, w->header.length, bytes);
    for (int32_t i = 0; i < w->n_pieces; i++) {
        if (w->pieces[i].bytes > 0) {
            memcpy(file + start + w->pieces[i].offset, w->pieces[i].data, w->pieces[i].bytes);
        }
    }
    *out = (TF_Buffer){file, bytes, free_file};
    return true;
}

bool oribi_pack_write(oribi_session *session, const char *source, TF_Buffer *out, TF_Status *status)
{
    writer w = {.session = session, .graph = session->graph};
    bool ok = check_session(session, status) && reserve(&w, status) &&
              oribi_graphdef_name(session->graph, NULL, &w.names, status);
    if (ok) {
        count_packed(&w);
        ok = put_header(&w, source, status) && put_file(&w, out, status);
    }
    for (int32_t i = 0; i < w.n_tensors; i++) {
        TF_DeleteTensor(w.tensors[i]);
    }
    oribi_graphdef_names_destroy(&w.names);
    oribi_map_destroy(&w.by_place);
    oribi_text_destroy(&w.header);
    oribi_arena_destroy(&w.arena);
    return ok;
}
