/* SPDX-License-Identifier: Apache-2.0 */
/* What may reading the inputs of a run still take, in bytes and time? A file is anybody's: its
 * reader asks here before it allocates what the file asks for, and now and then whether it is late.
 * Before cli_budget_begin nothing is limited.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

static struct {
    uint64_t limit, used;
    uint64_t deadline_ns; /* 0: none */
    bool is_passed;
} budget = {.limit = UINT64_MAX};

uint64_t cli_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void cli_budget_begin(uint64_t bytes, uint64_t used, uint64_t deadline_ns)
{
    budget.limit = bytes;
    budget.used = used;
    budget.deadline_ns = deadline_ns;
    budget.is_passed = false;
}

bool cli_budget_take(const char *what, uint64_t bytes)
{
    uint64_t left = budget.used < budget.limit ? budget.limit - budget.used : 0;

    if (bytes > left) {
        cli_error("%s: reading it takes %" PRIu64 " bytes, and the limit on memory leaves %" PRIu64
                  " of %" PRIu64 "; raise it with --max-bytes",
                  what, bytes, left, budget.limit);
        budget.is_passed = true;
        return false;
    }
    budget.used += bytes;
    return true;
}

void cli_budget_give(uint64_t bytes)
{
    budget.used -= bytes < budget.used ? bytes : budget.used;
}

uint64_t cli_budget_left(void)
{
    return budget.used < budget.limit ? budget.limit - budget.used : 0;
}

bool cli_budget_is_late(const char *what)
{
    if (budget.deadline_ns == 0 || cli_now_ns() < budget.deadline_ns) {
        return false;
    }
    if (!budget.is_passed) {
        cli_error("%s: reading it takes longer than --time-limit allows", what);
    }
    budget.is_passed = true;
    return true;
}

int cli_budget_code(void)
{
    return budget.is_passed ? CLI_LIMIT : CLI_BAD_INPUT;
}
