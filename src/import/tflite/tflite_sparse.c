/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse constants become dense ones when a model is read. A file stores a tensor's dimensions, and
 * those of blocks within it, as levels of a tree: a dense level has all its places, a sparse one
 * lists them (segments say whose they are). The leaves are the elements, in order. Source   schema
 * version 3, SparsityParameters.
 */
#include "import/tflite/tflite.h"

#include <string.h>

enum { DENSE = 0, SPARSE = 1, MOST_LEVELS = 2 * ORIBI_MAX_RANK };

typedef struct list { /* of int32, uint16 or uint8 */
    oribi_flat_vector vector;
    size_t width;
} list;

typedef struct level {
    int64_t kind, size; /* of a dense one */
    list segments, places;
    int32_t axis;   /* of the tensor */
    int64_t stride; /* elements of the axis that one place is */
} level;

typedef struct expansion {
    oribi_tflite_node *n;
    const oribi_tflite_tensor *tensor;
    oribi_dims dims;
    level *levels;
    int32_t n_levels;
    size_t element;
    uint32_t taken; /* elements of the file */
    uint8_t *out;
    oribi_dims at; /* the place, by axis */
} expansion;

static bool broken(expansion *e, const char *what)
{
    return oribi_tflite_fail(e->n, TF_INVALID_ARGUMENT, "a sparse constant %s (tensor at byte %zu)",
                             what, e->tensor->offset);
}

static bool read_list(expansion *e, const oribi_flat_table *table, int field, list *out)
{
    static const size_t widths[] = {0, 4, 2, 1};
    oribi_flat_table values = {0};
    int64_t type = 0;
    TF_Status *status = e->n->status;
    if (!oribi_flat_read_int(table, field, 1, false, 0, "a kind of indices", &type, status) ||
        !oribi_flat_read_table(table, field + 1, "indices", &values, status)) {
        e->n->failed = true;
        return false;
    }
    if (type < 1 || type > 3) {
        return broken(e, "has indices of no known kind");
    }
    out->width = widths[type];
    if (!oribi_flat_read_vector(&values, 0, out->width, "indices", &out->vector, status) ||
        !oribi_tflite_spend(e->n->tflite, out->vector.count, status)) {
        e->n->failed = true;
        return false;
    }
    return true;
}

/* Element i, which is there. */
static int64_t list_at(const list *l, uint32_t i)
{
    const uint8_t *at = l->vector.file->data + l->vector.at + (size_t)i * l->width;
    return l->width == 4   ? oribi_flat_int32_at(&l->vector, i)
           : l->width == 2 ? at[0] | at[1] << 8
                           : at[0];
}

static bool read_level(expansion *e, const oribi_flat_vector *metadata, uint32_t i, level *out)
{
    oribi_flat_table table = {0};
    TF_Status *status = e->n->status;
    if (!oribi_flat_table_at(metadata, i, "a dimension", &table, status) ||
        !oribi_flat_read_int(&table, 0, 1, false, 0, "a format", &out->kind, status) ||
        !oribi_flat_read_int(&table, 1, 4, true, 0, "a size", &out->size, status)) {
        e->n->failed = true;
        return false;
    }
    if (out->kind == DENSE) {
        return out->size >= 0 || broken(e, "has a dimension below 0");
    }
    return out->kind == SPARSE
               ? read_list(e, &table, 2, &out->segments) && read_list(e, &table, 4, &out->places)
               : broken(e, "has a dimension of no known format");
}

/* Which axis each level walks: the tensor's come first in the numbers, blocks behind them. */
static bool place_levels(expansion *e, const oribi_flat_vector *order,
                         const oribi_flat_vector *blocks)
{
    const int32_t rank = e->dims.n;
    oribi_dims block = {.n = rank};
    for (int32_t i = 0; i < rank; i++) {
        block.at[i] = 1;
    }
    for (int32_t pass = 0; pass < 2; pass++) { /* sizes of blocks are strides of what is outside */
        for (int32_t i = 0; i < e->n_levels; i++) {
            level *l = &e->levels[i];
            const int32_t number = oribi_flat_int32_at(order, (uint32_t)i);
            const bool is_block = number >= rank;
            const int64_t k = is_block ? (int64_t)number - rank : 0;
            if (number < 0 || k >= (is_block ? (int64_t)blocks->count : 1)) {
                return broken(e, "has levels of dimensions that it has not");
            }
            l->axis = is_block ? oribi_flat_int32_at(blocks, (uint32_t)k) : number;
            if (l->axis < 0 || l->axis >= rank || (is_block && l->kind != DENSE)) {
                return broken(e, "has blocks that it cannot have");
            }
            l->stride = is_block ? 1 : block.at[l->axis];
            if (is_block && pass == 0) {
                block.at[l->axis] = l->size;
            }
        }
    }
    return true;
}

static bool put(expansion *e)
{
    size_t to = 0;
    for (int32_t i = 0; i < e->dims.n; i++) {
        if (e->at.at[i] >= e->dims.at[i]) {
            return broken(e, "has an element outside its shape");
        }
        to = to * (size_t)e->dims.at[i] + (size_t)e->at.at[i];
    }
    if (e->taken >= e->tensor->data.count / e->element) {
        return broken(e, "has fewer elements than places");
    }
    memcpy(e->out + to * e->element,
           e->tensor->data.file->data + e->tensor->data.at + e->taken * e->element, e->element);
    e->taken++;
    return true;
}

/* Everything below place `from` of the level before. */
static bool walk(expansion *e, int32_t depth, int64_t from)
{
    if (depth == e->n_levels) {
        return put(e);
    }
    const level *l = &e->levels[depth];
    int64_t first = 0, last = l->size;
    if (l->kind == SPARSE) {
        if (from + 1 >= (int64_t)l->segments.vector.count) {
            return broken(e, "has too few segments");
        }
        first = list_at(&l->segments, (uint32_t)from);
        last = list_at(&l->segments, (uint32_t)from + 1);
        if (first < 0 || last > (int64_t)l->places.vector.count) {
            return broken(e, "has segments outside its indices");
        }
    }
    if (last > first && !oribi_tflite_spend(e->n->tflite, (uint64_t)(last - first), e->n->status)) {
        e->n->failed = true;
        return false;
    }
    for (int64_t i = first; i < last; i++) {
        const int64_t place = l->kind == SPARSE ? list_at(&l->places, (uint32_t)i) : i;
        const int64_t step = place * l->stride; /* both below 2^31 */
        const int64_t below = l->kind == SPARSE ? i : from * l->size + i;
        if (place < 0 || below > INT32_MAX || e->at.at[l->axis] > INT64_MAX - step) {
            return broken(e, "has an index outside its shape");
        }
        e->at.at[l->axis] += step;
        ORIBI_TRY(walk(e, depth + 1, below));
        e->at.at[l->axis] -= step;
    }
    return true;
}

void *oribi_tflite_expand(oribi_tflite_node *n, const oribi_tflite_tensor *tensor, size_t bytes)
{
    oribi_flat_vector order = {0}, blocks = {0}, metadata = {0};
    expansion e = {.n = n, .tensor = tensor, .element = oribi_dtype_bytes(tensor->dtype)};
    e.dims = oribi_tflite_dims_of(tensor);
    e.at.n = e.dims.n;
    if (!oribi_flat_read_vector(&tensor->sparsity, 0, 4, "an order", &order, n->status) ||
        !oribi_flat_read_vector(&tensor->sparsity, 1, 4, "blocks", &blocks, n->status) ||
        !oribi_flat_read_vector(&tensor->sparsity, 2, 4, "dimensions", &metadata, n->status) ||
        !oribi_graph_charge(n->graph, bytes, n->status)) {
        n->failed = true;
        return NULL;
    }
    if (order.count != metadata.count || order.count != tensor->shape.count + blocks.count ||
        order.count > MOST_LEVELS || tensor->data.file == NULL || tensor->is_packed) {
        (void)broken(&e, "is described in a way that is not supported");
        return NULL;
    }
    e.n_levels = (int32_t)order.count;
    e.levels = oribi_arena_array(&n->tflite->scratch, order.count + 1, sizeof *e.levels);
    e.out = oribi_arena_array(&n->tflite->scratch, bytes + 1, 1);
    if (e.levels == NULL || e.out == NULL) {
        (void)oribi_tflite_no_memory(n);
        return NULL;
    }
    for (uint32_t i = 0; i < order.count; i++) {
        if (!read_level(&e, &metadata, i, &e.levels[i])) {
            return NULL;
        }
    }
    return place_levels(&e, &order, &blocks) && walk(&e, 0, 0) ? e.out : NULL;
}
