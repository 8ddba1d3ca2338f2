/* SPDX-License-Identifier: Apache-2.0 */
/* Under AddressSanitizer, memory that arenas, slabs and plans have not handed out is off limits, to
 * the byte: what makes the sanitizer's silence over kernels and passes mean something. Builds
 * without it skip.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/poison.h"
#include "session/small.h"
#include "tensor/status_internal.h"
#include "tensor/handle.h"

#if ORIBI_HAS_POISON
static bool is_closed(const void *from, ptrdiff_t offset)
{
    return __asan_address_is_poisoned((const char *)from + offset) != 0;
}
#else
static bool is_closed(const void *from, ptrdiff_t offset)
{
    (void)from;
    (void)offset;
    skip();
    return false;
}
#endif

static void an_arena_gives_out_the_bytes_that_were_asked_for(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 10, 16, 17, 4000, 100000};
    oribi_arena arena;
    oribi_arena_init(&arena);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *block = oribi_arena_alloc(&arena, sizes[i]);
        assert_false(is_closed(block, 0));
        assert_false(is_closed(block, (ptrdiff_t)sizes[i] - 1));
        assert_true(is_closed(block, (ptrdiff_t)sizes[i]));
    }
    oribi_arena_destroy(&arena);
}

static void a_handle_is_closed_behind_its_end_and_once_it_is_freed(void **state)
{
    (void)state;
    TF_Status *status = oribi_handle_new(ORIBI_HANDLE_STATUS);

    assert_false(is_closed(status, 0));
    assert_true(is_closed(status, (ptrdiff_t)sizeof(struct TSL_Status)));
    oribi_handle_free(status);
    assert_true(is_closed(status, 0));
}

/* --- Planned memory -------------------------------------------------------------------------- */

static const int64_t DIMS[2] = {3, 7};
enum { COUNT = 21, BYTES = COUNT * 4, RUNS = 4 };
static const void *elsewhere; /* the output of an earlier step, which lives on */

static void remember(TF_OpKernelContext *ctx)
{
    TF_Tensor *x, *z;
    assert_true(small_open(ctx, &x, &z));
    for (int i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(z))[i] = (float)i;
    }
    elsewhere = TF_TensorData(z);
    small_close(x, z);
}

static void look_around(TF_OpKernelContext *ctx)
{
    TF_Tensor *x, *z;
    assert_true(small_open(ctx, &x, &z));
    assert_false(is_closed(TF_TensorData(x), BYTES - 1));
    assert_false(is_closed(TF_TensorData(z), BYTES - 1));
    assert_true(is_closed(TF_TensorData(x), BYTES));
    assert_true(is_closed(TF_TensorData(z), BYTES));
    assert_true(is_closed(elsewhere, 0));
    memset(TF_TensorData(z), 0, BYTES);
    small_close(x, z);
}

static void a_step_reaches_its_own_values_and_no_others(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id kept = small_fn1(&g, remember, x);
    oribi_value_id value = small_fn1(&g, small_add_one, small_fn1(&g, small_add_one, x));
    value = small_fn1(&g, small_add_one, small_fn1(&g, look_around, value));
    small_output(&g, value, "z");
    small_output(&g, small_fn1(&g, small_add_one, kept), "kept_until_here");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < RUNS; i++) { /* the first ones only learn */
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 1, COUNT, 1.0f);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arena_gives_out_the_bytes_that_were_asked_for),
        cmocka_unit_test(a_handle_is_closed_behind_its_end_and_once_it_is_freed),
        cmocka_unit_test(a_step_reaches_its_own_values_and_no_others),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
