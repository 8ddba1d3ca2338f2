/* SPDX-License-Identifier: Apache-2.0 */
/* What a target sees of a region, and what it makes of it: oribi_region_*, oribi_target_set_*. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "op/attr_read.h"
#include "target/target.h"
#include "tensor/status.h"

static const oribi_node *node_at(const oribi_region *region, int32_t node)
{
    return region != NULL && node >= 0 && node < region->n_nodes ? region->nodes[node] : NULL;
}

int32_t oribi_region_num_nodes(const oribi_region *region)
{
    return region != NULL ? region->n_nodes : 0;
}

const char *oribi_region_op(const oribi_region *region, int32_t node)
{
    const oribi_node *n = node_at(region, node);
    return n != NULL ? n->op_name : NULL;
}

const char *oribi_region_node_name(const oribi_region *region, int32_t node)
{
    const oribi_node *n = node_at(region, node);
    return n != NULL ? n->name : NULL;
}

/* A failure before stays, and nothing is done, so that a target reads all that it wants and looks
 * once. `other` is the second of the pointers that must be there. */
static bool is_given(const char *function, const char *names, const void *first, const void *other,
                     TF_Status *status)
{
    const void *const pointers[] = {first, other};
    return oribi_ok(status) && oribi_given(status, function, names, pointers, 2);
}

/* --- Tensors ---------------------------------------------------------------------------------- */

static const oribi_value_id *inputs_of(const oribi_region *region, int32_t node, int32_t *n)
{
    const oribi_node *at = node_at(region, node);
    const bool is_call = region != NULL && node == ORIBI_REGION_CALL;
    *n = is_call ? region->n_outer : at != NULL ? at->n_inputs : 0;
    return is_call ? region->outer : at != NULL ? at->inputs : NULL;
}

static const oribi_value_id *outputs_of(const oribi_region *region, int32_t node, int32_t *n)
{
    const oribi_node *at = node_at(region, node);
    const bool is_call = region != NULL && node == ORIBI_REGION_CALL;
    *n = is_call ? region->n_outputs : at != NULL ? at->n_outputs : 0;
    return is_call ? region->outputs : at != NULL ? at->outputs : NULL;
}

int32_t oribi_region_num_inputs(const oribi_region *region, int32_t node)
{
    int32_t n;
    (void)inputs_of(region, node, &n);
    return n;
}

int32_t oribi_region_num_outputs(const oribi_region *region, int32_t node)
{
    int32_t n;
    (void)outputs_of(region, node, &n);
    return n;
}

static void read_tensor(const oribi_region *region, int32_t node, const oribi_value_id *ids,
                        int32_t n_ids, int32_t index, oribi_region_tensor *out, TF_Status *status)
{
    if (index < 0 || index >= n_ids || ids[index] < 0 || out->struct_size < sizeof *out) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "operator %d of the region has no tensor %d, or struct_size is not set",
                   (int)node, (int)index);
        return;
    }
    const oribi_value *value = region->graph->values[ids[index]];
    if (!oribi_shape_is_full(&value->shape)) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "operator %d of the region: the sizes of tensor %d ('%s') are not known yet",
                   (int)node, (int)index, value->name);
        return;
    }
    oribi_region_tensor made = {
        .struct_size = out->struct_size,
        .name = value->name,
        .dtype = value->dtype,
        .rank = value->shape.rank,
        .dims = value->shape.dims,
        .bytes = oribi_dtype_bytes(value->dtype),
    };
    for (int32_t i = 0; i < value->shape.rank; i++) {
        made.bytes *= (size_t)value->shape.dims[i];
    }
    if (value->constant != NULL) {
        /* The constant keeps its dense tensor; our handle may go at once. */
        TF_Tensor *dense = oribi_graph_constant_tensor(region->graph, ids[index], status);
        if (dense == NULL) {
            return;
        }
        made.constant = TF_TensorData(dense);
        TF_DeleteTensor(dense);
    }
    *out = made;
}

void oribi_region_input(const oribi_region *region, int32_t node, int32_t input,
                        oribi_region_tensor *out, TF_Status *status)
{
    if (!is_given(__func__, "region, out", region, out, status)) {
        return;
    }
    int32_t n;
    const oribi_value_id *ids = inputs_of(region, node, &n);
    read_tensor(region, node, ids, n, input, out, status);
}

void oribi_region_output(const oribi_region *region, int32_t node, int32_t output,
                         oribi_region_tensor *out, TF_Status *status)
{
    if (!is_given(__func__, "region, out", region, out, status)) {
        return;
    }
    int32_t n;
    const oribi_value_id *ids = outputs_of(region, node, &n);
    read_tensor(region, node, ids, n, output, out, status);
}

/* --- Attributes ------------------------------------------------------------------------------- */

typedef bool read_attr(const oribi_attrs *attrs, const char *node, const char *name, uint8_t kind,
                       const oribi_attr **out, TF_Status *status);

/* NULL: the status has a failure, of this call or before it. */
static const oribi_attr *attr_of(const char *function, read_attr *read, const oribi_region *region,
                                 int32_t node, const char *name, uint8_t kind, TF_Status *status)
{
    const oribi_attr *attr;
    if (!is_given(function, "region, name", region, name, status)) {
        return NULL;
    }
    const oribi_node *n = node_at(region, node);
    if (n == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "the region has no operator %d", (int)node);
        return NULL;
    }
    return read(&n->attrs, n->name, name, kind, &attr, status) ? attr : NULL;
}

int64_t oribi_region_attr_int(const oribi_region *region, int32_t node, const char *name,
                              TF_Status *status)
{
    const oribi_attr *attr =
        attr_of(__func__, oribi_attr_read_scalar, region, node, name, TF_ATTR_INT, status);
    return attr != NULL ? attr->u.i[0] : 0;
}

float oribi_region_attr_float(const oribi_region *region, int32_t node, const char *name,
                              TF_Status *status)
{
    const oribi_attr *attr =
        attr_of(__func__, oribi_attr_read_scalar, region, node, name, TF_ATTR_FLOAT, status);
    return attr != NULL ? attr->u.f[0] : 0.0f;
}

int32_t oribi_region_attr_bool(const oribi_region *region, int32_t node, const char *name,
                               TF_Status *status)
{
    const oribi_attr *attr =
        attr_of(__func__, oribi_attr_read_scalar, region, node, name, TF_ATTR_BOOL, status);
    return attr != NULL && attr->u.b[0] != 0 ? 1 : 0;
}

TF_DataType oribi_region_attr_type(const oribi_region *region, int32_t node, const char *name,
                                   TF_Status *status)
{
    const oribi_attr *attr =
        attr_of(__func__, oribi_attr_read_scalar, region, node, name, TF_ATTR_TYPE, status);
    return attr != NULL ? attr->u.type[0] : (TF_DataType)0;
}

const char *oribi_region_attr_string(const oribi_region *region, int32_t node, const char *name,
                                     TF_Status *status)
{
    const oribi_attr *attr =
        attr_of(__func__, oribi_attr_read_scalar, region, node, name, TF_ATTR_STRING, status);
    return attr != NULL ? attr->u.s[0].data : NULL;
}

int32_t oribi_region_attr_ints(const oribi_region *region, int32_t node, const char *name,
                               int64_t *values, int32_t max, TF_Status *status)
{
    const oribi_attr *attr =
        attr_of(__func__, oribi_attr_read_list, region, node, name, TF_ATTR_INT, status);
    for (int32_t i = 0; attr != NULL && values != NULL && i < attr->count && i < max; i++) {
        values[i] = attr->u.i[i];
    }
    return attr != NULL ? attr->count : 0;
}

int32_t oribi_region_attr_floats(const oribi_region *region, int32_t node, const char *name,
                                 float *values, int32_t max, TF_Status *status)
{
    const oribi_attr *attr =
        attr_of(__func__, oribi_attr_read_list, region, node, name, TF_ATTR_FLOAT, status);
    for (int32_t i = 0; attr != NULL && values != NULL && i < attr->count && i < max; i++) {
        values[i] = attr->u.f[i];
    }
    return attr != NULL ? attr->count : 0;
}

/* --- Code ------------------------------------------------------------------------------------- */

void oribi_target_set_op(oribi_target_code *code, int32_t op)
{
    if (code != NULL) {
        code->op = op;
    }
}

static bool is_blob(const void *data, size_t bytes, size_t alignment, TF_Status *status)
{
    const bool is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
    return (is_power && alignment <= 4096 && bytes <= UINT32_MAX && (data != NULL || bytes == 0)) ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "params have %zu bytes and alignment %zu; they must be below 4 GiB, and the "
                      "alignment a power of two up to 4096",
                      bytes, alignment);
}

void oribi_target_set_params(oribi_target_code *code, const void *data, size_t bytes,
                             size_t alignment, TF_Status *status)
{
    if (!is_given(__func__, "code", code, code, status)) {
        return;
    }
    if (is_blob(data, bytes, alignment, status)) {
        code->params = NULL;
        code->params_bytes = 0;
        code->params_alignment = alignment;
        (void)oribi_target_add_constant(code, data, bytes, alignment, status);
    }
}

size_t oribi_target_add_constant(oribi_target_code *code, const void *data, size_t bytes,
                                 size_t alignment, TF_Status *status)
{
    if (!is_given(__func__, "code", code, code, status) ||
        !is_blob(data, bytes, alignment, status)) {
        return SIZE_MAX;
    }
    size_t offset = 0;
    if (!oribi_size_round_up(code->params_bytes, alignment, &offset) || offset > UINT32_MAX ||
        bytes > UINT32_MAX - offset) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "the params of one operator reach 4 GiB");
        return SIZE_MAX;
    }
    uint8_t *grown = oribi_claim_array(code->arena, offset + bytes + 1, 1, status);
    if (grown == NULL) {
        return SIZE_MAX;
    }
    if (code->params_bytes > 0) {
        memcpy(grown, code->params, code->params_bytes);
    }
    if (bytes > 0) {
        memcpy(grown + offset, data, bytes);
    }
    code->params = grown;
    code->params_bytes = offset + bytes;
    code->params_alignment =
        alignment > code->params_alignment ? alignment : code->params_alignment;
    return offset;
}

void oribi_target_set_scratch(oribi_target_code *code, size_t bytes)
{
    if (code != NULL) {
        code->scratch_bytes = bytes;
    }
}

void oribi_target_set_cost_us(oribi_target_code *code, int64_t us)
{
    if (code != NULL) {
        code->us = us > 0 ? us : 0;
    }
}

void oribi_target_refuse(oribi_target_code *code, int32_t node, const char *why, TF_Status *status)
{
    /* An answer about the region, whatever failed before it was found. */
    if (!ORIBI_GIVEN(status, code, why)) {
        return;
    }
    code->refusal = oribi_arena_strdup(code->arena, why);
    code->refused = node >= 0 ? node : -1;
    if (code->refusal == NULL) {
        oribi_fail_memory(status);
    }
}

void oribi_target_share_scratch(oribi_target_code *code, const oribi_target_scratch *scratch,
                                TF_Status *status)
{
    if (!is_given(__func__, "code, scratch", code, scratch, status)) {
        return;
    }
    const oribi_target_scratch *s = scratch;
    if (s->struct_size < sizeof *s || code->own != NULL || s->bytes > INT32_MAX ||
        s->n_places < 0 || s->n_places > ORIBI_SHARED_MAX || s->n_until < 0 ||
        s->n_until > s->n_places || (s->n_places > 0 && s->places == NULL) ||
        (s->n_until > 0 && s->until == NULL)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "shared scratch is a target's, of less than 2 GiB, with the places of at most "
                   "%d tensors",
                   (int)ORIBI_SHARED_MAX);
        return;
    }
    oribi_target_scratch *made = oribi_arena_memdup(code->arena, s, sizeof *s);
    const int64_t *places =
        oribi_arena_memdup(code->arena, s->places, (size_t)s->n_places * sizeof *places);
    const int64_t *until =
        oribi_arena_memdup(code->arena, s->until, (size_t)s->n_until * sizeof *until);
    if (made == NULL || places == NULL || until == NULL) {
        oribi_fail_memory(status);
        return;
    }
    made->places = places;
    made->until = until;
    code->shared = made;
    code->scratch_bytes = s->bytes;
}

void oribi_target_set_body(oribi_target_code *code, const char *declarations, const char *body,
                           TF_Status *status)
{
    if (!is_given(__func__, "code, body", code, body, status)) {
        return;
    }
    const char *first = oribi_arena_strdup(code->arena, declarations != NULL ? declarations : "");
    const char *second = oribi_arena_strdup(code->arena, body);
    if (first == NULL || second == NULL) {
        oribi_fail_memory(status);
        return;
    }
    code->declarations = first;
    code->body = second;
}
