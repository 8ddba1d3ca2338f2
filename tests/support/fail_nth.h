/* SPDX-License-Identifier: Apache-2.0 */
/* Fail the N-th allocation: runs a function once for each N = 1, 2, ... until it succeeds, with the
 * N-th allocation failing, and checks that each failing run leaves no block behind.
 *
 *   static bool make_and_destroy(void *arg) { ... return made; }
 *   ...
 *   fail_each_allocation(make_and_destroy, &arg);
 *
 * The function releases what it made and returns whether it succeeded; it must not treat a failed
 * allocation as success. Include after cmocka.h.
 */
#ifndef ORIBI_TESTS_SUPPORT_FAIL_NTH_H_
#define ORIBI_TESTS_SUPPORT_FAIL_NTH_H_

#include "base/alloc.h"
#include "tensor/handle.h"

/* As in op/op.h, whose names of parameters some tests give to variables of their own. */
void oribi_op_bring_all(void);

enum { FAIL_NTH_MOST = 100000 };

/* Blocks alive, without the free slabs of handles, which are kept for the next ones, and with the
 * built-in ops, of which a model brings those that it has, for ever. */
static inline int64_t fail_nth_live(void)
{
    oribi_op_bring_all();
    oribi_handle_trim();
    return oribi_alloc_live();
}

/* Once with only the n-th failing. Returns whether f succeeded. `keeps`: f's success may leave
 * blocks (a registry that grew). */
static inline bool fail_nth_once(bool (*f)(void *arg), void *arg, uint64_t n, bool sticky,
                                 bool keeps)
{
    int64_t live = fail_nth_live();
    oribi_alloc_fail_at(n, sticky);
    bool succeeded = f(arg);
    oribi_alloc_fail_at(0, false);
    int64_t left = fail_nth_live() - live;
    if (left != 0 && !(keeps && succeeded)) {
        print_error("allocation %llu %s: %lld blocks left behind\n", (unsigned long long)n,
                    sticky ? "and all later fail" : "fails", (long long)left);
        fail();
    }
    return succeeded;
}

/* All N, each with only that one failing and with all from there on failing. Returns the N of the
 * first success. */
static inline uint64_t fail_each_allocation(bool (*f)(void *arg), void *arg)
{
    uint64_t n = 1;
    while (n < FAIL_NTH_MOST && !fail_nth_once(f, arg, n, true, false)) {
        (void)fail_nth_once(f, arg, n, false, false);
        n++;
    }
    assert_true(n < FAIL_NTH_MOST);
    return n;
}

#endif
