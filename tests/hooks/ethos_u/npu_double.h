/* SPDX-License-Identifier: Apache-2.0 */
/* A double of Arm's core driver and its NPU, for tests: it decodes a command stream as far as
 * addresses go, bounds every access by its base's size, and instead of numbers writes bytes that
 * depend on all that an operation reads and where.
 */
#ifndef TESTS_HOOKS_ETHOS_U_NPU_DOUBLE_H_
#define TESTS_HOOKS_ETHOS_U_NPU_DOUBLE_H_

#include <stddef.h>
#include <stdint.h>

struct ethosu_driver {
    int32_t power;              /* requests */
    int32_t is_locked;          /* of its only mutex */
    int32_t is_running, result; /* of a job that nobody has waited for */
    int32_t n_jobs, n_operations;
    int32_t fails_at; /* this call of the API fails, counted from 1; 0: none */
    int32_t n_calls;
    const char *fault; /* the first; NULL: none */
};

/* Runs a stream over its bases, as ethosu_invoke_v3 does. */
int32_t npu_double_run(struct ethosu_driver *npu, const void *stream, uint32_t bytes,
                       const uint64_t *bases, const size_t *sizes, int32_t n_bases);

#endif
