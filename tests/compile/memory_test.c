/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of compiled models: random models of made-up calls are planned, then run on memory whose
 * bytes are tags that say which byte of which tensor is there. What runs them knows nothing of the
 * planner: a call that finds another tag than its input's byte, or writes where its kernel may not,
 * fails the test. ORIBI_TEST_SEED replaces the first seed.
 */
#include "tests/compile/made_model.h"

#include "support/fail_nth.h"

enum { GARBAGE = 1 << 30 };

/* --- Random models ---------------------------------------------------------------------------- */

static void add_view_of(model *m, int32_t input)
{
    oribi_call *call = add_call(m, &input, 1, &m->bytes[input], 1);
    const int32_t output = call->node->outputs[0];
    call->kernel = NULL;
    call->is_view = true;
    m->origins[output] = m->origins[input];
    memcpy(m->joined[output], m->joined[input], sizeof m->joined[input]);
    if (m->joined[input][0] >= 0) { /* the same parts: the origin is the concatenation */
        m->origins[output] = (origin){output, 0};
    }
}

static void add_concatenation(model *m, const int32_t *inputs, int32_t n)
{
    int32_t bytes = 0;
    oribi_call_view *views = m->views[m->program.n_calls];
    for (int32_t i = 0; i < n; i++) {
        views[i] = (oribi_call_view){0, inputs[i], bytes};
        bytes += m->bytes[inputs[i]];
    }
    oribi_call *call = add_call(m, inputs, n, &bytes, 1);
    const int32_t output = call->node->outputs[0];
    for (int32_t i = 0; i < 3; i++) {
        views[i].whole = output;
        m->joined[output][i] = i < n ? inputs[i] : -1;
    }
    call->views = views;
    call->n_views = n;
}

static void add_split(model *m, int32_t input)
{
    oribi_call_view *views = m->views[m->program.n_calls];
    int32_t bytes[2] = {m->bytes[input] / 8 * 4, 0};
    bytes[1] = m->bytes[input] - bytes[0];
    oribi_call *call = add_call(m, &input, 1, bytes, 2);
    for (int32_t i = 0; i < 2; i++) {
        const int32_t part = call->node->outputs[i];
        views[i] = (oribi_call_view){input, part, i == 0 ? 0 : bytes[0]};
        m->origins[part] = (origin){input, i == 0 ? 0 : bytes[0]};
    }
    call->views = views;
    call->n_views = 2;
}

static void add_kernel(model *m, const int32_t *inputs, int32_t n)
{
    const bool keeps_size = random_below(2) == 0;
    const int32_t bytes = keeps_size ? m->bytes[inputs[0]] : 4 + random_below(200);
    oribi_call *call = add_call(m, inputs, n, &bytes, 1);
    call->scratch_bytes = random_below(3) == 0 ? 1 + random_below(60) : 0;
    call->has_scratch = true;
    for (int32_t i = 0; i < n; i++) {
        if (random_below(2) == 0) {
            call->aliases[call->n_aliases++] =
                (oribi_call_alias){i, random_below(2) == 0, random_below(120) - 80};
        }
    }
}

static void add_something(model *m)
{
    int32_t inputs[3];
    for (int32_t i = 0; i < 3; i++) { /* mostly of the last few */
        const int32_t n = m->program.graph->n_values;
        const int32_t back = 1 + random_below(random_below(4) == 0 ? n : n < 4 ? n : 4);
        inputs[i] = n - back;
    }
    switch (random_below(8)) {
    case 0:
        add_view_of(m, inputs[0]);
        break;
    case 1:
    case 2:
        add_concatenation(m, inputs, 2 + random_below(2));
        break;
    case 3:
        if (m->bytes[inputs[0]] >= 8) {
            add_split(m, inputs[0]);
            break;
        }
        /* fall through */
    default:
        add_kernel(m, inputs, 1 + random_below(2));
        break;
    }
}

static void make_model(model *m, uint64_t seed, int32_t n_calls)
{
    open_model(m, seed);
    add_input(m, 4 + random_below(200));
    if (random_below(2) == 0) {
        add_input(m, 4 + random_below(200));
    }
    while (m->program.n_calls < n_calls && m->program.graph->n_values < MOST_VALUES - 3 &&
           m->bytes[m->program.graph->n_values - 1] < 2000) {
        add_something(m);
    }
    add_output(m, m->program.graph->n_values - 1);
    if (random_below(3) == 0) {
        add_output(m, random_below(m->program.graph->n_values));
    }
    m->program.ports_in_workspace = random_below(2) == 0;
    m->program.n_pools = 1;
    if (random_below(4) == 0) {
        m->program.n_pools = 2;
        m->program.pools[0].max_bytes = 600;
    }
}

/* --- Running on tags ------------------------------------------------------------------------- */

typedef struct run {
    const model *m;
    int32_t *memory; /* pools, then inputs, then outputs: MOST_BYTES each */
    const char *wrong;
    int32_t call;
} run;

/* What byte i of a value is: a tag of the value that some kernel, or the caller, made. */
static int32_t tag_of(const model *m, int32_t value, int32_t i)
{
    while (m->joined[value][0] >= 0 || m->origins[value].of != value) {
        if (m->joined[value][0] < 0) {
            i += m->origins[value].offset;
            value = m->origins[value].of;
            continue;
        }
        int32_t part = 0;
        while (i >= m->bytes[m->joined[value][part]]) {
            i -= m->bytes[m->joined[value][part++]];
        }
        value = m->joined[value][part];
    }
    return value * MOST_BYTES + i;
}

/* Where a place is among all memory; -1: nowhere. */
static int64_t address_of(const run *r, const oribi_location *place)
{
    const oribi_program *c = &r->m->program;
    switch (place->storage) {
    case ORIBI_IN_WORKSPACE:
        return (int64_t)place->index * MOST_BYTES + place->offset;
    case ORIBI_IN_INPUT:
        return (int64_t)(c->n_pools + place->index) * MOST_BYTES;
    case ORIBI_IN_OUTPUT:
        return (int64_t)(c->n_pools + c->n_inputs + place->index) * MOST_BYTES;
    default:
        return -1;
    }
}

static void fault(run *r, const char *what)
{
    r->wrong = r->wrong != NULL ? r->wrong : what;
}

static void check_value(run *r, int32_t value, const char *what)
{
    const int64_t at = address_of(r, &r->m->program.locations[value]);
    for (int32_t i = 0; i < r->m->bytes[value]; i++) {
        if (at < 0 || r->memory[at + i] != tag_of(r->m, value, i)) {
            fault(r, what);
        }
    }
}

static void write_value(run *r, int32_t value)
{
    const oribi_program *c = &r->m->program;
    const oribi_location *place = &c->locations[value];
    const int64_t at = address_of(r, place), bytes = r->m->bytes[value];
    if (at < 0 || place->storage == ORIBI_IN_INPUT ||
        (place->storage == ORIBI_IN_WORKSPACE &&
         place->offset + bytes > c->pools[place->index].bytes)) {
        fault(r, "writes where nothing may be written");
        return;
    }
    for (int32_t i = 0; i < bytes; i++) {
        r->memory[at + i] = tag_of(r->m, value, i);
    }
}

static bool overlap(int64_t a, int64_t a_bytes, int64_t b, int64_t b_bytes)
{
    return a >= 0 && b >= 0 && a < b + b_bytes && b < a + a_bytes;
}

/* A kernel that moves parts may find some where they belong: it writes what is there. */
static bool is_moved_onto_itself(const run *r, int32_t from, int64_t a, int32_t to, int64_t b)
{
    const int64_t first = a > b ? a : b;
    for (int64_t i = first; i < a + r->m->bytes[from] && i < b + r->m->bytes[to]; i++) {
        if (tag_of(r->m, from, (int32_t)(i - a)) != tag_of(r->m, to, (int32_t)(i - b))) {
            return false;
        }
    }
    return true;
}

/* May the output of the call begin `distance` behind its input? */
static bool is_allowed(const oribi_call *call, int32_t input, int32_t output, int64_t distance)
{
    for (int32_t k = 0; k < call->n_aliases && output == 0; k++) {
        const oribi_call_alias *a = &call->aliases[k];
        if (a->input == input && (a->is_exact ? distance == 0 : distance <= a->distance)) {
            return true;
        }
    }
    return false;
}

static void check_overlaps(run *r, const oribi_call *call, int64_t scratch)
{
    const model *m = r->m;
    for (int32_t k = 0; k < call->n_outputs; k++) {
        const int32_t to = call->node->outputs[k];
        const int64_t b = address_of(r, &m->program.locations[to]);
        if (overlap(scratch, call->scratch_bytes, b, m->bytes[to])) {
            fault(r, "scratch over an output");
        }
        for (int32_t i = 0; i < call->n_inputs; i++) {
            const int32_t from = call->inputs[i];
            const int64_t a = address_of(r, &m->program.locations[from]);
            if (overlap(a, m->bytes[from], b, m->bytes[to]) && !is_allowed(call, i, k, b - a) &&
                !(call->n_views > 0 && is_moved_onto_itself(r, from, a, to, b))) {
                fault(r, "writes over an input as its kernel does not allow");
            }
            if (overlap(scratch, call->scratch_bytes, a, m->bytes[from])) {
                fault(r, "scratch over an input");
            }
        }
    }
}

static void run_call(run *r, int32_t index)
{
    const oribi_program *c = &r->m->program;
    const oribi_call *call = &c->calls[index];
    const bool runs = call->kernel != NULL && !call->is_elided;
    const oribi_location *place = &c->scratch[index];
    const int64_t scratch = runs && call->scratch_bytes > 0 ? address_of(r, place) : -1;
    for (int32_t i = 0; i < call->n_inputs; i++) {
        check_value(r, call->inputs[i], "an input is not there any more");
    }
    if (runs) {
        check_overlaps(r, call, scratch);
    }
    for (int64_t i = 0; scratch >= 0 && i < call->scratch_bytes; i++) {
        r->memory[scratch + i] = GARBAGE;
        if (place->offset + i >= c->pools[place->index].bytes) {
            fault(r, "scratch beyond the pool");
        }
    }
    for (int32_t i = 0; i < call->n_outputs; i++) {
        const int32_t output = call->node->outputs[i];
        if (runs) {
            write_value(r, output);
        } else if (address_of(r, &c->locations[output]) >= 0 && c->locations[output].bytes > 0) {
            check_value(r, output, "a view does not show what it should");
        }
    }
}

/* NULL, or what is wrong first; out_call: where. */
static const char *run_model(const model *m, int32_t *out_call)
{
    const oribi_program *c = &m->program;
    const size_t n = (size_t)(c->n_pools + c->n_inputs + c->n_outputs) * MOST_BYTES;
    run r = {.m = m, .memory = test_malloc(n * sizeof *r.memory)};
    for (size_t i = 0; i < n; i++) {
        r.memory[i] = GARBAGE;
    }
    for (int32_t i = 0; i < c->n_inputs; i++) {
        const int64_t at = address_of(&r, &c->locations[c->inputs[i].value]);
        for (int32_t k = 0; k < c->inputs[i].bytes; k++) {
            r.memory[at + k] = tag_of(m, c->inputs[i].value, k);
        }
    }
    for (int32_t i = 0; i < c->n_calls && r.wrong == NULL; i++) {
        run_call(&r, i);
        *out_call = i;
    }
    for (int32_t i = 0; i < c->n_copies && r.wrong == NULL; i++) {
        check_value(&r, c->copies[i].from, "a copied output is not there any more");
    }
    for (int32_t i = 0; i < c->n_outputs && r.wrong == NULL; i++) {
        bool is_copied = false;
        for (int32_t k = 0; k < c->n_copies; k++) {
            is_copied = is_copied || c->copies[k].output == i;
        }
        if (!is_copied) {
            check_value(&r, c->outputs[i].value, "an output is not there");
        }
    }
    test_free(r.memory);
    return r.wrong;
}

static void assert_runs(const model *m, uint64_t seed)
{
    int32_t call = -1;
    const char *wrong = run_model(m, &call);
    if (wrong != NULL) {
        fail_msg("seed %llu, call %d: %s", (unsigned long long)seed, (int)call, wrong);
    }
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void random_models_find_their_bytes(void **state)
{
    int32_t n_elided = 0, n_overlaps = 0;
    uint64_t seed = first_seed();
    (void)state;
    for (const uint64_t end = seed + 1500; seed < end; seed++) {
        model m;
        make_model(&m, seed, 2 + (int32_t)(seed % 24));
        plan(&m, 30000);

        assert_runs(&m, seed);
        const oribi_program *c = &m.program;
        assert_true(c->n_pools > 1 || c->workspace_bytes >= (int64_t)c->bounds.bound_bytes);
        for (int32_t i = 0; i < c->n_calls; i++) {
            n_elided += c->calls[i].is_elided;
        }
        for (int32_t i = 0; i < c->n_aliases; i++) {
            const oribi_plan_buffer *a = &c->buffers[c->aliases[i].a];
            const oribi_plan_buffer *b = &c->buffers[c->aliases[i].b];
            n_overlaps += a->out_pool == b->out_pool && a->out_offset < b->out_offset + b->bytes &&
                          b->out_offset < a->out_offset + a->bytes;
        }
        close_model(&m);
    }
    print_message("%d calls elided, %d buffers over others\n", n_elided, n_overlaps);
    assert_true(n_elided > 50 && n_overlaps > 500);
}

static void the_same_model_has_the_same_plan(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 60; seed++) {
        model a, b;
        make_model(&a, seed, 20);
        make_model(&b, seed, 20);
        plan(&a, 30000);
        plan(&b, 30000);
        const size_t n = (size_t)a.program.graph->n_values;
        assert_memory_equal(a.program.locations, b.program.locations,
                            n * sizeof *a.program.locations);
        close_model(&a);
        close_model(&b);
    }
}

/* A value one byte beside where it was planned must be seen by what runs the models. */
static void a_place_that_is_wrong_by_one_is_found(void **state)
{
    int32_t n_planted = 0, n_found = 0;
    (void)state;
    for (uint64_t seed = 1; seed < 200; seed++) {
        model m;
        make_model(&m, seed, 12);
        plan(&m, 30000);
        for (int32_t i = 0; i < m.program.graph->n_values; i++) {
            oribi_location *place = &m.program.locations[i];
            int32_t call;
            if (place->storage == ORIBI_IN_WORKSPACE && place->bytes > 0) {
                place->offset++;
                n_planted++;
                n_found += run_model(&m, &call) != NULL;
                place->offset--;
            }
        }
        close_model(&m);
    }
    print_message("%d of %d found\n", n_found, n_planted);
    assert_true(n_found * 10 > n_planted * 5);
}

/* So must an alias that allows one byte more than the kernel bears. */
static void an_alias_that_is_wrong_by_one_is_found(void **state)
{
    int32_t n_found = 0;
    (void)state;
    for (uint64_t seed = 1; seed < 600; seed++) {
        model m;
        int32_t call;
        make_model(&m, seed, 12);
        for (int32_t i = 0; i < m.program.n_calls; i++) {
            for (int32_t k = 0; k < m.calls[i].n_aliases; k++) {
                m.calls[i].aliases[k].distance += 4; /* the next offset that is aligned */
            }
        }
        plan(&m, 30000);
        assert_runs(&m, seed);
        for (int32_t i = 0; i < m.program.n_calls; i++) {
            for (int32_t k = 0; k < m.calls[i].n_aliases; k++) {
                m.calls[i].aliases[k].distance -= 4;
            }
        }
        n_found += run_model(&m, &call) != NULL;
        close_model(&m);
    }
    print_message("%d of 599 plans went too far\n", n_found);
    assert_true(n_found > 30);
}

/* What a device touches has its cache lines alone. */
static void buffers_of_devices_are_whole_cache_lines(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 100; seed++) {
        model m;
        make_model(&m, seed, 10);
        for (int32_t i = 0; i < m.program.n_calls; i++) {
            m.calls[i].device = m.calls[i].is_view ? 0 : random_below(2);
        }
        plan(&m, 30000);
        assert_runs(&m, seed);
        for (int32_t i = 0; i < m.program.n_calls; i++) {
            const oribi_call *call = &m.calls[i];
            const int32_t buffer = m.program.locations[call->node->outputs[0]].buffer;
            if (call->device > 0 && buffer >= 0) {
                assert_int_equal(m.program.buffers[buffer].bytes % ORIBI_CACHE_LINE, 0);
                assert_int_equal(m.program.buffers[buffer].out_offset % ORIBI_CACHE_LINE, 0);
            }
        }
        close_model(&m);
    }
}

static void an_allocation_that_fails_is_a_status(void **state)
{
    int32_t n = 0;
    (void)state;
    for (uint64_t nth = 1; nth < 200; nth++) {
        model m;
        make_model(&m, 7, 12);
        oribi_alloc_fail_at(nth, true);
        const bool ok = oribi_program_plan(&m.program, 1000, m.status);
        oribi_alloc_fail_at(0, false);
        assert_true(ok || TF_GetCode(m.status) == TF_RESOURCE_EXHAUSTED);
        n += !ok;
        close_model(&m);
        if (ok) {
            break;
        }
    }
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_models_find_their_bytes),
        cmocka_unit_test(the_same_model_has_the_same_plan),
        cmocka_unit_test(a_place_that_is_wrong_by_one_is_found),
        cmocka_unit_test(an_alias_that_is_wrong_by_one_is_found),
        cmocka_unit_test(buffers_of_devices_are_whole_cache_lines),
        cmocka_unit_test(an_allocation_that_fails_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
