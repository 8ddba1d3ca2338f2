/* SPDX-License-Identifier: Apache-2.0 */
/* How plugins/device_ops launches a product, without a device: forms are few, grids within what
 * vendors take, what cannot be done is refused. The results: tiles_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "device_ops/device_ops.h"

static uint32_t seed = 1;

static int64_t draw(int64_t from, int64_t to)
{
    seed = seed * 1664525u + 1013904223u;
    return from + (int64_t)((seed >> 8) % (uint32_t)(to - from + 1));
}

/* Programs are compiled for forms of tiles, never for shapes: how many there are, of any sizes. */
static int count_forms(bool has_vectors)
{
    const char *functions[32], *options[32];
    int n_forms = 0;
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < 4000; i++) {
        const int64_t m = draw(0, 1) ? draw(1, 9) : draw(1, 3000), n = draw(1, 300),
                      k = draw(0, 99);
        const int32_t ta = (int32_t)draw(0, 1), tb = (int32_t)draw(0, 1);
        const TF_Gemm gemm = {.struct_size = TF_GEMM_STRUCT_SIZE,
                              .dtype = TF_FLOAT,
                              .transpose_a = ta,
                              .transpose_b = tb,
                              .m = m,
                              .n = n,
                              .k = k,
                              .lda = ta ? m : k,
                              .ldb = tb ? k : n,
                              .ldc = n,
                              .batch = draw(1, 3)};
        device_ops_product p;
        int at = 0;
        assert_true(device_ops_plan_product(&gemm, has_vectors, &p, status));
        assert_true(p.grid[0] > 0 && p.grid[1] > 0 && p.grid[1] <= 65535 && p.grid[2] > 0);
        while (at < n_forms && (functions[at] != p.function || options[at] != p.options)) {
            at++;
        }
        if (at == n_forms) {
            assert_true(n_forms < 32);
            functions[n_forms] = p.function;
            options[n_forms++] = p.options;
        }
    }
    TF_DeleteStatus(status);
    return n_forms;
}

static void sizes_share_a_few_programs(void **state)
{
    (void)state;
    assert_int_equal(count_forms(false), 2); /* one sum a thread, and sums by slices */
    assert_int_equal(count_forms(true), 9);  /* seven of tiles, two of dots */
}

static void many_matrices_stay_within_a_grid(void **state)
{
    const TF_Gemm gemm = {.struct_size = TF_GEMM_STRUCT_SIZE,
                          .dtype = TF_FLOAT,
                          .m = 1,
                          .n = 65,
                          .k = 1,
                          .lda = 1,
                          .ldb = 65,
                          .ldc = 65,
                          .batch = 70000};
    TF_Status *status = TF_NewStatus();
    device_ops_product p;
    (void)state;
    assert_true(device_ops_plan_product(&gemm, false, &p, status));
    assert_int_equal(p.grid[1], 65535); /* its blocks go round for the others */
    assert_int_equal(p.grid[2], 1);
    TF_DeleteStatus(status);
}

static TF_Code plan(const TF_Gemm *gemm, device_ops_product *out)
{
    TF_Status *status = TF_NewStatus();
    const bool ok = device_ops_plan_product(gemm, true, out, status);
    const TF_Code code = TF_GetCode(status);
    TF_DeleteStatus(status);
    assert_true(ok == (code == TF_OK));
    return code;
}

static void what_no_device_can_do_is_refused(void **state)
{
    const TF_Gemm good = {.struct_size = TF_GEMM_STRUCT_SIZE,
                          .dtype = TF_FLOAT,
                          .m = 3,
                          .n = 4,
                          .k = 5,
                          .lda = 5,
                          .ldb = 4,
                          .ldc = 4,
                          .batch = 2};
    device_ops_product p;
    TF_Gemm g = good;
    (void)state;
    assert_int_equal(plan(&g, &p), TF_OK);
    g.lda = 4;
    assert_int_equal(plan(&g, &p), TF_INVALID_ARGUMENT);
    g = good;
    g.stride_c = -1;
    assert_int_equal(plan(&g, &p), TF_INVALID_ARGUMENT);
    g = good;
    g.dtype = TF_HALF;
    assert_int_equal(plan(&g, &p), TF_UNIMPLEMENTED);
    g = good;
    g.stride_a = INT32_MAX;
    assert_int_equal(plan(&g, &p), TF_UNIMPLEMENTED);
    g = good;
    g.n = 0;
    g.ldb = g.ldc = 0;
    assert_int_equal(plan(&g, &p), TF_OK);
    assert_int_equal(p.grid[0], 0); /* nothing to do */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_share_a_few_programs),
        cmocka_unit_test(many_matrices_stay_within_a_grid),
        cmocka_unit_test(what_no_device_can_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
