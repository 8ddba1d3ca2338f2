/* SPDX-License-Identifier: Apache-2.0 */
/* Models of made-up calls for tests of the memory of compiled models. */
#ifndef ORIBI_TESTS_COMPILE_MADE_MODEL_H_
#define ORIBI_TESTS_COMPILE_MADE_MODEL_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "compile/plan/planning.h"
#include "compile/schedule/compile_steps.h"
#include "tensor/status.h"

enum { MOST_VALUES = 80, MOST_BYTES = 1 << 15 };

typedef struct origin { /* whose bytes a value's are: value `of` from `offset` on */
    int32_t of, offset;
} origin;

typedef struct model {
    oribi_program program;
    oribi_call calls[MOST_VALUES];
    oribi_call_view views[MOST_VALUES][3];
    oribi_port inputs[2], outputs[3];
    int32_t bytes[MOST_VALUES];
    origin origins[MOST_VALUES];    /* of what is not a concatenation's result */
    int32_t joined[MOST_VALUES][3]; /* parts of a concatenation's result; else -1 */
    TF_Status *status;
} model;

/* --- Random models --------------------------------------------------------------------------- */

static uint64_t random_state;

static inline int32_t random_below(int32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int32_t)((random_state >> 16) % (uint64_t)n);
}

static inline uint64_t first_seed(void)
{
    const char *text = getenv("ORIBI_TEST_SEED");
    const uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    print_message("seed %llu (ORIBI_TEST_SEED)\n", (unsigned long long)seed);
    return seed;
}

static inline void open_model(model *m, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    random_state = seed * 0x9E3779B97F4A7C15U + 1;
    m->status = TF_NewStatus();
    m->program.graph = oribi_graph_create(m->status);
    assert_non_null(m->program.graph);
    m->program.calls = m->calls;
    m->program.inputs = m->inputs;
    m->program.outputs = m->outputs;
}

static inline void close_model(model *m)
{
    oribi_graph_destroy(m->program.graph);
    oribi_arena_destroy(&m->program.arena);
    TF_DeleteStatus(m->status);
}

static inline void describe(model *m, int32_t value, int32_t bytes)
{
    const int64_t dims[1] = {bytes};
    oribi_value *v = m->program.graph->values[value];
    assert_true(value < MOST_VALUES);
    v->dtype = TF_INT8;
    assert_true(oribi_shape_copy(&m->program.graph->arena, dims, 1, &v->shape));
    m->bytes[value] = bytes;
    m->origins[value] = (origin){value, 0};
    m->joined[value][0] = -1;
}

static inline int32_t add_input(model *m, int32_t bytes)
{
    const int64_t dims[1] = {bytes};
    const oribi_shape shape = {1, (int64_t *)(uintptr_t)dims};
    const int32_t value = oribi_graph_add_value(m->program.graph, "x", TF_INT8, &shape, m->status);
    describe(m, value, bytes);
    m->inputs[m->program.n_inputs++] = (oribi_port){.value = value, .bytes = bytes};
    return value;
}

static inline void add_output(model *m, int32_t value)
{
    m->outputs[m->program.n_outputs++] = (oribi_port){.value = value, .bytes = m->bytes[value]};
}

/* A call of a kernel; its outputs get the sizes. */
static inline oribi_call *add_call(model *m, const int32_t *inputs, int32_t n_inputs,
                                   const int32_t *bytes, int32_t n_outputs)
{
    oribi_node *node = oribi_graph_add_node(m->program.graph, "Call", "call", inputs, n_inputs,
                                            n_outputs, m->status);
    oribi_call *call = &m->calls[m->program.n_calls++];
    assert_non_null(node);
    *call = (oribi_call){.node = node,
                         .inputs = node->inputs,
                         .kernel = "call",
                         .n_inputs = n_inputs,
                         .n_outputs = n_outputs};
    for (int32_t i = 0; i < n_outputs; i++) {
        describe(m, node->outputs[i], bytes[i]);
    }
    return call;
}

static inline void plan(model *m, int64_t effort)
{
    if (!oribi_program_plan(&m->program, effort, m->status)) {
        fail_msg("%s", TF_Message(m->status));
    }
}

#endif
