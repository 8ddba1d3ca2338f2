/* SPDX-License-Identifier: Apache-2.0 */
/* Loops. The body's inputs are the number of the iteration, the condition, then what is carried;
 * its outputs the condition, what is carried, then what is collected. What is carried goes from
 * output to input as a handle; what is collected is written behind what is there.
 */
#include "session/control/control.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

enum { FEWEST_COLLECTED = 8 };

typedef struct loop {
    oribi_frame *frame;
    const oribi_session_body *body;
    const oribi_step_io *step;
    oribi_child *child;
    oribi_run *run;
    int32_t n_carried, n_collected;
    int64_t trips, done;
    bool goes_on;
    TF_Status *status;
} loop;

static bool read_scalar(const loop *l, int32_t input, const char *what, void *out, size_t bytes)
{
    const oribi_slot *slot = &l->frame->ctx.slots[l->step->inputs[input]];
    if (slot->bytes != bytes) {
        return oribi_fail(l->status, TF_INVALID_ARGUMENT, "the %s must have one element", what);
    }
    memcpy(out, slot->data, bytes);
    return true;
}

static bool fail_stopped(const loop *l)
{
    const bool is_late = oribi_context_why_stop(&l->frame->ctx) == ORIBI_STOP_DEADLINE;
    return oribi_fail(l->status, is_late ? TF_DEADLINE_EXCEEDED : TF_CANCELLED,
                      is_late ? "the run passed its time limit" : "the run was cancelled");
}

/* A scalar in a buffer of the ring, as an input of the body. */
static bool bind_scalar(loop *l, int32_t index, TF_DataType dtype, const void *value, size_t bytes)
{
    oribi_buffer *buffer =
        oribi_ring_take(&l->child->scalars, l->frame->session->meter, sizeof(int64_t), l->status);
    TF_Tensor *tensor = buffer != NULL ? oribi_tensor_handle(dtype, NULL, 0) : NULL;
    if (tensor == NULL) {
        return buffer != NULL ? oribi_fail_memory(l->status) : false;
    }
    memcpy(buffer->data, value, bytes);
    oribi_buffer_retain(buffer);
    tensor->buffer = buffer;
    tensor->data = buffer->data;
    tensor->bytes = bytes;
    l->run->shares[index] = true;
    return oribi_run_bind(l->run, index, tensor, l->status);
}

/* --- What is collected -------------------------------------------------------------------------
 */

static const int64_t *dims_of(const oribi_good_output *good)
{
    return good->rank > ORIBI_INLINE_RANK ? good->dims_heap : good->dims;
}

/* The first element says the shape of all. */
static bool begin_collected(loop *l, int32_t k, const oribi_good_output *good)
{
    oribi_collected *to = &l->child->collected[k];
    if (!oribi_dims_set(&to->dims, dims_of(good), good->rank) || good->rank >= ORIBI_MAX_RANK) {
        return oribi_fail(l->status, TF_INVALID_ARGUMENT,
                          "output %d has rank %d; at most %d is possible", (int)(l->n_carried + k),
                          (int)good->rank + 1, ORIBI_MAX_RANK);
    }
    to->bytes = good->bytes;
    size_t bytes = 0;
    if (!oribi_size_mul(good->bytes, FEWEST_COLLECTED, &bytes)) {
        return oribi_fail_memory(l->status);
    }
    to->buffer = oribi_ring_take(&to->ring, l->frame->session->meter, bytes, l->status);
    return to->buffer != NULL;
}

/* Twice the room, or what the trips want when that is less. */
static bool grow_collected(loop *l, oribi_collected *to)
{
    const size_t used = (size_t)l->done * to->bytes;
    const uint64_t left = (uint64_t)(l->trips - l->done);
    const uint64_t more = left < (uint64_t)l->done ? left : (uint64_t)l->done;
    size_t bytes = 0;
    if (!oribi_size_mul(to->bytes, (size_t)l->done + (size_t)more, &bytes)) {
        return oribi_fail_memory(l->status);
    }
    oribi_buffer *before = to->buffer;
    oribi_buffer_retain(before); /* so that the ring does not give the same */
    to->buffer = oribi_ring_take(&to->ring, l->frame->session->meter, bytes, l->status);
    if (to->buffer != NULL && used > 0) {
        memcpy(to->buffer->data, before->data, used);
    }
    oribi_buffer_release(before);
    return to->buffer != NULL;
}

static bool collect(loop *l, int32_t k)
{
    const oribi_good_output *good = &l->run->good[1 + l->n_carried + k];
    oribi_collected *to = &l->child->collected[k];
    ORIBI_TRY(l->done > 0 || begin_collected(l, k, good));
    bool same = good->rank == to->dims.n && good->bytes == to->bytes;
    for (int32_t i = 0; same && i < good->rank; i++) {
        same = to->dims.at[i] == dims_of(good)[i];
    }
    if (!same) {
        return oribi_fail(l->status, TF_INVALID_ARGUMENT,
                          "output %d has another shape in iteration %" PRId64
                          " than before: a loop collects what is of one shape",
                          (int)(l->n_carried + k), l->done);
    }
    const size_t used = (size_t)l->done * to->bytes;
    ORIBI_TRY(to->bytes <= to->buffer->bytes - used || grow_collected(l, to));
    if (to->bytes > 0) {
        memcpy((char *)to->buffer->data + used, good->data, to->bytes);
    }
    return true;
}

/* Without an iteration nothing says the shape but the body: what it does not know is 0. */
static bool begin_empty(loop *l, int32_t k)
{
    oribi_collected *to = &l->child->collected[k];
    const oribi_session *session = l->body->session;
    const oribi_shape *shape = &session->values[session->outputs[1 + l->n_carried + k]].shape;
    to->dims.n = 0;
    for (int32_t i = 0; i < shape->rank; i++) {
        (void)oribi_dims_add(&to->dims, shape->dims[i] < 0 ? 0 : shape->dims[i]);
    }
    to->bytes = 0;
    to->buffer = oribi_ring_take(&to->ring, l->frame->session->meter, 0, l->status);
    return to->buffer != NULL;
}

static bool give_collected(loop *l, int32_t k)
{
    oribi_collected *from = &l->child->collected[k];
    ORIBI_TRY(l->done > 0 || begin_empty(l, k));
    const int32_t index = l->n_carried + k;
    oribi_dims dims = {.n = 1, .at = {l->done}};
    for (int32_t i = 0; i < from->dims.n; i++) {
        (void)oribi_dims_add(&dims, from->dims.at[i]);
    }
    const TF_DataType dtype = l->frame->ctx.slots[l->step->outputs[index]].dtype;
    TF_Tensor *tensor = oribi_tensor_handle(dtype, dims.at, dims.n);
    if (tensor == NULL) {
        return oribi_fail_memory(l->status);
    }
    oribi_buffer_retain(from->buffer);
    tensor->buffer = from->buffer;
    tensor->data = from->buffer->data;
    tensor->bytes = (size_t)l->done * from->bytes;
    TF_SetOutput(&l->frame->ctx, index, tensor, l->status);
    TF_DeleteTensor(tensor);
    return oribi_ok(l->status);
}

/* --- What is carried ---------------------------------------------------------------------------
 */

static bool carry(loop *l)
{
    oribi_run *run = l->run;
    const oribi_good_output *condition = &run->good[0];
    if (condition->bytes != sizeof(bool)) {
        return oribi_fail(l->status, TF_INVALID_ARGUMENT,
                          "the condition that the body gives has %zu elements; it must have one",
                          condition->bytes);
    }
    l->goes_on = *(const uint8_t *)condition->data != 0;
    for (int32_t i = 0; i < l->n_carried; i++) {
        TF_Tensor *tensor = oribi_run_share_output(run, 1 + i, l->status);
        ORIBI_TRY(tensor != NULL && oribi_run_bind(run, 2 + i, tensor, l->status));
        run->shares[2 + i] = true;
    }
    return true;
}

/* No iteration: the outputs are the inputs, whose memory the plan may give to others. */
static bool give_initial(loop *l, int32_t i)
{
    const oribi_slot *from = &l->frame->ctx.slots[l->step->inputs[2 + i]];
    if (oribi_dtype_owns(from->dtype)) {
        TF_Tensor *tensor = oribi_tensor_share(l->run->inputs[2 + i]);
        if (tensor == NULL) {
            return oribi_fail_memory(l->status);
        }
        TF_SetOutput(&l->frame->ctx, i, tensor, l->status);
        TF_DeleteTensor(tensor);
        return oribi_ok(l->status);
    }
    TF_Tensor *output = TF_AllocateOutput(&l->frame->ctx, i, from->dtype, from->dims, from->rank,
                                          from->bytes, l->status);
    if (output != NULL && from->bytes > 0) {
        memcpy(TF_TensorData(output), from->data, from->bytes);
    }
    TF_DeleteTensor(output);
    return oribi_ok(l->status);
}

/* --- The loop ----------------------------------------------------------------------------------
 */

static bool begin(loop *l)
{
    uint8_t condition = 0;
    ORIBI_TRY(read_scalar(l, 0, "trip count", &l->trips, sizeof l->trips) &&
              read_scalar(l, 1, "condition", &condition, sizeof condition));
    l->goes_on = condition != 0;
    l->child = oribi_control_child(l->frame, l->body, l->status);
    ORIBI_TRY(l->child != NULL);
    l->run = l->child->run;
    if (l->child->collected == NULL && l->n_collected > 0) {
        l->child->collected =
            oribi_claim_zero((size_t)l->n_collected, sizeof *l->child->collected, l->status);
        ORIBI_TRY(l->child->collected != NULL);
        l->child->n_collected = l->n_collected;
    }
    for (int32_t i = 0; i < l->n_carried; i++) {
        ORIBI_TRY(oribi_control_bind(l->frame, l->run, 2 + i, l->step->inputs[2 + i], l->status));
    }
    return oribi_control_bind_captured(l->frame, l->body, l->step, l->run, l->status);
}

static bool iterate(loop *l)
{
    const uint8_t goes_on = 1;
    while (l->goes_on && l->done < l->trips) {
        if (oribi_context_should_stop(&l->frame->ctx)) {
            return fail_stopped(l);
        }
        ORIBI_TRY(bind_scalar(l, 0, TF_INT64, &l->done, sizeof l->done) &&
                  bind_scalar(l, 1, TF_BOOL, &goes_on, sizeof goes_on) &&
                  oribi_run_execute_inside(l->run, &l->frame->ctx, l->status));
        l->frame->run->n_waits += l->run->n_waits;
        for (int32_t k = 0; k < l->n_collected; k++) {
            ORIBI_TRY(collect(l, k));
        }
        ORIBI_TRY(carry(l));
        l->done++;
    }
    return true;
}

static bool give(loop *l)
{
    for (int32_t i = 0; i < l->n_carried; i++) {
        ORIBI_TRY(l->done > 0 ? oribi_control_give(l->frame, i, l->run, 1 + i, l->status)
                              : give_initial(l, i));
    }
    for (int32_t k = 0; k < l->n_collected; k++) {
        ORIBI_TRY(give_collected(l, k));
    }
    return true;
}

bool oribi_control_loop(oribi_frame *frame, const oribi_session_body *body,
                        const oribi_step_io *step, TF_Status *status)
{
    loop l = {.frame = frame, .body = body, .step = step, .status = status};
    l.n_carried = body->body->n_formals - 2;
    l.n_collected = step->n_outputs - l.n_carried;
    const bool ok = begin(&l) && iterate(&l) && give(&l);
    if (l.run != NULL) {
        oribi_run_unbind(l.run);
    }
    return ok;
}
