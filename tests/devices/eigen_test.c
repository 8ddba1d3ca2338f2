/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for Eigen (eigen_device.h): aligned, of the run, counted against its limit; beyond it the
 * run fails and the computation still gets what it writes to. Eigen itself: examples_run.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "session/small.h"
#include "tensorflow/c/eigen_device.h"

static const int64_t DIMS[1] = {4};
static size_t wanted;

static void use_blocks(TF_OpKernelContext *ctx)
{
    TF_EigenAllocator *allocator = TF_GetEigenAllocatorHandle(ctx);
    char *blocks[3];
    for (int i = 0; i < 3; i++) {
        blocks[i] = TF_EigenAllocator_Allocate(allocator, i == 0 ? 0 : wanted / (size_t)i);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], i, i == 0 ? 0 : wanted / (size_t)i);
    }
    for (int i = 2; i >= 0; i--) {
        TF_EigenAllocator_Deallocate(allocator, blocks[i]);
    }
    TF_EigenAllocator_Deallocate(allocator, NULL);
    TF_DeleteEigenAllocatorHandle(allocator);
    small_add_one(ctx);
}

static void ask_too_much(TF_OpKernelContext *ctx)
{
    TF_EigenAllocator *allocator = TF_GetEigenAllocatorHandle(ctx);
    assert_null(TF_EigenAllocator_Allocate(allocator, SIZE_MAX - 8));
    assert_null(TF_EigenAllocator_Allocate(allocator, (size_t)INT64_MAX));
    TF_DeleteEigenAllocatorHandle(allocator);
}

static TF_Code run(small_fn fn, uint64_t max_bytes)
{
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, fn, small_input(&g, "x", 1, DIMS)), "z");
    oribi_options *options = small_options();
    oribi_options_set_max_bytes(options, max_bytes);
    oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);
    small_expect_ok(g.status);
    oribi_run *self = small_run_of(session);
    TF_Code code = TF_OK;
    for (int i = 0; i < 3 && code == TF_OK; i++) {
        small_bind(self, 0, small_tensor(1, DIMS, 5));
        oribi_run_execute(self, g.status);
        code = TF_GetCode(g.status);
    }
    oribi_run_destroy(self);
    oribi_session_destroy(session);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    return code;
}

static void blocks_are_aligned_and_of_the_run(void **state)
{
    (void)state;
    assert_int_equal(run(small_add_one, UINT64_C(1) << 30), TF_OK); /* what the process keeps */
    const int64_t live = oribi_alloc_live();
    for (wanted = 1; wanted < 100000; wanted = wanted * 3 + 1) {
        assert_int_equal(run(use_blocks, UINT64_C(1) << 30), TF_OK);
    }
    assert_int_equal(oribi_alloc_live(), live);
}

static void beyond_the_limit_the_run_fails_and_nothing_leaks(void **state)
{
    (void)state;
    const int64_t live = oribi_alloc_live();
    wanted = 8 << 20;
    assert_int_equal(run(use_blocks, 4 << 20), TF_RESOURCE_EXHAUSTED);
    assert_int_equal(run(ask_too_much, 4 << 20), TF_RESOURCE_EXHAUSTED);
    assert_int_equal(oribi_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_of_the_run),
        cmocka_unit_test(beyond_the_limit_the_run_fails_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
