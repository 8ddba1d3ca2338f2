/* SPDX-License-Identifier: Apache-2.0 */
/* The order of calls that keeps the peak low, against all orders there are. ORIBI_TEST_SEED
 * replaces the first seed.
 */
#include "tests/compile/made_model.h"

/* Calls without aliases, views or scratch: what is live is easy to count. */
static void make_plain_model(model *m, uint64_t seed, int32_t n_calls)
{
    open_model(m, seed);
    add_input(m, 8);
    while (m->program.n_calls < n_calls) {
        const int32_t n = m->program.graph->n_values;
        const int32_t inputs[2] = {random_below(n), random_below(n)};
        const int32_t bytes = 4 * (1 + random_below(20));
        add_call(m, inputs, 1 + random_below(2), &bytes, 1);
    }
    add_output(m, m->program.graph->n_values - 1);
    m->program.n_pools = 1;
}

/* Largest sum of tensors that are live at a call; caller's ports are not counted. */
static int64_t peak_of(const model *m, const int32_t *order)
{
    const oribi_program *c = &m->program;
    int64_t peak = 0;
    for (int32_t at = 0; at < c->n_calls; at++) {
        int64_t sum = 0;
        for (int32_t v = 0; v < c->graph->n_values; v++) {
            int32_t first = c->n_calls, last = -1;
            for (int32_t i = 0; i < c->n_calls; i++) {
                const oribi_call *call = &m->calls[order[i]];
                bool touches = call->node->outputs[0] == v;
                for (int32_t k = 0; k < call->n_inputs; k++) {
                    touches = touches || call->inputs[k] == v;
                }
                first = touches && i < first ? i : first;
                last = touches ? i : last;
            }
            const bool is_port = v == m->inputs[0].value || v == m->outputs[0].value;
            sum += !is_port && first <= at && at <= last ? m->bytes[v] : 0;
        }
        peak = sum > peak ? sum : peak;
    }
    return peak;
}

static bool is_topological(const model *m, const int32_t *order, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = i + 1; k < n; k++) {
            const oribi_call *early = &m->calls[order[i]], *late = &m->calls[order[k]];
            for (int32_t j = 0; j < early->n_inputs; j++) {
                if (early->inputs[j] == late->node->outputs[0]) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* The least peak of all orders that begin with the first n of `order`. */
static int64_t least_peak(const model *m, int32_t *order, int32_t n)
{
    int64_t least = INT64_MAX;
    if (n == m->program.n_calls) {
        return is_topological(m, order, n) ? peak_of(m, order) : INT64_MAX;
    }
    for (int32_t i = n; i < m->program.n_calls; i++) {
        const int32_t swap = order[n];
        order[n] = order[i];
        order[i] = swap;
        const int64_t peak = least_peak(m, order, n + 1);
        least = peak < least ? peak : least;
        order[i] = order[n];
        order[n] = swap;
    }
    return least;
}

static void orders_are_the_best_there_are(void **state)
{
    int32_t n_better = 0;
    uint64_t seed = first_seed();
    (void)state;
    for (const uint64_t end = seed + 60; seed < end; seed++) {
        model m;
        int32_t order[8] = {0}, given[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        bool is_other;
        make_plain_model(&m, seed, 6);
        plan(&m, 30000);
        assert_true(oribi_program_order(&m.program, order, &is_other, m.status));
        const int64_t before = peak_of(&m, given), best = least_peak(&m, given, 0);
        if (is_other) {
            assert_true(is_topological(&m, order, m.program.n_calls));
        }
        assert_int_equal(is_other ? peak_of(&m, order) : before, best);
        n_better += is_other;
        close_model(&m);
    }
    print_message("%d of 60 models had a better order\n", n_better);
    assert_true(n_better > 10);
}

static void calls_with_effects_keep_their_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 100; seed++) {
        model m;
        int32_t order[16], last = -1;
        bool is_other;
        make_plain_model(&m, seed, 14);
        for (int32_t i = 0; i < 14; i++) {
            m.calls[i].has_effect = i % 3 == 0;
        }
        plan(&m, 30000);
        assert_true(oribi_program_order(&m.program, order, &is_other, m.status));
        for (int32_t i = 0; is_other && i < 14; i++) {
            if (m.calls[order[i]].has_effect) {
                assert_true(order[i] > last);
                last = order[i];
            }
        }
        close_model(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_the_best_there_are),
        cmocka_unit_test(calls_with_effects_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
