/* SPDX-License-Identifier: Apache-2.0 */
/* Division by a product and a shift, as kernels of devices do it, against division. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <limits.h>

#include "device_ops/code/divide.h"
#include "device_ops/device_walk.h"

static void expect_same(int n, int d)
{
    const int found = op_divide(n, walk_divisor(d));
    if (found != n / d) {
        fail_msg("%d / %d gave %d", n, d, found);
    }
}

/* Quotients change at multiples: there an error of one would show. */
static void products_and_shifts_divide_exactly(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525u + 1013904223u;
        const int d = i < 5000 ? i + 1 : (int)(random >> 1 >> (i % 30)) + 1;
        random = random * 1664525u + 1013904223u;
        const int q = INT_MAX / d, some = (int)((random >> 1) % ((unsigned)q + 1u));
        const int all[] = {0, 1, d - 1, d, q * d, q * d - 1, INT_MAX, INT_MAX - 1, some * d};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            expect_same(all[k], d);
            if (all[k] > 0) {
                expect_same(all[k] - 1, d);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_shifts_divide_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
