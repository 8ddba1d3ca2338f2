/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM, GRU and RNN: every row against the reference row, alone and on a pool, over forms
 * and sizes around those of tiles. What the reference gives is held against ONNX Runtime
 * (tests/peer/onnx_recurrent.py, plugins/built_in.cases.json).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"
#include "cpu/hosted.h"

enum { X, W, R, B, LENGTHS, HIDDEN, CELL, PEEPHOLE, PARTS };

typedef struct form {
    int64_t directions, steps, batch, in_c, units;
    bool is_reverse, is_batch_major, is_constant, flag;
    uint32_t parts; /* bit i: input i is there */
    float clip;
    int64_t function; /* of all gates; -1: ONNX's own */
} form;

#define ALL 0xffU
static const form forms[] = {
    {1, 5, 1, 3, 1, false, false, true, false, ALL, 0, -1},
    {2, 7, 3, 9, 5, false, false, true, true, ALL, 0.5f, -1},
    {2, 7, 3, 9, 5, false, true, true, false, ALL, 0, -1},
    {1, 40, 1, 31, 33, true, false, true, false, 7, 0, -1},
    {1, 3, 13, 17, 64, true, true, true, true, ALL, 0, -1},
    {2, 3, 30, 4, 40, false, false, false, false, 0x2f, 0, -1},
    {1, 300, 1, 20, 100, false, false, true, false, 0x2f, 0, -1},
    {1, 2, 1, 2, 800, false, false, true, false, 7, 0, -1},
    {2, 1, 100, 6, 7, false, false, true, true, 0x0f, 0, -1},
    {1, 0, 2, 3, 4, false, false, true, false, 0x27, 0, -1},
    {1, 4, 0, 3, 4, false, false, true, false, 7, 0, -1},
    {1, 4, 2, 5, 20, false, false, true, false, ALL, 1.5f, 2},
    {1, 4, 2, 5, 20, false, false, true, true, ALL, 0, 3},
    {1, 4, 2, 5, 20, false, false, true, false, ALL, 0, 4},
    {1, 4, 2, 5, 20, false, false, true, true, ALL, 0, 5},
    {1, 4, 2, 5, 20, false, false, true, false, ALL, 0, 6},
    {1, 4, 2, 5, 20, false, false, true, true, ALL, 0, 7},
    {1, 4, 2, 5, 20, false, false, true, false, ALL, 0, 8},
    {1, 4, 2, 5, 20, false, false, true, true, ALL, 0, 9},
    {1, 4, 2, 5, 20, false, false, true, false, ALL, 0, 10},
};

static uint64_t seed = 88172645463325252u;

static float uniform(float scale)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return scale * ((float)(seed >> 40) * 0x1p-23f - 1.0f);
}

static void add(harness *h, bool is_there, int rank, const int64_t *dims, float scale)
{
    static const int64_t none = 0;
    float *data = harness_input_floats(h, is_there ? rank : 1, is_there ? dims : &none);
    const int64_t n = TF_TensorElementCount(h->inputs[h->n_inputs - 1]);
    for (int64_t i = 0; i < n; i++) {
        data[i] = uniform(scale);
    }
}

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static void add_inputs(harness *h, const form *f, int64_t gates)
{
    const int64_t rows = gates * f->units, d = f->directions;
    const float scale = 1.5f / (float)(f->units + 1);
    const bool major = f->is_batch_major;
    const int64_t *state = major ? DIMS(f->batch, d, f->units) : DIMS(d, f->batch, f->units);
    int32_t lengths[100];
    for (int i = 0; i < f->batch; i++) {
        lengths[i] = (int32_t)((i * 7 + 5) % (f->steps + 1));
    }
    add(h, true, 3, major ? DIMS(f->batch, f->steps, f->in_c) : DIMS(f->steps, f->batch, f->in_c),
        1);
    add(h, true, 3, DIMS(d, rows, f->in_c), 1.5f / (float)(f->in_c + 1));
    add(h, true, 3, DIMS(d, rows, f->units), scale);
    add(h, f->parts >> B & 1U, 2, DIMS(d, 2 * rows), 1);
    harness_input_ints(h, f->parts >> LENGTHS & 1U ? (int)f->batch : 0, lengths);
    add(h, f->parts >> HIDDEN & 1U, 3, state, 1);
    if (gates == 4) {
        add(h, f->parts >> CELL & 1U, 3, state, 1);
        add(h, f->parts >> PEEPHOLE & 1U, 2, DIMS(d, 3 * f->units), 1);
    }
    h->constants = f->is_constant ? 1U << W | 1U << R | 1U << B | 1U << PEEPHOLE : 0;
}

/* Makes bytes times a step of the weights: of input w one for each matrix, of r one for each row.
 */
static void make_bytes(harness *h, const form *f, int64_t gates)
{
    for (int input = W; input <= R; input++) {
        float *data = TF_TensorData(h->inputs[input]);
        const int64_t columns = input == W ? f->in_c : f->units;
        const int64_t rows = f->directions * gates * f->units;
        const float root = sqrtf((float)f->units + 1.0F); /* so that states of all sizes count */
        for (int64_t i = 0; i < rows * columns; i++) {
            const int64_t row = i / columns, d = row / (gates * f->units);
            const float step = input == W ? 0.0031F + 0.001F * (float)d
                                          : (0.01F + 0.001F * (float)(row % 7)) / root;
            const float place = i % columns == 0 ? 1.0F : (float)(int32_t)uniform(128.99F);
            data[i] = place * step;
        }
    }
}

static void set_floats(harness *h, const char *name, const float *values, int n)
{
    const oribi_attr list = {
        .name = name, .kind = TF_ATTR_FLOAT, .is_list = true, .count = n, .u.f = values};
    assert_true(oribi_attrs_set(&h->attrs, &h->arena, &list));
}

static void add_attrs(harness *h, const form *f, int64_t gates)
{
    static const int64_t own[3][6] = {{1, 1}, {0, 1, 0, 1}, {0, 1, 1, 0, 1, 1}};
    static const float alpha[6] = {0.3f, 0.5f, 0.7f, 0.2f, 0.6f, 0.9f};
    static const float beta[6] = {0.4f, 0.1f, 0.2f, 0.8f, 0.5f, 0.3f};
    const int each = gates == 4 ? 3 : gates == 3 ? 2 : 1, n = each * (int)f->directions;
    int64_t codes[6];
    for (int i = 0; i < n; i++) {
        codes[i] = f->function < 0 ? own[each - 1][i] : (f->function + i) % 11;
    }
    assert_true(oribi_attrs_set_ints(&h->attrs, &h->arena, "activations", codes, n));
    set_floats(h, "activation_alpha", alpha, n);
    set_floats(h, "activation_beta", beta, n);
    assert_true(oribi_attrs_set_string(&h->attrs, &h->arena, "direction",
                                       f->directions == 2 ? "bidirectional"
                                       : f->is_reverse    ? "reverse"
                                                          : "forward"));
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "layout", f->is_batch_major ? 1 : 0));
    assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, "clip", f->clip));
    if (gates > 1) {
        assert_true(oribi_attrs_set_bool(
            &h->attrs, &h->arena, gates == 4 ? "input_forget" : "linear_before_reset", f->flag));
    }
}

typedef struct trial {
    harness h;
    TF_Tensor *want[3];
    oribi_pool *pool;
    char what[64];
    double scale; /* of results, added to them where a tolerance is relative */
    int n_checked;
} trial;

static void check(void *arg, const oribi_cpu_kernel *row)
{
    trial *t = arg;
    if (row->priority == ORIBI_CPU_REFERENCE) {
        return;
    }
    if (!harness_run(&t->h, row)) {
        fail_msg("%s (%d): %s", t->what, (int)row->priority, TF_Message(t->h.status));
    }
    for (int i = 0; i < t->h.n_outputs; i++) {
        assert_true(harness_close(t->h.outputs[i], t->want[i], row->tolerance, t->scale, t->what));
    }
    TF_Tensor *got = TF_AllocateTensor(TF_FLOAT, t->want[0]->dims, t->want[0]->rank,
                                       TF_TensorByteSize(t->want[0]));
    assert_true(hosted_run(&t->h, row, false, false, t->pool, got) >= 0);
    assert_true(harness_close(got, t->want[0], row->tolerance, t->scale, t->what));
    TF_DeleteTensor(got);
    t->n_checked++;
}

static void compare(const char *op, int64_t gates, bool is_bytes)
{
    TF_Status *status = TF_NewStatus();
    oribi_pool *pool = oribi_pool_create(3, status);
    assert_non_null(pool);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        trial t = {.pool = pool, .scale = strstr(op, "Dynamic") != NULL ? 1.0 : 0.1};
        harness_init(&t.h, op);
        (void)snprintf(t.what, sizeof t.what, "%s, form %d", op, (int)i);
        add_inputs(&t.h, &forms[i], gates);
        if (is_bytes) {
            make_bytes(&t.h, &forms[i], gates);
        }
        add_attrs(&t.h, &forms[i], gates);
        assert_true(harness_resolve(&t.h));
        if (!harness_run(&t.h, harness_reference(&t.h))) {
            fail_msg("%s: %s", t.what, TF_Message(t.h.status));
        }
        for (int k = 0; k < 3; k++) {
            t.want[k] = t.h.outputs[k];
            t.h.outputs[k] = NULL;
        }
        (void)harness_each_row(&t.h, check, &t);
        assert_true(t.n_checked > 0);
        for (int k = 0; k < 3; k++) {
            TF_DeleteTensor(t.want[k]);
        }
        harness_destroy(&t.h);
    }
    oribi_pool_release(pool);
    TF_DeleteStatus(status);
}

static void every_row_of_lstm_agrees_with_the_reference(void **state)
{
    (void)state;
    compare("ONNX>LSTM", 4, false);
}

/* The reference is of the same loops: others may round a hidden value to the next place. */
static void every_row_of_a_dynamic_lstm_agrees_with_the_plain_loops(void **state)
{
    (void)state;
    compare("Oribi>DynamicLstm", 4, false);
    compare("Oribi>DynamicLstm", 4, true);
}

static void every_row_of_gru_agrees_with_the_reference(void **state)
{
    (void)state;
    compare("ONNX>GRU", 3, false);
}

static void every_row_of_rnn_agrees_with_the_reference(void **state)
{
    (void)state;
    compare("ONNX>RNN", 1, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_lstm_agrees_with_the_reference),
        cmocka_unit_test(every_row_of_a_dynamic_lstm_agrees_with_the_plain_loops),
        cmocka_unit_test(every_row_of_gru_agrees_with_the_reference),
        cmocka_unit_test(every_row_of_rnn_agrees_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
