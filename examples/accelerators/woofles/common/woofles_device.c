/* SPDX-License-Identifier: Apache-2.0 */
/* The command loop of the far side. */
#include "woofles_device.h"

#include <string.h>

#include "tvm/runtime/device.h"

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Of a window of `all` bytes. */
static int32_t is_inside(uint32_t all, uint32_t offset, uint32_t bytes)
{
    return offset >= WOOFLES_MEMORY_OFFSET && offset <= all && bytes <= all - offset;
}

static int32_t run(struct woofles_window *w, uint32_t all, const struct woofles_command *c,
                   woofles_compute_function *compute, void *context)
{
    struct woofles_span spans[WOOFLES_TENSORS];
    uint8_t *base = (uint8_t *)w;
    if (load(&w->power) == 0u) {
        return TVM_DEVICE_E_STATE;
    }
    if (c->n_inputs > WOOFLES_TENSORS || c->n_outputs > WOOFLES_TENSORS - c->n_inputs) {
        return TVM_DEVICE_E_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < c->n_inputs + c->n_outputs; i++) {
        if (!is_inside(all, c->offset[i], c->bytes[i])) {
            return TVM_DEVICE_E_RANGE;
        }
        spans[i].data = base + c->offset[i];
        spans[i].bytes = c->bytes[i];
    }
    if (c->kind == WOOFLES_COPY) {
        if (c->n_inputs != 1u || c->n_outputs != 1u || c->bytes[0] != c->bytes[1]) {
            return TVM_DEVICE_E_UNSUPPORTED;
        }
        memmove(spans[1].data, spans[0].data, c->bytes[0]);
        return TVM_DEVICE_OK;
    }
    if (!is_inside(all, c->params, c->params_bytes)) {
        return TVM_DEVICE_E_RANGE;
    }
    return compute(context, c->op, base + c->params, c->params_bytes, spans, c->n_inputs,
                   spans + c->n_inputs, c->n_outputs);
}

int32_t woofles_device_step_with(struct woofles_window *window, uint32_t bytes,
                                 woofles_compute_function *compute, void *context)
{
    const uint32_t done = window->done, posted = load(&window->posted);
    if (done == posted) {
        return 0;
    }
    struct woofles_command *c = &window->ring[done % WOOFLES_RING];
    /* The host may write on while we compute: what is checked is what is used. */
    const struct woofles_command command = *(const volatile struct woofles_command *)c;
    const int32_t is_cancelled = (int32_t)(load(&window->cancel) - done) > 0;
    c->code = (uint32_t)(is_cancelled ? TVM_DEVICE_E_CANCELLED
                                      : run(window, bytes, &command, compute, context));
    __atomic_store_n(&window->done, done + 1u, __ATOMIC_RELEASE);
    return 1;
}

static int32_t compute_here(void *context, uint32_t op, const uint8_t *params,
                            uint32_t params_bytes, const struct woofles_span *inputs,
                            uint32_t n_inputs, const struct woofles_span *outputs,
                            uint32_t n_outputs)
{
    (void)context;
    return woofles_compute(op, params, params_bytes, inputs, n_inputs, outputs, n_outputs);
}

int32_t woofles_device_step(struct woofles_window *window)
{
    return woofles_device_step_with(window, window->bytes, compute_here, NULL);
}
