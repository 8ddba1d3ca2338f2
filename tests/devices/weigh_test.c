/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are not worth their copies run on the CPU: which, which copies are left, and what
 * overrides it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "devices/on_fake.h"

enum { WIDE = 192, TALL = 32 };

static int setup(void **state)
{
    (void)state;
    device_load("");
    return 0;
}

/* Copies weighed, unlike device_session. `places` as there. */
static oribi_session *weighed(small_graph g, const char *const *places, bool keeps)
{
    TF_Status *status = TF_NewStatus();
    oribi_options *options = small_options();
    oribi_options_set_device(options, "FAKE:0", status);
    for (int i = 0; places != NULL && places[i] != NULL; i++) {
        oribi_options_place_node(options, places[i], "FAKE:0", status);
    }
    oribi_options_set_keep_islands(options, keeps);
    oribi_session *session = oribi_session_from_graph(g.graph, options, status);
    small_expect_ok(status);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    TF_DeleteStatus(status);
    return session;
}

/* The text of `inspect --explain`, in a buffer of the caller's. */
static const char *explain(oribi_session *session, const char *node, char text[2000])
{
    char what[64];
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = TF_NewBuffer();
    snprintf(what, sizeof what, "explain:%s", node);
    oribi_session_describe(session, what, json, status);
    small_expect_ok(status);
    snprintf(text, 2000, "%.*s", (int)json->length, (const char *)json->data);
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return text;
}

static bool is_moved(oribi_session *session, const char *node)
{
    char text[2000];
    return strstr(explain(session, node, text),
                  "\"moved\":\"on the CPU, though FAKE:0 has a kernel: ") != NULL &&
           strstr(text, "\"device\":\"CPU\"") != NULL;
}

static bool is_on_device(oribi_session *session, const char *node)
{
    char text[2000];
    return strstr(explain(session, node, text), "\"device\":\"FAKE\"") != NULL &&
           strstr(text, "\"moved\"") == NULL;
}

static void expect_transfers(oribi_session *session, int n_copies, int n_waits)
{
    assert_int_equal(device_count_steps(session, "\"op\":\"Copy\""), n_copies);
    assert_int_equal(device_count_steps(session, "\"op\":\"Wait\""), n_waits);
}

static void expect_as_cpu(small_graph on_cpu, oribi_session *session, int64_t columns)
{
    const int64_t dims[] = {ROWS, columns};
    oribi_session *cpu = device_session(on_cpu, NULL, NULL);
    oribi_run *expected = small_run_of(cpu), *run = small_run_of(session);
    small_bind(expected, 0, small_tensor(2, dims, -3));
    small_bind(run, 0, small_tensor(2, dims, -3));
    small_execute(expected);
    small_execute(run);
    device_expect_same(expected, run);
    oribi_run_destroy(expected);
    oribi_run_destroy(run);
    oribi_session_destroy(cpu);
    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

/* Three nodes are more work than one of this size; the product before the CPU's Tanh is not worth
 * two copies and a wait. */
static void a_small_island_before_a_node_of_the_cpu_goes_there_too(void **state)
{
    (void)state;
    oribi_session *session = weighed(device_dense(ROWS, true), NULL, false);

    assert_true(is_moved(session, "product"));
    assert_true(is_on_device(session, "sum") && is_on_device(session, "relu") &&
                is_on_device(session, "flat"));
    expect_transfers(session, 2, 1);
    expect_as_cpu(device_dense(ROWS, true), session, INNER);
}

static void without_a_node_of_the_cpu_nothing_moves(void **state)
{
    (void)state;
    oribi_session *session = weighed(device_dense(ROWS, false), NULL, false);

    assert_true(is_on_device(session, "product") && is_on_device(session, "sum") &&
                is_on_device(session, "relu") && is_on_device(session, "flat"));
    expect_transfers(session, 2, 1);
    expect_as_cpu(device_dense(ROWS, false), session, INNER);
}

static void a_node_that_was_placed_by_name_stays(void **state)
{
    (void)state;
    static const char *const places[] = {"product", NULL};
    oribi_session *session = weighed(device_dense(ROWS, true), places, false);

    assert_true(is_on_device(session, "product") && is_on_device(session, "sum") &&
                is_on_device(session, "relu") && is_on_device(session, "flat"));
    expect_transfers(session, 4, 2);
    expect_as_cpu(device_dense(ROWS, true), session, INNER);
}

static void an_option_keeps_all_islands(void **state)
{
    (void)state;
    oribi_session *session = weighed(device_dense(ROWS, true), NULL, true);

    assert_true(is_on_device(session, "sum") && is_on_device(session, "relu"));
    expect_transfers(session, 4, 2);
    oribi_session_destroy(session);
}

static void what_has_no_known_shape_is_not_weighed(void **state)
{
    (void)state;
    oribi_session *session = weighed(device_dense(-1, true), NULL, false);

    assert_true(is_on_device(session, "product") && is_on_device(session, "sum"));
    expect_transfers(session, 4, 2);
    oribi_session_destroy(session);
}

static oribi_value_id square(small_graph *g, const char *name)
{
    const int64_t dims[] = {WIDE, WIDE};
    float *data = calloc((size_t)WIDE * WIDE, sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < WIDE * WIDE; i++) {
        data[i] = (float)(i % 11) * 0.001f;
    }
    const oribi_value_id id =
        oribi_graph_add_constant_copy(g->graph, name, TF_FLOAT, dims, 2, data, g->status);
    free(data);
    assert_true(id >= 0);
    return id;
}

/* z = Tanh(x W) V, by MatMul or another op. */
static small_graph two_products_by(const char *op, int64_t rows)
{
    const int64_t dims[] = {rows, WIDE};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    const oribi_value_id w = square(&g, "w"), v = square(&g, "v");
    const oribi_value_id one = device_node(&g, op, "one", (oribi_value_id[]){x, w}, 2);
    const oribi_value_id tanh = device_node(&g, "Tanh", "tanh", &one, 1);
    const oribi_value_id two = device_node(&g, op, "two", (oribi_value_id[]){tanh, v}, 2);
    small_output(&g, two, "z");
    return g;
}

static small_graph two_products(int64_t rows)
{
    return two_products_by("MatMul", rows);
}

/* 32 rows: 2.4 million operations are 118 us of the CPU, two copies some 20. */
static void an_island_with_enough_work_stays(void **state)
{
    (void)state;
    oribi_session *large = weighed(two_products(TALL), NULL, false);
    assert_true(is_on_device(large, "one") && is_on_device(large, "two"));
    expect_transfers(large, 4, 2);
    oribi_session_destroy(large);

    oribi_session *small = weighed(two_products(ROWS), NULL, false); /* 15 us are less */
    assert_true(is_on_device(small, "one") && is_moved(small, "two"));
    expect_transfers(small, 2, 2);
    expect_as_cpu(two_products(ROWS), small, WIDE);
}

/* By its trait `cost`, a vendor's product is the work that MatMul is; without, it is one operation
 * an element. */
static void a_vendor_s_product_is_weighed_by_what_it_says(void **state)
{
    (void)state;
    char ours[2000], theirs[2000];
    TF_Status *status = TF_NewStatus();
    oribi_plugin_load_file(TEST_BINARY "/tests/plugin/plugins/vendor_ops.so", status);
    small_expect_ok(status);
    TF_DeleteStatus(status);
    oribi_session *large = weighed(two_products_by("Test>Product", TALL), NULL, false);
    assert_true(is_on_device(large, "one") && is_on_device(large, "two"));
    oribi_session_destroy(large);

    oribi_session *built_in = weighed(two_products(ROWS), NULL, false);
    oribi_session *small = weighed(two_products_by("Test>Product", ROWS), NULL, false);
    assert_true(is_on_device(small, "one") && is_moved(small, "two"));
    const char *wanted = strstr(explain(built_in, "two", ours), "\"moved\"");
    const char *found = strstr(explain(small, "two", theirs), "\"moved\"");
    assert_true(wanted != NULL && found != NULL);
    assert_memory_equal(found, wanted, strcspn(wanted, ",}"));
    oribi_session_destroy(built_in);
    oribi_session_destroy(small);

    oribi_session *silent = weighed(two_products_by("Test>SilentProduct", TALL), NULL, false);
    assert_true(is_moved(silent, "two"));
    oribi_session_destroy(silent);
}

/* z = (Tanh(x) + Tanh(Tanh(x))) W: the sum has two operands on the CPU, the product is large. */
static small_graph border(void)
{
    const int64_t dims[] = {ROWS, WIDE};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    const oribi_value_id a = device_node(&g, "Tanh", "a", &x, 1);
    const oribi_value_id b = device_node(&g, "Tanh", "b", &a, 1);
    const oribi_value_id sum = device_node(&g, "AddV2", "sum", (oribi_value_id[]){a, b}, 2);
    const oribi_value_id product =
        device_node(&g, "MatMul", "product", (oribi_value_id[]){sum, square(&g, "w")}, 2);
    small_output(&g, product, "z");
    return g;
}

static void a_node_at_the_border_moves_where_that_saves_a_copy(void **state)
{
    (void)state;
    oribi_session *session = weighed(border(), NULL, false);

    assert_true(is_moved(session, "sum") && is_on_device(session, "product"));
    expect_transfers(session, 2, 1);
    expect_as_cpu(border(), session, WIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_island_before_a_node_of_the_cpu_goes_there_too),
        cmocka_unit_test(without_a_node_of_the_cpu_nothing_moves),
        cmocka_unit_test(a_node_that_was_placed_by_name_stays),
        cmocka_unit_test(an_option_keeps_all_islands),
        cmocka_unit_test(what_has_no_known_shape_is_not_weighed),
        cmocka_unit_test(an_island_with_enough_work_stays),
        cmocka_unit_test(a_vendor_s_product_is_weighed_by_what_it_says),
        cmocka_unit_test(a_node_at_the_border_moves_where_that_saves_a_copy),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
