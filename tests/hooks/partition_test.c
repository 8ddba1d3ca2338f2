/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions of graphs over devices: what is taken, by whom, in which order, and what targets are
 * told. The graphs are chains and diamonds of Relu, Neg and Add. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "oribi/oribi.h"
#include "plugin/plugin.h"
#include "target/target.h"
#include "tensor/status.h"
#include "support/graph_check.h"

/* --- Targets ---------------------------------------------------------------------------------- */

static const char *const relu[] = {"Relu"};
static const char *const relu_neg[] = {"Relu", "Neg"};

static int64_t ten_us(void *user, const oribi_region *region)
{
    (void)user;
    return 10 * oribi_region_num_nodes(region);
}

static int32_t not_rank_1(void *user, const oribi_region *region, char *why, size_t why_bytes)
{
    (void)user;
    TF_Status *status = TF_NewStatus();
    oribi_region_tensor tensor = {.struct_size = sizeof tensor};
    oribi_region_input(region, 0, 0, &tensor, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
    if (tensor.rank == 1) {
        snprintf(why, why_bytes, "rank %d", (int)tensor.rank);
        return 0;
    }
    assert_int_equal(tensor.dtype, TF_FLOAT);
    assert_int_equal(tensor.bytes, 4 * tensor.dims[0] * tensor.dims[1]);
    return 1;
}

static void write_op(void *user, const oribi_region *region, oribi_target_code *code,
                     TF_Status *status)
{
    (void)user;
    const int32_t params[2] = {oribi_region_num_nodes(region), 7};
    oribi_target_set_op(code, 42);
    oribi_target_set_scratch(code, 16);
    oribi_target_set_params(code, params, sizeof params, 4, status);
}

static const oribi_target_pattern patterns[] = {
    {sizeof(oribi_target_pattern), "relu", relu, 1, not_rank_1, ten_us, write_op, NULL},
    {sizeof(oribi_target_pattern), "relu+neg", relu_neg, 2, not_rank_1, ten_us, write_op, NULL},
};
static const oribi_target tester = {
    .struct_size = sizeof(oribi_target),
    .name = "tester",
    .device_api = 1,
    .patterns = patterns,
    .n_patterns = 2,
};

/* Whatever a target reads or says after a failure, the first one is what it is told. */
static void a_failure_stays(const oribi_region *region, oribi_target_code *code, TF_Status *status)
{
    oribi_region_tensor none = {.struct_size = sizeof none};
    const oribi_target_scratch scratch = {.struct_size = sizeof scratch, .bytes = 1 << 20};
    const int64_t misspelt = oribi_region_attr_int(region, 1, "depth_radios", status);
    const oribi_target_code before = *code;
    char told[256];
    assert_int_equal(misspelt, 0);
    assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);
    (void)snprintf(told, sizeof told, "%s", TF_Message(status));
#define STAYS(call)                                                                                \
    do {                                                                                           \
        call;                                                                                      \
        assert_int_equal(TF_GetCode(status), TF_NOT_FOUND);                                        \
        assert_string_equal(TF_Message(status), told);                                             \
    } while (0)
    STAYS(oribi_region_input(region, 0, 0, &none, status));
    STAYS(oribi_region_output(region, 0, 0, &none, status));
    STAYS(assert_int_equal(oribi_region_attr_int(region, 1, "depth_radius", status), 0));
    STAYS(assert_float_equal(oribi_region_attr_float(region, 1, "alpha", status), 0, 0));
    STAYS(assert_int_equal(oribi_region_attr_bool(region, 1, "alpha", status), 0));
    STAYS(assert_int_equal(oribi_region_attr_type(region, 1, "T", status), 0));
    STAYS(assert_null(oribi_region_attr_string(region, 0, "padding", status)));
    STAYS(assert_int_equal(oribi_region_attr_ints(region, 0, "ksize", NULL, 0, status), 0));
    STAYS(assert_int_equal(oribi_region_attr_floats(region, 0, "ksize", NULL, 0, status), 0));
    STAYS(oribi_target_set_params(code, told, 4, 4, status));
    STAYS(assert_true(oribi_target_add_constant(code, told, 4, 4, status) == SIZE_MAX));
    STAYS(oribi_target_share_scratch(code, &scratch, status));
    STAYS(oribi_target_set_body(code, NULL, "return 0;", status));
    STAYS(oribi_target_set_arguments(code, told, 4, status));
    STAYS(oribi_target_set_in_place(code, 0, status));
#undef STAYS
    assert_null(none.name);
    assert_memory_equal(code, &before, sizeof before);
    oribi_target_refuse(code, 0, "has a radios", status); /* an answer, and no failure */
    assert_int_equal(TF_GetCode(status), TF_OK);
    *code = before;
}

/* Reads all there is to read of a pool and of a normalization behind it. */
static void write_read(void *user, const oribi_region *region, oribi_target_code *code,
                       TF_Status *status)
{
    int64_t sizes[4] = {0};
    float scales[2] = {0};
    oribi_region_tensor out = {.struct_size = sizeof out};
    (void)user;
    assert_string_equal(oribi_region_op(region, 0), "MaxPool");
    assert_null(oribi_region_op(region, 2));
    assert_string_equal(oribi_region_node_name(region, 1), "n");
    assert_int_equal(oribi_region_num_inputs(region, 1), 1);
    assert_int_equal(oribi_region_num_outputs(region, 1), 1);
    oribi_region_output(region, 0, 0, &out, status);
    assert_int_equal(out.rank, 4);
    assert_int_equal(out.dims[1], 2);
    assert_null(out.constant);
    assert_int_equal(oribi_region_attr_ints(region, 0, "ksize", sizes, 4, status), 4);
    assert_int_equal(sizes[1], 2);
    assert_int_equal(oribi_region_attr_ints(region, 0, "ksize", NULL, 0, status), 4);
    assert_string_equal(oribi_region_attr_string(region, 0, "padding", status), "VALID");
    assert_int_equal(oribi_region_attr_int(region, 1, "depth_radius", status), 3);
    assert_float_equal(oribi_region_attr_float(region, 1, "alpha", status), 0.5, 0);
    assert_int_equal(TF_GetCode(status), TF_OK);
    assert_int_equal(oribi_region_attr_floats(region, 1, "alpha", scales, 2, status), 0);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    oribi_region_output(region, 5, 0, &out, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    oribi_target_set_params(code, sizes, 8, 3, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    a_failure_stays(region, code, status);
    oribi_target_set_body(code, "int x(void);", "return x();", status);
}

static const char *const pool_lrn[] = {"MaxPool", "LRN"};
static const oribi_target_pattern reading[] = {
    {sizeof(oribi_target_pattern), "pool+lrn", pool_lrn, 2, NULL, NULL, write_read, NULL},
};
static const oribi_target reader = {
    .struct_size = sizeof(oribi_target),
    .name = "reader",
    .patterns = reading,
    .n_patterns = 1,
};

/* --- Graphs ----------------------------------------------------------------------------------- */

typedef struct fixture {
    oribi_graph *graph;
    oribi_partition partition;
    TF_Status *status;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.status = TF_NewStatus()};
    assert_true(oribi_plugin_load_built_ins(f.status));
    if (oribi_target_find("tester") == NULL) {
        oribi_target_register(&tester, f.status);
        assert_int_equal(TF_GetCode(f.status), TF_OK);
    }
    f.graph = oribi_graph_create(f.status);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    oribi_partition_destroy(&f->partition);
    oribi_graph_destroy(f->graph);
    TF_DeleteStatus(f->status);
    return 0;
}

static oribi_value_id input(fixture *f, int32_t rank)
{
    int64_t dims[2] = {2, 3};
    const oribi_shape shape = {rank, dims};
    const oribi_value_id id = oribi_graph_add_value(f->graph, "x", TF_FLOAT, &shape, f->status);
    assert_true(oribi_graph_add_input(f->graph, id, "x", f->status));
    return id;
}

static oribi_value_id node(fixture *f, const char *op, const char *name, oribi_value_id a,
                           oribi_value_id b)
{
    const oribi_value_id inputs[2] = {a, b};
    oribi_node *made =
        oribi_graph_add_node(f->graph, op, name, inputs, b >= 0 ? 2 : 1, 1, f->status);
    assert_true(oribi_graph_resolve(f->graph, made, f->status));
    return made->outputs[0];
}

static void finish(fixture *f, oribi_value_id output)
{
    assert_true(oribi_graph_add_output(f->graph, output, "y", f->status));
    assert_true(oribi_graph_sort(f->graph, f->status));
}

static void add_devices(fixture *f, const char *first, const char *second)
{
    assert_true(oribi_partition_add_device(&f->partition, first, f->status));
    if (second != NULL) {
        assert_true(oribi_partition_add_device(&f->partition, second, f->status));
    }
}

/* Partitions and compares "op of node, device" in order: "a:Region/npu1 c:Add". */
static void expect(fixture *f, const char *const *assignments, int32_t n, const char *expected)
{
    oribi_text text = {0};
    assert_true(oribi_partition_graph(&f->partition, f->graph, assignments, n, f->status));
    assert_true(oribi_graph_check(f->graph, f->status));
    for (int32_t i = 0; i < f->graph->n_order; i++) {
        const oribi_node *at = f->graph->nodes[f->graph->order[i]];
        const bool is_region = strcmp(at->op_name, ORIBI_REGION_OP) == 0;
        oribi_text_printf(&text, "%s%s", i > 0 ? " " : "", at->op_name);
        if (is_region) {
            const oribi_attr *index = oribi_attrs_find(&at->attrs, "region");
            const oribi_region *region = &f->partition.regions[index->u.i[0]];
            oribi_text_printf(&text, "/%s/%d", f->partition.devices[region->device].name,
                              (int)region->n_nodes);
        }
    }
    assert_string_equal(oribi_text_string(&text), expected);
    oribi_text_destroy(&text);
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void longest_chains_are_taken(void **state)
{
    fixture *f = *state;
    const oribi_value_id a = node(f, "Relu", "a", input(f, 2), -1);
    const oribi_value_id b = node(f, "Neg", "b", a, -1);
    finish(f, node(f, "Exp", "c", node(f, "Relu", "d", b, -1), -1));
    add_devices(f, "tester", NULL);
    expect(f, NULL, 0, "Oribi>Region/tester/2 Oribi>Region/tester/1 Exp");
    const oribi_target_code *code = &f->partition.regions[0].code;
    assert_int_equal(code->op, 42);
    assert_int_equal(code->params_bytes, 8);
    assert_int_equal(((const int32_t *)code->params)[0], 2);
    assert_int_equal(code->scratch_bytes, 16);
    const oribi_value *y = f->graph->values[f->graph->outputs[0]];
    assert_int_equal(y->shape.dims[1], 3);
}

/* What another node reads cannot vanish inside a region. */
static void a_value_that_others_read_stays(void **state)
{
    fixture *f = *state;
    const oribi_value_id a = node(f, "Relu", "a", input(f, 2), -1);
    finish(f, node(f, "AddV2", "c", node(f, "Neg", "b", a, -1), a));
    add_devices(f, "tester", NULL);
    expect(f, NULL, 0, "Oribi>Region/tester/1 Neg AddV2");
}

/* The order of the model is kept, so that the device and the CPU can work side by side. */
static void a_region_runs_where_its_last_node_ran(void **state)
{
    fixture *f = *state;
    const oribi_value_id x = node(f, "Exp", "w", input(f, 2), -1);
    const oribi_value_id a = node(f, "Relu", "a", x, -1);
    const oribi_value_id b = node(f, "Neg", "b", x, -1);
    finish(f, node(f, "AddV2", "c", a, b));
    add_devices(f, "tester", NULL);
    expect(f, NULL, 0, "Exp Oribi>Region/tester/1 Neg AddV2");
}

static void reasons_are_kept(void **state)
{
    fixture *f = *state;
    finish(f, node(f, "Relu", "a", input(f, 1), -1));
    add_devices(f, "tester", NULL);
    expect(f, NULL, 0, "Relu");
    assert_int_equal(f->partition.n_notes, 1);
    assert_string_equal(f->partition.notes[0].node, "a");
    assert_string_equal(f->partition.notes[0].why, "rank 1");
}

/* A device computes whatever it is called for; a branch may have reasons not to. */
static void branches_stay_on_the_cpu(void **state)
{
    fixture *f = *state;
    const oribi_value_id x = input(f, 2);
    const oribi_value_id a = node(f, "Relu", "a", x, -1), b = node(f, "Relu", "b", a, -1);
    f->graph->nodes[f->graph->values[a]->producer]->guard = x + 1;
    finish(f, node(f, "AddV2", "c", a, b));
    add_devices(f, "tester", NULL);
    expect(f, NULL, 0, "Relu Oribi>Region/tester/1 AddV2");
    assert_string_equal(f->partition.notes[0].node, "a");
    assert_non_null(strstr(f->partition.notes[0].why, "branch of a condition"));
}

static void instances_share_by_load_or_by_name(void **state)
{
    fixture *f = *state;
    oribi_value_id v = input(f, 2);
    for (int i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "r%d", i);
        v = node(f, "Exp", "e", node(f, "Relu", name, v, -1), -1);
    }
    finish(f, v);
    add_devices(f, "npu1=tester", "npu2=tester");
    const char *const assignments[] = {"r2=cpu"};
    expect(f, assignments, 1, "Oribi>Region/npu1/1 Exp Oribi>Region/npu2/1 Exp Relu Exp");
}

static void assignments_name_instances(void **state)
{
    fixture *f = *state;
    finish(f, node(f, "Relu", "r", input(f, 2), -1));
    add_devices(f, "npu1=tester", "npu2=tester");
    const char *const bad[] = {"r=npu3"};
    assert_false(oribi_partition_graph(&f->partition, f->graph, bad, 1, f->status));
    assert_non_null(strstr(TF_Message(f->status), "npu3"));
    const char *const good[] = {"r=npu2"};
    expect(f, good, 1, "Oribi>Region/npu2/1");
}

static void assignments_of_no_node_are_refused(void **state)
{
    fixture *f = *state;
    static const char *const assignments[] = {"nobody=cpu"};
    const oribi_value_id x = input(f, 2);
    finish(f, node(f, "Relu", "r", x, -1));
    add_devices(f, "tester", NULL);
    assert_false(oribi_partition_graph(&f->partition, f->graph, assignments, 1, f->status));
    assert_int_equal(TF_GetCode(f->status), TF_NOT_FOUND);
}

static void devices_are_checked(void **state)
{
    fixture *f = *state;
    assert_false(oribi_partition_add_device(&f->partition, "nothing", f->status));
    assert_int_equal(TF_GetCode(f->status), TF_NOT_FOUND);
    assert_non_null(strstr(TF_Message(f->status), "tester"));
    add_devices(f, "tester", NULL);
    assert_false(oribi_partition_add_device(&f->partition, "tester", f->status));
    assert_int_equal(TF_GetCode(f->status), TF_ALREADY_EXISTS);
    assert_false(oribi_partition_add_device(&f->partition, "a b=tester", f->status));
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
}

static void targets_read_what_they_take(void **state)
{
    fixture *f = *state;
    static const int64_t ksize[4] = {1, 2, 2, 1};
    int64_t dims[4] = {1, 4, 4, 8};
    const oribi_shape shape = {4, dims};
    oribi_value_id x = oribi_graph_add_value(f->graph, "x", TF_FLOAT, &shape, f->status);
    assert_true(oribi_graph_add_input(f->graph, x, "x", f->status));
    oribi_arena *arena = &f->graph->arena;
    oribi_node *pool = oribi_graph_add_node(f->graph, "MaxPool", "p", &x, 1, 1, f->status);
    assert_true(oribi_attrs_set_ints(&pool->attrs, arena, "ksize", ksize, 4) &&
                oribi_attrs_set_ints(&pool->attrs, arena, "strides", ksize, 4) &&
                oribi_attrs_set_string(&pool->attrs, arena, "padding", "VALID"));
    assert_true(oribi_graph_resolve(f->graph, pool, f->status));
    oribi_node *lrn = oribi_graph_add_node(f->graph, "LRN", "n", pool->outputs, 1, 1, f->status);
    assert_true(oribi_attrs_set_int(&lrn->attrs, arena, "depth_radius", 3) &&
                oribi_attrs_set_float(&lrn->attrs, arena, "alpha", 0.5f));
    assert_true(oribi_graph_resolve(f->graph, lrn, f->status));
    finish(f, lrn->outputs[0]);
    if (oribi_target_find("reader") == NULL) {
        oribi_target_register(&reader, f->status);
    }
    add_devices(f, "reader", NULL);
    expect(f, NULL, 0, "Oribi>Region/reader/2");
    assert_string_equal(f->partition.regions[0].code.body, "return x();");
}

static void targets_are_checked(void **state)
{
    fixture *f = *state;
    oribi_target bad = tester;
    oribi_set_log(NULL, NULL);
    oribi_target_register(&bad, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_ALREADY_EXISTS);
    bad.name = "1st";
    oribi_target_register(&bad, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    bad.name = "other";
    bad.memory_alignment = 3;
    oribi_target_register(&bad, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    bad = tester;
    bad.name = "other";
    bad.n_patterns = 0;
    oribi_target_register(&bad, f->status);
    assert_non_null(strstr(TF_Message(f->status), "no patterns"));
    assert_null(oribi_target_find("other"));
}

static void without_hooks_there_are_no_hooks(void **state)
{
    fixture *f = *state;
    oribi_target bad = tester;
    oribi_set_log(NULL, NULL);
    bad.device_api = 0;
    bad.name = "plain";
    bad.is_asynchronous = 1;
    oribi_target_register(&bad, f->status);
    assert_non_null(strstr(TF_Message(f->status), "without device_api no hooks are called"));
    bad = tester;
    bad.name = "plain";
    bad.cache_line = 48;
    oribi_target_register(&bad, f->status);
    assert_non_null(strstr(TF_Message(f->status), "cache_line powers of two"));
    bad = tester;
    bad.name = "plain";
    bad.device_api = 0;
    bad.has_load = 1;
    oribi_target_register(&bad, f->status);
    assert_non_null(strstr(TF_Message(f->status), "addresses of its own or Load"));
    static oribi_target plain; /* stays registered */
    plain = tester;
    plain.name = "plain";
    plain.device_api = 0;
    oribi_target_register(&plain, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_OK);
    const oribi_value_id x = input(f, 2);
    finish(f, node(f, "Relu", "r", x, -1));
    add_devices(f, "plain", NULL);
    assert_false(oribi_partition_graph(&f->partition, f->graph, NULL, 0, f->status));
    assert_non_null(strstr(TF_Message(f->status), "its writer calls oribi_target_set_body"));
}

/* Contracts before 1.4 knew no Load; what lies behind their struct is not theirs. */
static void a_target_that_ends_before_load_has_none(void **state)
{
    fixture *f = *state;
    static oribi_target older, newer; /* they stay registered */
    older = tester;
    older.name = "older";
    older.struct_size = TF_OFFSET_OF_END(oribi_target, cache_line);
    older.has_load = 1;
    older.driver_contract = 999;
    oribi_target_register(&older, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_OK);
    assert_false(oribi_target_has_load(&older));
    assert_int_equal(oribi_target_driver_contract(&older), 0);
    newer = older;
    newer.name = "newer";
    newer.struct_size = sizeof newer;
    oribi_set_log(NULL, NULL);
    oribi_target_register(&newer, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(f->status), "driver_contract is 999"));
    newer.driver_contract = 104;
    oribi_target_register(&newer, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_OK);
    assert_true(oribi_target_has_load(&newer));
    older.struct_size -= 1;
    older.name = "oldest";
    oribi_target_register(&older, f->status);
    assert_non_null(strstr(TF_Message(f->status), "has no struct_size"));
    older = newer; /* for who looks for it later */
    older.name = "older";
}

static void constants_are_put_behind_each_other_as_they_are_aligned(void **state)
{
    fixture *f = *state;
    static const uint8_t bytes[6] = {1, 2, 3, 4, 5, 6};
    oribi_arena arena = {0};
    oribi_target_code code = {.arena = &arena, .params_alignment = 4};
    oribi_target_set_params(&code, bytes, 3, 2, f->status);
    assert_int_equal(oribi_target_add_constant(&code, bytes, 6, 1, f->status), 3);
    assert_int_equal(oribi_target_add_constant(&code, bytes, 2, 64, f->status), 64);
    assert_int_equal(code.params_bytes, 66);
    assert_int_equal(code.params_alignment, 64);
    const uint8_t *params = code.params;
    assert_memory_equal(params, bytes, 3);
    assert_memory_equal(params + 3, bytes, 6);
    assert_int_equal(params[40], 0);
    assert_memory_equal(params + 64, bytes, 2);
    assert_true(oribi_target_add_constant(&code, bytes, 1, 3, f->status) == SIZE_MAX);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    assert_true(oribi_target_add_constant(&code, NULL, 1, 4, f->status) == SIZE_MAX);
    oribi_target_set_body(&code, NULL, NULL, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    assert_int_equal(code.params_bytes, 66);
    oribi_arena_destroy(&arena);
}

static void shared_scratch_has_places_below_two_gigabytes(void **state)
{
    fixture *f = *state;
    static const int64_t places[2] = {0, -1}, until[1] = {3};
    oribi_arena arena = {0};
    oribi_target_code code = {.arena = &arena, .params_alignment = 4};
    oribi_target_scratch scratch = {.struct_size = sizeof scratch,
                                    .bytes = 100,
                                    .places = places,
                                    .n_places = 2,
                                    .until = until,
                                    .n_until = 1};
    oribi_target_share_scratch(&code, &scratch, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_OK);
    assert_int_equal(code.scratch_bytes, 100);
    assert_memory_equal(code.shared->places, places, sizeof places);
    scratch.bytes = (size_t)INT32_MAX + 1;
    oribi_target_share_scratch(&code, &scratch, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    scratch.bytes = 100;
    scratch.n_until = 3; /* more than places */
    oribi_target_share_scratch(&code, &scratch, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    oribi_target_share_scratch(&code, NULL, f->status);
    assert_int_equal(TF_GetCode(f->status), TF_INVALID_ARGUMENT);
    assert_int_equal(code.scratch_bytes, 100);
    oribi_arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(longest_chains_are_taken),
        CASE(a_value_that_others_read_stays),
        CASE(a_region_runs_where_its_last_node_ran),
        CASE(reasons_are_kept),
        CASE(branches_stay_on_the_cpu),
        CASE(instances_share_by_load_or_by_name),
        CASE(assignments_name_instances),
        CASE(assignments_of_no_node_are_refused),
        CASE(devices_are_checked),
        CASE(targets_read_what_they_take),
        CASE(targets_are_checked),
        CASE(without_hooks_there_are_no_hooks),
        CASE(a_target_that_ends_before_load_has_none),
        CASE(constants_are_put_behind_each_other_as_they_are_aligned),
        CASE(shared_scratch_has_places_below_two_gigabytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
