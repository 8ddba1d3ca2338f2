/* SPDX-License-Identifier: Apache-2.0 */
/* The program around an emitted model on a target: takes inputs, runs, answers with outputs and
 * with what the run took. Memory that the model may write is filled before each run, so that what
 * was touched, and what lies beside it, can be told. Read next: oribi/verify_wire.h, port.h. */
#include <stddef.h>
#include <string.h>

#include "harness/frame.h"
#include "harness/model.h"
#include "harness/port.h"
#include "oribi/verify_wire.h"

static const struct oribi_harness_model *const model = &oribi_harness_model;

struct result {
    int32_t status;
    uint32_t stack, touched, flags;
    uint64_t count;
};

/* --- Memory around the model ----------------------------------------------------------------- */

static void fill(const struct oribi_harness_block *blocks, int32_t n, uint8_t filling)
{
    for (int32_t i = 0; i < n; i++) {
        memset(blocks[i].start, filling, blocks[i].room);
    }
}

static int32_t is_filled(const uint8_t *from, const uint8_t *to, uint8_t filling)
{
    while (from < to && *from == filling) {
        from++;
    }
    return from >= to;
}

static int32_t is_intact(const struct oribi_harness_block *blocks, int32_t n, uint8_t filling)
{
    for (int32_t i = 0; i < n; i++) {
        const struct oribi_harness_block *b = &blocks[i];
        if (!is_filled(b->start, b->at, filling) ||
            !is_filled(b->at + b->bytes, b->start + b->room, filling)) {
            return 0;
        }
    }
    return 1;
}

/* Bytes up to the last that is not as it was filled, over all pools. */
static uint32_t touched(uint8_t filling)
{
    uint32_t sum = 0;
    for (int32_t i = 0; i < model->n_pools; i++) {
        uint32_t n = model->pools[i].bytes;
        while (n > 0u && model->pools[i].at[n - 1u] == filling) {
            n--;
        }
        sum += n;
    }
    return sum;
}

/* Inputs that live in the workspace are laid over the filling. Each run of a request begins with
 * the same state. */
static void prepare(const uint8_t *inputs, uint8_t filling)
{
    fill(model->pools, model->n_pools, filling);
    fill(model->inputs, model->n_inputs, filling);
    fill(model->outputs, model->n_outputs, filling);
    for (int32_t i = 0; i < model->n_inputs; i++) {
        memcpy(model->inputs[i].at, inputs, model->inputs[i].bytes);
        inputs += model->inputs[i].bytes;
    }
    if (model->state_bytes > 0u) {
        memcpy(model->state, model->saved, model->state_bytes);
    }
}

static uint32_t check(uint8_t filling)
{
    return is_intact(model->pools, model->n_pools, filling) &&
                   is_intact(model->inputs, model->n_inputs, filling) &&
                   is_intact(model->outputs, model->n_outputs, filling)
               ? 0u
               : ORIBI_WIRE_OUTSIDE;
}

static uint32_t hash_outputs(void)
{
    uint32_t crc = 0;
    for (int32_t i = 0; i < model->n_outputs; i++) {
        crc = oribi_crc32(crc, model->outputs[i].at, model->outputs[i].bytes);
    }
    return crc;
}

/* --- Runs ------------------------------------------------------------------------------------ */

static int32_t nothing(void)
{
    return 0;
}

/* One piece of code for both measurements, whatever is round it: what it takes itself cancels out.
 */
static __attribute__((noinline)) uint64_t ticks_of(int32_t (*run)(void), int32_t *out_status)
{
    int32_t (*volatile call)(void) = run; /* so that neither call is made inline */
    const uint64_t before = oribi_port_ticks();
    *out_status = call();
    return oribi_port_ticks() - before;
}

/* Measured first, then with another filling: both must write the same outputs. */
static void run(const uint8_t *inputs, uint32_t flags, struct result *result)
{
    const uint8_t fillings[2] = {0xA5u, 0x5Au};
    uint32_t hash = 0, stack;
    int32_t status;
    for (uint32_t i = 0; i < ((flags & ORIBI_WIRE_ONCE) != 0u ? 1u : 2u); i++) {
        prepare(inputs, fillings[i]);
        if (i == 0u) {
            const uint64_t empty = ticks_of(nothing, &status);
            result->count = oribi_port_count(ticks_of(model->run, &result->status) - empty);
            prepare(inputs, fillings[i]);
            result->stack = 0;
        }
        status = oribi_port_call(model->run, &stack);
        result->stack = stack > result->stack ? stack : result->stack;
        const uint32_t n = touched(fillings[i]);
        result->touched = n > result->touched ? n : result->touched;
        result->flags |= check(fillings[i]);
        if (i == 0u) {
            hash = hash_outputs();
        }
        if (hash_outputs() != hash || status != result->status) {
            result->flags |= ORIBI_WIRE_UNEQUAL;
        }
        result->status = result->status != 0 ? result->status : status; /* the first failure */
    }
}

static void put_hash(struct oribi_frame *frame, const struct oribi_harness_value *value)
{
    oribi_frame_put_word(frame, oribi_crc32(0u, value->at, value->bytes));
}

static void run_steps(const uint8_t *inputs, struct result *result)
{
    struct oribi_frame frame;
    const uint32_t hash = hash_outputs();
    int32_t value = 0, more = 1;
    prepare(inputs, 0xA5u);
    oribi_frame_begin(&frame, ORIBI_WIRE_HASHES, 4u * (uint32_t)model->n_values);
    while (more == 1) { /* a loop goes back: what comes again has been sent */
        const int32_t step = model->next();
        more = model->step();
        while (value < model->n_values && model->values[value].step == step) {
            put_hash(&frame, &model->values[value++]);
        }
    }
    while (value < model->n_values) { /* of a run that failed */
        put_hash(&frame, &model->values[value++]);
    }
    oribi_frame_end(&frame);
    if (more != 0 || hash_outputs() != hash) {
        result->flags |= ORIBI_WIRE_STEPS_DIFFER;
    }
}

/* Each operator by itself, with the state and the inputs of the run. */
static void count_operators(const uint8_t *inputs, struct result *result)
{
    struct oribi_frame frame;
    const uint32_t hash = hash_outputs();
    int32_t more;
    const uint64_t empty = ticks_of(nothing, &more);
    prepare(inputs, 0xA5u);
    memset(model->ticks, 0, sizeof *model->ticks * (size_t)model->n_operators);
    do { /* a loop goes back: its operators are added up */
        const int32_t step = model->next();
        const uint64_t ticks = ticks_of(model->step, &more);
        model->ticks[step] += ticks > empty ? ticks - empty : 0u;
    } while (more == 1);
    oribi_frame_begin(&frame, ORIBI_WIRE_OPERATORS, 8u * (uint32_t)model->n_operators);
    for (int32_t i = 0; i < model->n_operators; i++) {
        const uint64_t count = oribi_port_count(model->ticks[i]);
        oribi_frame_put_word(&frame, (uint32_t)count);
        oribi_frame_put_word(&frame, (uint32_t)(count >> 32));
    }
    oribi_frame_end(&frame);
    if (more != 0 || hash_outputs() != hash) {
        result->flags |= ORIBI_WIRE_STEPS_DIFFER;
    }
}

/* --- Conversation ---------------------------------------------------------------------------- */

static void answer_hello(void)
{
    struct oribi_frame frame;
    uint32_t workspace = 0;
    if (model->state_bytes > 0u) {
        model->reset();
        memcpy(model->saved, model->state, model->state_bytes);
    }
    for (int32_t i = 0; i < model->n_pools; i++) {
        workspace += model->pools[i].bytes;
    }
    oribi_frame_begin(&frame, ORIBI_WIRE_IDENTITY, ORIBI_WIRE_IDENTITY_BYTES);
    oribi_frame_put_word(&frame, ORIBI_WIRE_PROTOCOL);
    oribi_frame_put_word(&frame, model->input_bytes);
    oribi_frame_put_word(&frame, model->output_bytes);
    oribi_frame_put_word(&frame, workspace);
    oribi_frame_put_word(&frame, (uint32_t)model->n_operators);
    oribi_frame_put_word(&frame, oribi_port_count_kind());
    oribi_frame_put(&frame, model->sha256, sizeof model->sha256);
    oribi_frame_end(&frame);
}

static void answer_run(const uint8_t *request)
{
    struct oribi_frame frame;
    struct result result = {0, 0u, 0u, 0u, 0u};
    const uint32_t flags = request[0];
    run(request + 4, flags, &result);
    if ((flags & ORIBI_WIRE_STEPS) != 0u && result.status == 0) {
        run_steps(request + 4, &result);
    }
    if ((flags & ORIBI_WIRE_COUNT) != 0u && result.status == 0) {
        count_operators(request + 4, &result);
    }
    if (model->state_bytes > 0u) {
        memcpy(model->saved, model->state, model->state_bytes);
    }
    if (result.status != 0 && model->explain_device != NULL) {
        model->explain_device();
    }
    oribi_frame_begin(&frame, ORIBI_WIRE_RESULT,
                      4u * ORIBI_WIRE_RESULT_WORDS + model->output_bytes);
    oribi_frame_put_word(&frame, (uint32_t)result.status);
    oribi_frame_put_word(&frame, result.stack);
    oribi_frame_put_word(&frame, result.touched);
    oribi_frame_put_word(&frame, result.flags);
    oribi_frame_put_word(&frame, (uint32_t)result.count);
    oribi_frame_put_word(&frame, (uint32_t)(result.count >> 32));
    for (int32_t i = 0; i < model->n_outputs; i++) {
        oribi_frame_put(&frame, model->outputs[i].at, model->outputs[i].bytes);
    }
    oribi_frame_end(&frame);
}

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void feed(const uint8_t *units)
{
    for (int32_t i = 0; i < model->n_inputs; i++, units += 8) {
        const uint32_t bits = word_at(units);
        float scale;
        memcpy(&scale, &bits, sizeof scale);
        if (bits != 0u && model->ports[i].feed != NULL) {
            model->ports[i].feed(scale, (int32_t)word_at(units + 4));
        }
    }
}

static void answer_units(void)
{
    struct oribi_frame frame;
    const int32_t n = model->n_inputs + model->n_outputs;
    oribi_frame_begin(&frame, ORIBI_WIRE_UNITS, 8u * (uint32_t)n + model->input_bytes);
    for (int32_t i = 0; i < n; i++) {
        oribi_frame_put_word(&frame, bits_of(model->ports[i].scale));
        oribi_frame_put_word(&frame, (uint32_t)model->ports[i].zero_point);
    }
    for (int32_t i = 0; i < model->n_inputs; i++) {
        oribi_frame_put(&frame, model->inputs[i].at, model->inputs[i].bytes);
    }
    oribi_frame_end(&frame);
}

static void answer_reals(int32_t status)
{
    struct oribi_frame frame;
    const struct oribi_harness_port *ports = model->ports + model->n_inputs;
    uint32_t bytes = 4;
    for (int32_t i = 0; i < model->n_outputs; i++) {
        bytes += ports[i].read != NULL ? 4u * (uint32_t)ports[i].count : model->outputs[i].bytes;
    }
    oribi_frame_begin(&frame, ORIBI_WIRE_REALS, bytes);
    oribi_frame_put_word(&frame, (uint32_t)status);
    for (int32_t i = 0; i < model->n_outputs; i++) {
        for (int32_t k = 0; ports[i].read != NULL && k < ports[i].count; k++) {
            oribi_frame_put_word(&frame, bits_of(ports[i].read(k)));
        }
        if (ports[i].read == NULL) {
            oribi_frame_put(&frame, model->outputs[i].at, model->outputs[i].bytes);
        }
    }
    oribi_frame_end(&frame);
}

/* As an application does it: real numbers in and out. */
static void answer_feed(const uint8_t *request)
{
    prepare(request + 8 * model->n_inputs, 0xA5u);
    feed(request);
    answer_units();
    answer_reals(model->run());
}

static void refuse(uint32_t reason)
{
    struct oribi_frame frame;
    oribi_frame_begin(&frame, ORIBI_WIRE_REFUSAL, 4u);
    oribi_frame_put_word(&frame, reason);
    oribi_frame_end(&frame);
}

static void end(void)
{
    if (model->stop_devices != NULL) {
        model->stop_devices();
    }
    oribi_port_end(0);
}

int main(void)
{
    model->bind();
    for (;;) {
        uint32_t type = 0, bytes = 0, reason = 0;
        if (!oribi_frame_receive(model->request, model->request_room, &type, &bytes, &reason)) {
            refuse(reason);
        } else if (type == ORIBI_WIRE_END) {
            end();
        } else if (model->start_devices != NULL && model->start_devices() != 0) {
            /* it has said why: nothing else is answered */
        } else if (type == ORIBI_WIRE_HELLO) {
            answer_hello();
        } else if (type == ORIBI_WIRE_RUN && bytes == 4u + model->input_bytes) {
            answer_run(model->request);
        } else if (type == ORIBI_WIRE_FEED &&
                   bytes == 8u * (uint32_t)model->n_inputs + model->input_bytes) {
            answer_feed(model->request);
        } else if (type == ORIBI_WIRE_RUN || type == ORIBI_WIRE_FEED) {
            refuse(ORIBI_WIRE_BAD_LENGTH);
        } else {
            refuse(ORIBI_WIRE_BAD_TYPE);
        }
    }
}
