/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a plan: from a record of requests, which values share storage, and where each lives.
 *
 * Values that a kernel forwards or sets as views join the class of their source when that is safe;
 * each class is one buffer for the planner (src/plan/plan.h), a graph output's buffer, or nothing.
 * Not here: concatenations (plan_concat.c), the cache (plan_cache.c).
 */
#include "session/session_plan_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "session/batch/batch.h"

enum { NO_BUFFER = -1 };

int32_t oribi_plan_root(oribi_plan_builder *builder, int32_t item)
{
    while (builder->items[item].parent != item) {
        builder->items[item].parent = builder->items[builder->items[item].parent].parent;
        item = builder->items[item].parent;
    }
    return item;
}

void oribi_plan_unite(oribi_plan_builder *builder, int32_t to, int32_t item)
{
    oribi_plan_item *a = &builder->items[oribi_plan_root(builder, to)];
    oribi_plan_item *b = &builder->items[oribi_plan_root(builder, item)];
    if (a == b) {
        return;
    }
    b->parent = (int32_t)(a - builder->items);
    a->first = b->first < a->first ? b->first : a->first;
    a->last = b->last > a->last ? b->last : a->last;
    a->bytes = b->bytes > a->bytes ? b->bytes : a->bytes;
    a->output = a->output >= 0 ? a->output : b->output;
    a->crosses = a->crosses > 0 ? a->crosses : b->crosses;
    a->n_members += b->n_members;
}

static bool is_plain_type(TF_DataType dtype)
{
    return dtype != TF_STRING && dtype != TF_RESOURCE && dtype != TF_VARIANT;
}

static void init_values(oribi_plan_builder *builder)
{
    const oribi_session *session = builder->session;
    for (int32_t i = 0; i < session->n_values; i++) {
        const oribi_session_value *value = &session->values[i];
        const oribi_wish *wish = &builder->plan->record->values[i];
        const bool is_stored = value->producer >= 0 && is_plain_type(value->dtype) &&
                               wish->kind != ORIBI_WISH_NONE && wish->kind != ORIBI_WISH_EXTERNAL &&
                               wish->rank <= ORIBI_INLINE_RANK;
        builder->items[i] = (oribi_plan_item){.parent = i,
                                              .is_stored = is_stored,
                                              .first = value->first_use,
                                              .last = value->last_use,
                                              .bytes = wish->bytes,
                                              .output = -1,
                                              .n_members = 1,
                                              .buffer = NO_BUFFER,
                                              .device = value->device,
                                              .crosses = value->crosses};
    }
    for (int32_t i = session->n_outputs - 1; i >= 0; i--) { /* the first of a value counts */
        builder->items[session->outputs[i]].output = i;
    }
}

/* What a loop over a batch reads and makes is there in all of its turns. */
static void extend_lives(oribi_plan_builder *builder)
{
    const oribi_batch *batch = builder->plan->record->batch;
    for (int32_t i = 0; batch != NULL && i < batch->n_loops; i++) {
        const oribi_batch_loop *loop = &batch->loops[i];
        for (int32_t k = 0; k < loop->n_border; k++) {
            oribi_plan_item *item = &builder->items[loop->border[k].value];
            item->first = item->first < loop->first ? item->first : loop->first;
            item->last = item->last > loop->end - 1 ? item->last : loop->end - 1;
        }
    }
}

/* Slots of temporaries, by step and ordinal; one that is missing or escapes has no bytes. */
static bool init_temps(oribi_plan_builder *builder, int32_t n_temps)
{
    oribi_plan *plan = builder->plan;
    const oribi_session *session = builder->session;
    int32_t at = session->n_values;
    for (int32_t s = 0; s < session->n_steps; s++) {
        plan->steps[s].first_temp = at;
        at += plan->steps[s].n_temps;
    }
    if (at != session->n_values + n_temps) {
        return false;
    }
    for (int32_t i = session->n_values; i < at; i++) {
        builder->items[i] = (oribi_plan_item){
            .parent = i, .output = -1, .n_members = 1, .buffer = NO_BUFFER, .is_stored = true};
    }
    for (const oribi_temp_wish *temp = plan->record->temps; temp != NULL; temp = temp->next) {
        oribi_plan_item *item = &builder->items[plan->steps[temp->step].first_temp + temp->ordinal];
        item->device = session->steps[temp->step].device;
        item->first = temp->step;
        item->last = session->steps[temp->step].until;
        item->bytes = temp->escapes ? 0 : temp->bytes;
    }
    return true;
}

/* May output v of step take over input u in place? */
static bool may_forward(oribi_plan_builder *builder, int32_t step, int32_t u, int32_t v)
{
    const oribi_session_value *value = &builder->session->values[u];
    const oribi_plan_item *item = &builder->items[oribi_plan_root(builder, u)];
    return builder->session->steps[step].flight < 0 &&
           !oribi_batch_apart(builder->plan->record->batch, step, u, v) && value->producer >= 0 &&
           value->n_uses == 1 && !value->is_output &&
           builder->items[u].device == builder->items[v].device && builder->items[u].is_stored &&
           builder->items[v].is_stored && value->dtype == builder->session->values[v].dtype &&
           item->last <= step && item->output < 0 &&
           builder->items[u].bytes >= builder->items[v].bytes;
}

static int32_t temp_slot(const oribi_plan *plan, int32_t step, int32_t ordinal)
{
    const oribi_temp_wish *temp = oribi_record_find_temp(plan->record, step, ordinal);
    return temp != NULL && !temp->escapes ? plan->steps[step].first_temp + ordinal : -1;
}

/* Request that the plan expects for output v of step, and the class it joins. */
static uint8_t join_class(oribi_plan_builder *builder, int32_t step, int32_t v)
{
    const oribi_wish *wish = &builder->plan->record->values[v];
    oribi_plan_item *item = &builder->items[v];
    if (!item->is_stored) {
        return ORIBI_REQUEST_UNKNOWN;
    }
    if (wish->kind == ORIBI_WISH_FORWARD) {
        const int32_t u = builder->session->steps[step].inputs[wish->from];
        if (!may_forward(builder, step, u, v)) {
            return ORIBI_REQUEST_ALLOCATE;
        }
        oribi_plan_unite(builder, u, v);
        return ORIBI_REQUEST_FORWARD;
    }
    int32_t source = -1;
    if (wish->kind == ORIBI_WISH_VIEW) {
        source = wish->from;
    } else if (wish->kind == ORIBI_WISH_TEMP) {
        source = temp_slot(builder->plan, step, wish->from);
    } else {
        return ORIBI_REQUEST_ALLOCATE;
    }
    if (source < 0 || !builder->items[source].is_stored || source == v ||
        oribi_batch_apart(builder->plan->record->batch, step,
                          source < builder->session->n_values ? source : v, v) ||
        builder->items[source].device != item->device) {
        return ORIBI_REQUEST_ALLOCATE; /* copied to a place of its own */
    }
    const oribi_plan_item *class = &builder->items[oribi_plan_root(builder, source)];
    if ((class->output >= 0 && item->output >= 0) || builder->items[source].bytes < item->bytes) {
        return ORIBI_REQUEST_ALLOCATE;
    }
    oribi_plan_unite(builder, source, v);
    return ORIBI_REQUEST_VIEW;
}

static void join_classes(oribi_plan_builder *builder)
{
    const oribi_session *session = builder->session;
    for (int32_t s = 0; s < session->n_steps; s++) {
        for (int32_t i = 0; i < session->steps[s].node->n_outputs; i++) {
            const int32_t v = session->steps[s].outputs[i];
            const oribi_wish *wish = &builder->plan->record->values[v];
            oribi_place *place = &builder->plan->places[v];
            place->request = join_class(builder, s, v);
            place->forward_from = place->request == ORIBI_REQUEST_FORWARD ? wish->from : -1;
            place->is_settled = wish->kind != ORIBI_WISH_GUESS && wish->kind != ORIBI_WISH_NONE;
        }
    }
}

bool oribi_plan_is_planned(const oribi_plan_builder *builder, int32_t item, int32_t device,
                           int32_t crosses)
{
    const oribi_plan_item *root = &builder->items[item];
    return root->parent == item && root->is_stored && root->output < 0 && root->bytes > 0 &&
           root->device == device && root->crosses == crosses;
}

bool oribi_plan_add_buffer(const oribi_plan_item *item, size_t alignment, oribi_plan_buffer *out,
                           size_t *total, TF_Status *status)
{
    size_t bytes = 0;
    if (!oribi_size_round_up(item->bytes, alignment, &bytes) ||
        !oribi_size_add(*total, bytes, total)) {
        return oribi_fail(
            status, TF_RESOURCE_EXHAUSTED,
            "the tensors of a run exceed %zu bytes together; give inputs with smaller shapes",
            (size_t)PTRDIFF_MAX);
    }
    *out = (oribi_plan_buffer){.bytes = bytes,
                               .alignment = alignment,
                               .first_use = item->first,
                               .last_use = item->last > item->first ? item->last : item->first,
                               .allowed_pools = 1};
    return true;
}

static bool place_in_arena(oribi_plan_builder *builder, TF_Status *status)
{
    oribi_plan *plan = builder->plan;
    int32_t n = 0;
    bool ok = false;
    size_t total = 0;
    oribi_plan_buffer *buffers =
        oribi_claim_zero((size_t)builder->n_items + 1, sizeof *buffers, status);
    ORIBI_TRY(buffers != NULL);
    for (int32_t i = 0; i < builder->n_items; i++) {
        oribi_plan_item *item = &builder->items[i];
        if (oribi_plan_is_planned(builder, i, 0, 0)) {
            item->buffer = n;
            if (!oribi_plan_add_buffer(item, ORIBI_TENSOR_ALIGNMENT, &buffers[n++], &total,
                                       status)) {
                oribi_free(buffers);
                return false;
            }
        }
    }
    oribi_plan_pool pool = {.max_bytes = builder->session->meter->max_bytes};
    if (n == 0 || oribi_plan_memory(buffers, n, NULL, 0, &pool, 1, &plan->bounds, status)) {
        plan->arena_bytes = (size_t)pool.out_bytes;
        for (int32_t i = 0; i < builder->n_items; i++) {
            if (builder->items[i].buffer != NO_BUFFER) {
                plan->places[i].offset = (size_t)buffers[builder->items[i].buffer].out_offset;
            }
        }
        ok = true;
    }
    oribi_free(buffers);
    return ok;
}

static uint8_t storage_of(const oribi_plan_builder *builder, int32_t i, int32_t root)
{
    const oribi_session *session = builder->session;
    if (i < session->n_values && session->values[i].is_constant) {
        return ORIBI_STORAGE_CONSTANT;
    }
    if (i < session->n_values && session->values[i].is_input) {
        return ORIBI_STORAGE_CALLER;
    }
    if (!builder->items[i].is_stored) {
        return ORIBI_STORAGE_NONE;
    }
    return builder->items[root].output >= 0 ? ORIBI_STORAGE_OUTPUT : ORIBI_STORAGE_ARENA;
}

static void fill_places(oribi_plan_builder *builder)
{
    oribi_plan *plan = builder->plan;
    for (int32_t i = 0; i < builder->n_items; i++) {
        const int32_t root = oribi_plan_root(builder, i);
        const oribi_plan_item *item = &builder->items[i];
        oribi_place *place = &plan->places[i];
        place->storage = storage_of(builder, i, root);
        place->output = builder->items[root].output;
        place->offset = plan->places[root].offset + item->piece_offset;
        place->unit = plan->places[root].unit;
        place->device = item->device;
        place->row_stride = item->row_stride;
        place->rank = -1;
        if (place->storage != ORIBI_STORAGE_ARENA && place->storage != ORIBI_STORAGE_OUTPUT) {
            place->request = ORIBI_REQUEST_UNKNOWN;
            place->output = -1;
            continue;
        }
        place->capacity = item->is_piece ? 0 : builder->items[root].bytes;
        if (i < plan->n_values) {
            const oribi_wish *wish = &plan->record->values[i];
            place->rank = wish->rank;
            memcpy(place->dims, wish->dims, sizeof place->dims);
            /* what is stored has its dims inline, and they were multiplied before */
            (void)oribi_size_of_dims(wish->dims, wish->rank,
                                     oribi_dtype_bytes(builder->session->values[i].dtype),
                                     &place->bytes);
        }
        if (place->storage == ORIBI_STORAGE_OUTPUT) {
            plan->first_output_item[place->output + 2]++;
            plan->output_bytes[place->output] = builder->items[root].bytes;
        }
    }
}

/* By output, so that a run walks each item once however many outputs there are. */
static void list_output_items(const oribi_plan_builder *builder)
{
    oribi_plan *plan = builder->plan;
    int32_t *first = plan->first_output_item; /* counts, two places on */
    for (int32_t i = 0; i < builder->session->n_outputs; i++) {
        first[i + 2] += first[i + 1];
    }
    for (int32_t i = 0; i < builder->n_items; i++) {
        if (plan->places[i].storage == ORIBI_STORAGE_OUTPUT) {
            plan->output_items[first[plan->places[i].output + 1]++] = i;
        }
    }
}

static bool init_steps(oribi_plan *plan, const oribi_session *session, int32_t *out_n_temps)
{
    plan->steps =
        oribi_arena_array(&plan->arena, (size_t)session->n_steps + 1, sizeof *plan->steps);
    plan->is_placed = oribi_arena_array(&plan->arena, (size_t)session->n_steps + 1, sizeof(bool));
    if (plan->steps == NULL || plan->is_placed == NULL) {
        return false;
    }
    plan->n_steps = session->n_steps;
    for (int32_t s = 0; s < session->n_steps; s++) {
        oribi_session_step *step = &session->steps[s];
        plan->steps[s] = (oribi_step_io){.compute = step->kernel.def->compute,
                                         .state = step->kernel.state,
                                         .kernel = &step->kernel,
                                         .inputs = step->inputs,
                                         .outputs = step->outputs,
                                         .device = step->device,
                                         .n_inputs = step->node->n_inputs,
                                         .n_outputs = step->node->n_outputs};
    }
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_batch *batch = plan->record->batch;
        plan->is_placed[s] = session->steps[s].n_bodies > 0 ||
                             (batch != NULL && batch->loop_of[s] >= 0 && batch->viewed[s] >= 0);
        plan->steps[s].direct = plan->is_placed[s] ? NULL : plan->steps[s].compute;
    }
    *out_n_temps = 0;
    for (const oribi_temp_wish *temp = plan->record->temps; temp != NULL; temp = temp->next) {
        int32_t *n = &plan->steps[temp->step].n_temps;
        if (temp->ordinal >= *n) {
            *out_n_temps += temp->ordinal + 1 - *n;
            *n = temp->ordinal + 1;
        }
    }
    return true;
}

static bool copy_shapes(oribi_plan *plan, const oribi_session *session, const oribi_shape *shapes)
{
    const size_t n = (size_t)session->n_inputs;
    plan->input_shapes = oribi_arena_array(&plan->arena, n + 1, sizeof *plan->input_shapes);
    plan->output_bytes =
        oribi_arena_array(&plan->arena, (size_t)session->n_outputs + 1, sizeof(size_t));
    if (plan->input_shapes == NULL || plan->output_bytes == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!oribi_shape_copy(&plan->arena, shapes[i].dims, shapes[i].rank,
                              &plan->input_shapes[i])) {
            return false;
        }
    }
    for (int32_t i = 0; i < session->n_outputs; i++) {
        plan->output_bytes[i] = SIZE_MAX;
    }
    return true;
}

/* What planning takes while it lasts: items here, buffers and their tree or their conflicts below
 * (src/plan/planner_internal.h), which are capped. */
static uint64_t planner_bytes(uint64_t n_items)
{
    enum { BYTES_OF_BUFFER = 256 }; /* of all arrays of the planner that have one element each */
    return n_items * (sizeof(oribi_plan_item) + sizeof(oribi_plan_buffer) + BYTES_OF_BUFFER);
}

oribi_plan *oribi_plan_build(const oribi_session *session, const oribi_shape *input_shapes,
                             oribi_record *record, TF_Status *status)
{
    oribi_plan_builder builder = {.session = session};
    int32_t n_temps = 0;
    uint64_t working = 0;
    bool ok = false;
    oribi_plan *plan = oribi_alloc_zero(1, sizeof *plan);
    if (plan == NULL) {
        oribi_record_destroy(record);
        oribi_fail_memory(status);
        return NULL;
    }
    atomic_init(&plan->references, 1);
    plan->record = record;
    plan->n_values = session->n_values;
    builder.plan = plan;
    if (!copy_shapes(plan, session, input_shapes) || !init_steps(plan, session, &n_temps)) {
        oribi_fail_memory(status);
        goto done;
    }
    plan->n_temps = n_temps;
    working = planner_bytes((uint64_t)session->n_values + (uint64_t)n_temps);
    if (!oribi_meter_charge(session->meter, working, "planning memory", status)) {
        working = 0;
        goto done;
    }
    builder.n_items = session->n_values + n_temps;
    builder.items = oribi_alloc_zero((size_t)builder.n_items + 1, sizeof *builder.items);
    plan->places =
        oribi_arena_array(&plan->arena, (size_t)builder.n_items + 1, sizeof *plan->places);
    plan->output_items =
        oribi_arena_array(&plan->arena, (size_t)builder.n_items + 1, sizeof(int32_t));
    plan->first_output_item =
        oribi_arena_array(&plan->arena, (size_t)session->n_outputs + 2, sizeof(int32_t));
    if (builder.items == NULL || plan->places == NULL || plan->output_items == NULL ||
        plan->first_output_item == NULL) {
        oribi_fail_memory(status);
        goto done;
    }
    init_values(&builder);
    extend_lives(&builder);
    if (!init_temps(&builder, n_temps)) {
        oribi_fail(status, TF_INTERNAL, "the record of temporaries does not add up");
        goto done;
    }
    join_classes(&builder);
    oribi_plan_place_concats(&builder);
    for (int32_t i = 0; i < builder.n_items; i++) {
        plan->places[i].unit = -1;
    }
    ok = place_in_arena(&builder, status) && oribi_plan_place_devices(&builder, status);
    if (ok) {
        fill_places(&builder);
        list_output_items(&builder);
    }
done:
    oribi_meter_discharge(session->meter, working);
    oribi_free(builder.items);
    if (!ok) {
        oribi_plan_release(plan);
        plan = NULL;
    }
    return plan;
}
