/* SPDX-License-Identifier: Apache-2.0 */
/* A model that is translated for each set of input shapes: runs find, keep and change what was made
 * for them, and applications see one session.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "session/session_internal.h"
#include "support/fail_nth.h"
#include "support/onnx_import.h"

/* A transposed convolution, which wants sizes, by one tap of 1, then windows of 2 x 2 at stride 2,
 * each with its last element. */
static bytes pool_model(bool is_ranked)
{
    bytes graph = {0};
    bytes node = make_node("", "MaxPool", "pool", "z", "y");
    const float one = 1.0f;
    put_attr_ints(&node, "kernel_shape", (int64_t[]){2, 2}, 2);
    put_attr_ints(&node, "strides", (int64_t[]){2, 2}, 2);
    put_attr_int(&node, "ceil_mode", 1);
    put_node(&graph, "", "ConvTranspose", "same", "x,w", "z");
    put_message(&graph, 1, &node);
    put_initialiser(&graph, "w", 1, (int64_t[]){1, 1, 1, 1}, 4, &one, sizeof one);
    put_value(&graph, GRAPH_INPUT, "x", 1, (int64_t[]){1, -1, -1, -1}, is_ranked ? 4 : -1);
    put_value(&graph, GRAPH_OUTPUT, "y", 1, (int64_t[]){1, -1, -1, -1}, 4);
    return make_model(13, &graph);
}

typedef struct pooled { /* what most tests begin with */
    bytes bytes;
    oribi_session *session;
    oribi_run *run;
    TF_Status *status;
} pooled;

static pooled open_pool(bool is_ranked)
{
    pooled p = {.bytes = pool_model(is_ranked), .status = TF_NewStatus()};
    oribi_model *model = oribi_model_from_memory(p.bytes.data, p.bytes.n, "pool", NULL, p.status);
    assert_non_null(model);
    assert_int_equal(oribi_model_num_outputs(model), 1);
    assert_string_equal(oribi_model_output_name(model, 0), "y");
    p.session = oribi_session_create(model, NULL, p.status);
    assert_non_null(p.session);
    oribi_model_destroy(model); /* sessions live on, and translate */
    p.run = oribi_run_create(p.session, p.status);
    assert_non_null(p.run);
    return p;
}

static void close_pool(pooled *p)
{
    oribi_run_destroy(p->run);
    oribi_session_destroy(p->session);
    TF_DeleteStatus(p->status);
    free(p->bytes.data);
}

static TF_Tensor *ramp(int64_t h, int64_t w)
{
    const int64_t dims[] = {1, 1, h, w};
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, dims, 4, (size_t)(h * w) * sizeof(float));
    for (int64_t i = 0; x != NULL && i < h * w; i++) {
        ((float *)TF_TensorData(x))[i] = (float)i;
    }
    return x;
}

static bool bind(oribi_run *run, int64_t h, int64_t w, TF_Status *status)
{
    TF_Tensor *x = ramp(h, w);
    if (x != NULL) {
        oribi_run_set_input(run, 0, x, status);
    }
    TF_DeleteTensor(x);
    return x != NULL && TF_GetCode(status) == TF_OK;
}

/* Output 0 is what h x w becomes. */
static bool is_pooled(oribi_run *run, int64_t h, int64_t w, TF_Status *status)
{
    TF_Tensor *y = oribi_run_output(run, 0, status);
    const int64_t count = ((h + 1) / 2) * ((w + 1) / 2);
    const bool ok = y != NULL && TF_NumDims(y) == 4 && TF_Dim(y, 2) == (h + 1) / 2 &&
                    TF_Dim(y, 3) == (w + 1) / 2 &&
                    ((float *)TF_TensorData(y))[count - 1] == (float)(h * w - 1);
    TF_DeleteTensor(y);
    return ok;
}

static void execute(pooled *p, int64_t h, int64_t w)
{
    assert_true(bind(p->run, h, w, p->status));
    oribi_run_execute(p->run, p->status);
    assert_int_equal(TF_GetCode(p->status), TF_OK);
    assert_true(is_pooled(p->run, h, w, p->status));
}

static void a_run_needs_no_shapes_but_its_inputs(void **state)
{
    (void)state;
    for (int is_ranked = 0; is_ranked < 2; is_ranked++) {
        pooled p = open_pool(is_ranked != 0);
        for (int64_t h = 2; h <= 3 * ORIBI_MAX_SPECIALS; h++) { /* more than are kept */
            execute(&p, h, 7);
        }
        execute(&p, 2, 7);
        execute(&p, 2, 7);
        close_pool(&p);
    }
}

static void runs_of_other_shapes_share_the_session(void **state)
{
    (void)state;
    pooled p = open_pool(true);
    oribi_run *other = oribi_run_create(p.session, p.status);
    assert_non_null(other);
    execute(&p, 4, 4);

    assert_true(bind(other, 5, 5, p.status));
    oribi_run_execute(other, p.status);
    assert_true(is_pooled(other, 5, 5, p.status));
    assert_ptr_not_equal(other->session, p.run->session);
    assert_ptr_equal(other->session->meter, p.run->session->meter);
    assert_ptr_equal(other->session->pool, p.run->session->pool);
    assert_true(bind(other, 4, 4, p.status));
    oribi_run_execute(other, p.status);

    assert_ptr_equal(other->session, p.run->session);
    oribi_session_destroy(p.session); /* runs have a reference */
    p.session = NULL;
    execute(&p, 3, 9);
    oribi_run_destroy(other);
    close_pool(&p);
}

static void what_was_computed_stays_when_shapes_change(void **state)
{
    (void)state;
    pooled p = open_pool(true);
    execute(&p, 6, 6);
    TF_Tensor *y = oribi_run_output(p.run, 0, p.status);

    execute(&p, 8, 2);
    assert_true(((float *)TF_TensorData(y))[8] == 35.0f);
    assert_true(bind(p.run, 0, 2, p.status)); /* a window does not fit */
    oribi_run_execute(p.run, p.status);

    assert_int_not_equal(TF_GetCode(p.status), TF_OK);
    assert_non_null(strstr(TF_Message(p.status), "pool"));
    TF_SetStatus(p.status, TF_OK, "");
    assert_true(is_pooled(p.run, 8, 2, p.status)); /* that of the last good run */
    execute(&p, 8, 2);
    TF_DeleteTensor(y);
    close_pool(&p);
}

static void what_contradicts_the_model_is_no_input(void **state)
{
    (void)state;
    pooled p = open_pool(true);
    const int64_t two[] = {2, 1, 1, 1};
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, two, 4, 8);
    oribi_run_set_input(p.run, 0, x, p.status);
    assert_int_equal(TF_GetCode(p.status), TF_INVALID_ARGUMENT);
    TF_DeleteTensor(x);
    close_pool(&p);
}

static void a_shape_that_returns_allocates_nothing(void **state)
{
    (void)state;
    pooled p = open_pool(true);
    for (int i = 0; i < 4; i++) {
        execute(&p, 6, 6);
    }
    assert_true(bind(p.run, 6, 6, p.status));
    oribi_alloc_fail_at(1, true);
    oribi_run_execute(p.run, p.status);
    oribi_alloc_fail_at(0, false);
    assert_int_equal(TF_GetCode(p.status), TF_OK);
    close_pool(&p);
}

static void what_was_kept_gives_way_to_the_limit(void **state)
{
    (void)state;
    pooled p = open_pool(true);
    execute(&p, 4, 4);
    oribi_session *special = p.run->session;
    const uint64_t each = special->graph_bytes;
    assert_true(each > 0);
    p.session->meter->max_bytes = p.session->meter->used + each + each / 2;

    for (int64_t h = 5; h < 10; h++) { /* one more fits beside the one in use, two do not */
        execute(&p, h, 4);
    }
    close_pool(&p);
}

static bool run_two_shapes(void *arg)
{
    const bytes *model_bytes = arg;
    TF_Status *status = TF_NewStatus();
    oribi_model *model =
        oribi_model_from_memory(model_bytes->data, model_bytes->n, "pool", NULL, status);
    oribi_session *session = model != NULL ? oribi_session_create(model, NULL, status) : NULL;
    oribi_run *run = session != NULL ? oribi_run_create(session, status) : NULL;
    bool ok = run != NULL;
    for (int64_t h = 4; ok && h < 6; h++) {
        ok = bind(run, h, 3, status);
        if (ok) {
            oribi_run_execute(run, status);
        }
        ok = ok && TF_GetCode(status) == TF_OK && is_pooled(run, h, 3, status);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
    return ok;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    bytes model = pool_model(true);
    assert_true(fail_each_allocation(run_two_shapes, &model) > 100);
    free(model.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_needs_no_shapes_but_its_inputs),
        cmocka_unit_test(runs_of_other_shapes_share_the_session),
        cmocka_unit_test(what_was_computed_stays_when_shapes_change),
        cmocka_unit_test(what_contradicts_the_model_is_no_input),
        cmocka_unit_test(a_shape_that_returns_allocates_nothing),
        cmocka_unit_test(what_was_kept_gives_way_to_the_limit),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, load_built_ins, NULL);
}
