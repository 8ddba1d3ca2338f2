/* SPDX-License-Identifier: Apache-2.0 */
/* Graph: life cycle, limits, names, sources. Values are in value.c, constants in graph_constant.c,
 * nodes in node.c, changes in graph_edit.c, execution order in graph_order.c.
 */
#include "graph/graph_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/patience.h"

oribi_graph *oribi_graph_create(TF_Status *status)
{
    oribi_graph *graph = oribi_claim_zero(1, sizeof(*graph), status);
    if (graph == NULL) {
        return NULL;
    }
    oribi_arena_init(&graph->arena);
    graph->max_nodes = ORIBI_GRAPH_MAX_NODES;
    graph->source_name = "";
    graph->source_kind = "";
    graph->producer = "";
    return graph;
}

struct oribi_kept_tensor {
    TF_Tensor *tensor;
    struct oribi_kept_tensor *next;
};

bool oribi_graph_keep_tensor(oribi_graph *graph, TF_Tensor *tensor, TF_Status *status)
{
    struct oribi_kept_tensor *kept = oribi_arena_array(&graph->arena, 1, sizeof(*kept));
    if (kept == NULL) {
        TF_DeleteTensor(tensor);
        return oribi_fail_memory(status);
    }
    kept->tensor = tensor;
    kept->next = graph->kept;
    graph->kept = kept;
    return true;
}

void oribi_graph_destroy(oribi_graph *graph)
{
    if (graph == NULL) {
        return;
    }
    for (int32_t i = 0; i < graph->n_values; i++) {
        oribi_constant *constant = graph->values[i]->constant;
        if (constant != NULL) {
            TF_DeleteTensor(constant->dense);
            oribi_source_release(constant->source);
        }
    }
    for (struct oribi_kept_tensor *kept = graph->kept; kept != NULL; kept = kept->next) {
        TF_DeleteTensor(kept->tensor);
    }
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        for (int32_t k = 0; k < graph->nodes[i]->n_bodies; k++) {
            oribi_graph_destroy(graph->nodes[i]->bodies[k].graph);
        }
    }
    oribi_free(graph->nodes);
    oribi_free(graph->values);
    oribi_free(graph->order);
    oribi_free(graph->inputs);
    oribi_free(graph->outputs);
    oribi_free(graph->next_outputs);
    oribi_free(graph->input_names);
    oribi_free(graph->output_names);
    oribi_free(graph->input_quantisation);
    oribi_free(graph->output_quantisation);
    oribi_free(graph->states);
    oribi_map_destroy(&graph->names);
    oribi_map_destroy(&graph->packed);
    oribi_source_release(graph->packed_source);
    oribi_arena_destroy(&graph->arena);
    oribi_free(graph);
}

bool oribi_graph_charge(oribi_graph *graph, uint64_t bytes, TF_Status *status)
{
    uint64_t held = graph->made_bytes + graph->arena.used_bytes;
    if (graph->max_bytes != 0 && (held > graph->max_bytes || bytes > graph->max_bytes - held)) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "model '%s' needs at least %" PRIu64 " bytes, but the limit is %" PRIu64
                          "; raise the memory limit",
                          graph->source_name, bytes < UINT64_MAX - held ? held + bytes : UINT64_MAX,
                          graph->max_bytes);
    }
    ORIBI_TRY(oribi_patience_left(status)); /* whatever makes a graph larger comes by here */
    graph->made_bytes += bytes;
    return true;
}

bool oribi_graph_charge_arg(void *graph, uint64_t bytes, TF_Status *status)
{
    return oribi_graph_charge(graph, bytes, status);
}

bool oribi_graph_add_metadata(oribi_graph *graph, const char *key, size_t key_bytes,
                              const char *value, size_t value_bytes, TF_Status *status)
{
    oribi_metadata **end = graph->metadata_end != NULL ? graph->metadata_end : &graph->metadata;
    ORIBI_TRY(oribi_graph_charge(graph, key_bytes, status) &&
              oribi_graph_charge(graph, value_bytes, status));
    oribi_metadata *made = oribi_claim_array(&graph->arena, 1, sizeof *made, status);
    ORIBI_TRY(made != NULL);
    made->key = oribi_arena_strndup(&graph->arena, key_bytes > 0 ? key : "", key_bytes);
    made->value = oribi_arena_strndup(&graph->arena, value_bytes > 0 ? value : "", value_bytes);
    if (made->key == NULL || made->value == NULL) {
        return oribi_fail_memory(status);
    }
    *end = made;
    graph->metadata_end = &made->next;
    return true;
}

bool oribi_graph_grow(void **array, int32_t count, int32_t *capacity, size_t size,
                      TF_Status *status)
{
    if (count < *capacity) {
        return true;
    }
    if (count > INT32_MAX / 2 - 8) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "a graph holds at most %d things of a kind", INT32_MAX / 2);
    }
    int32_t wanted = count < 8 ? 8 : count + count / 2;
    void *grown = oribi_realloc_array(*array, (size_t)wanted, size);
    ORIBI_TRY(grown != NULL || oribi_fail_memory(status));
    *array = grown;
    *capacity = wanted;
    return true;
}

/* A name maps to (next suffix to try << 2 | who uses it), so that many equal names stay cheap. */
const char *oribi_graph_unique_name(oribi_graph *graph, const char *name, uintptr_t user,
                                    TF_Status *status)
{
    enum { USER_BITS = 2 };
    const char *base = name == NULL || name[0] == '\0' ? "unnamed" : name;
    const char *candidate = base;
    uintptr_t taken = (uintptr_t)oribi_map_get(&graph->names, base);
    uintptr_t suffix = taken >> USER_BITS;
    char text[256];
    while (((uintptr_t)oribi_map_get(&graph->names, candidate) & user) != 0) {
        suffix++;
        snprintf(text, sizeof(text), "%.200s_%" PRIuPTR, base, suffix);
        candidate = text;
    }
    if (candidate != base &&
        !oribi_map_put(&graph->names, base, (void *)((suffix << USER_BITS) | (taken & 3)))) {
        oribi_fail_memory(status);
        return NULL;
    }
    uintptr_t before = (uintptr_t)oribi_map_get(&graph->names, candidate);
    char *kept = oribi_arena_strdup(&graph->arena, candidate);
    if (kept == NULL || !oribi_map_put(&graph->names, kept, (void *)(before | user))) {
        oribi_fail_memory(status);
        return NULL;
    }
    return kept;
}
