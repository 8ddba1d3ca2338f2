/* SPDX-License-Identifier: Apache-2.0 */
/* What the shape functions know for one set of input shapes, before any kernel ran: the record from
 * which the first plan is built.
 */
#include <string.h>

#include "base/alloc.h"
#include "session/batch/batch.h"
#include "session/session_internal.h"

enum { SMALL_ELEMENTS = 1024 };

/* Constants that shape functions read: shapes, axes, paddings. */
static bool is_small(const oribi_value *value)
{
    const oribi_constant *constant = value->constant;
    if (constant == NULL || constant->view.rank > 2 || constant->view.dtype == TF_STRING) {
        return false;
    }
    int64_t count = 1;
    for (int32_t i = 0; i < constant->view.rank; i++) {
        count *=
            constant->view.dims[i] <= SMALL_ELEMENTS ? constant->view.dims[i] : SMALL_ELEMENTS + 1;
    }
    return count <= SMALL_ELEMENTS;
}

typedef struct guess {
    const oribi_session *session;
    oribi_arena arena;
    oribi_shape *shapes; /* n_values */
} guess;

static bool infer_step(guess *work, const oribi_session_step *step, TF_Status *status)
{
    const oribi_node *node = step->node;
    const size_t n = (size_t)node->n_inputs;
    if (step->transfer != NULL) {
        work->shapes[step->outputs[0]] = work->shapes[step->inputs[0]];
        return true;
    }
    bool ok = false;
    oribi_shape *in = oribi_claim_array(&work->arena, n + 1, sizeof *in, status);
    oribi_shape *out =
        oribi_claim_array(&work->arena, (size_t)node->n_outputs + 1, sizeof *out, status);
    oribi_handle_data *handles = oribi_claim_array(&work->arena, n + 1, sizeof *handles, status);
    TF_Tensor **constants = oribi_claim_array(&work->arena, n + 1, sizeof(TF_Tensor *), status);
    TF_Quantisation *units = oribi_claim_array(&work->arena, n + 1, sizeof *units, status);
    ORIBI_TRY(in != NULL && out != NULL && handles != NULL && constants != NULL && units != NULL);
    for (size_t i = 0; i < n; i++) {
        in[i] = (oribi_shape){.rank = -1};
        if (step->inputs[i] < 0) {
            continue;
        }
        in[i] = work->shapes[step->inputs[i]];
        const oribi_value *value = work->session->graph->values[node->inputs[i]];
        handles[i] = value->handle;
        units[i] = oribi_graph_quantisation_view(&value->quantisation);
        handles[i].quantisation = &units[i];
        if (is_small(value)) {
            constants[i] =
                oribi_graph_constant_tensor(work->session->graph, node->inputs[i], status);
            if (constants[i] == NULL) {
                goto done;
            }
        }
    }
    ok = oribi_op_infer_handles(node->op, node->name, &node->attrs, &node->signature, in, handles,
                                constants, NULL, &work->arena, out, NULL, status);
    for (int32_t i = 0; ok && i < node->n_outputs; i++) {
        oribi_shape *shape = &work->shapes[step->outputs[i]];
        if (!oribi_shape_is_full(shape)) {
            *shape = out[i];
        }
    }
done:
    for (size_t i = 0; i < n; i++) {
        TF_DeleteTensor(constants[i]);
    }
    return ok;
}

static bool needs_inference(const guess *work, const oribi_session_step *step)
{
    for (int32_t i = 0; i < step->node->n_outputs; i++) {
        if (!oribi_shape_is_full(&work->shapes[step->outputs[i]])) {
            return true;
        }
    }
    return false;
}

static void set_guess(oribi_wish *wish, const oribi_shape *shape, TF_DataType dtype)
{
    size_t bytes = 0;
    wish->from = -1;
    wish->rank = -1;
    if (!oribi_shape_is_full(shape) || shape->rank > ORIBI_INLINE_RANK ||
        !oribi_size_of_dims(shape->dims, shape->rank, oribi_dtype_bytes(dtype), &bytes)) {
        return;
    }
    wish->kind = ORIBI_WISH_GUESS;
    wish->rank = shape->rank;
    wish->bytes = bytes;
    for (int32_t k = 0; k < shape->rank; k++) {
        wish->dims[k] = shape->dims[k];
    }
}

/* What lives and dies among steps that take a batch in turns is as large as one turn; a view is
 * what it looks at. */
static bool guess_batch(guess *work, oribi_record *record, bool is_whole, TF_Status *status)
{
    const oribi_session *session = work->session;
    oribi_batch *batch = NULL;
    ORIBI_TRY(oribi_batch_find(session, work->shapes, &batch, status));
    if (batch == NULL || is_whole) {
        record->is_whole = batch != NULL;
        oribi_batch_release(batch);
        return true;
    }
    record->batch = batch;
    for (int32_t i = 0; i < session->n_values; i++) {
        const int64_t images = oribi_batch_images_of(batch, session, i);
        if (images > 0) {
            oribi_shape one;
            ORIBI_TRY(
                oribi_shape_copy(&work->arena, work->shapes[i].dims, work->shapes[i].rank, &one) ||
                oribi_fail_memory(status));
            one.dims[0] = images;
            set_guess(&record->values[i], &one, session->values[i].dtype);
        }
    }
    for (int32_t s = 0; s < session->n_steps; s++) {
        if (batch->loop_of[s] >= 0 && batch->viewed[s] >= 0) {
            record->values[session->steps[s].outputs[0]].kind = ORIBI_WISH_VIEW;
            record->values[session->steps[s].outputs[0]].from = batch->viewed[s];
        }
    }
    return true;
}

oribi_record *oribi_plan_guess(const oribi_session *session, const oribi_shape *input_shapes,
                               bool is_whole, TF_Status *status)
{
    guess work = {.session = session};
    bool ok = false;
    oribi_record *record = oribi_record_create(session->n_values, session->n_steps, status);
    if (record == NULL) {
        return NULL;
    }
    work.shapes =
        oribi_arena_array(&work.arena, (size_t)session->n_values + 1, sizeof *work.shapes);
    if (work.shapes == NULL) {
        oribi_fail_memory(status);
        goto done;
    }
    for (int32_t i = 0; i < session->n_values; i++) {
        work.shapes[i] = session->values[i].shape;
    }
    for (int32_t i = 0; i < session->n_inputs; i++) {
        work.shapes[session->inputs[i]] = input_shapes[i];
    }
    for (int32_t s = 0; s < session->n_steps; s++) {
        if (needs_inference(&work, &session->steps[s]) &&
            (!oribi_patience_left(status) || !infer_step(&work, &session->steps[s], status))) {
            goto done;
        }
    }
    for (int32_t i = 0; i < session->n_values; i++) {
        set_guess(&record->values[i], &work.shapes[i], session->values[i].dtype);
    }
    ok = guess_batch(&work, record, is_whole, status);
done:
    oribi_arena_destroy(&work.arena);
    if (!ok) {
        oribi_record_destroy(record);
        record = NULL;
    }
    return record;
}
