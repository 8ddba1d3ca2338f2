/* SPDX-License-Identifier: Apache-2.0 */
/* Which instruction sets may kernels be limited to? See instruction_set.h. Nothing here asks the
 * processor: whoever registered the built-in kernels has, and left out what it lacks.
 */
#include "kernel/instruction_set.h"

#include <string.h>

#include "base/text.h"
#include "tensor/status.h"

static const struct {
    oribi_instruction_set set;
    const char *processor;
} rows[] = {
#define HOST_ISA(name, processor, priority, flags, test) {{#name, priority}, #processor},
#include "micro/isa_list.inc"
};
enum { N_ROWS = sizeof rows / sizeof *rows, BEST_BUILT_IN = -900 };

bool oribi_kernel_exceeds(const oribi_kernel_def *kernel, const oribi_instruction_set *limit)
{
    return limit != NULL && kernel->priority > limit->priority && kernel->priority <= BEST_BUILT_IN;
}

typedef struct priority_search {
    int32_t priority;
    bool is_found;
} priority_search;

static bool find_priority(void *arg, const oribi_kernel_def *kernel)
{
    priority_search *search = arg;
    search->is_found = kernel->priority == search->priority;
    return !search->is_found;
}

static bool is_here(const oribi_instruction_set *set)
{
    priority_search search = {set->priority, false};
    oribi_kernel_each(find_priority, &search);
    return search.is_found;
}

static void fail_set(const char *name, bool is_known, TF_Status *status)
{
    oribi_text here = {0};
    for (int i = 0; i < N_ROWS; i++) {
        if (is_here(&rows[i].set)) {
            oribi_text_printf(&here, ", %s", rows[i].set.name);
        }
    }
    oribi_fail(status, is_known ? TF_UNIMPLEMENTED : TF_INVALID_ARGUMENT,
               is_known ? "this processor has no instruction set '%s'; choose any%s"
                        : "there is no instruction set '%s'; this processor has any%s",
               name, oribi_text_string(&here));
    oribi_text_destroy(&here);
}

const oribi_instruction_set *oribi_instruction_set_find(const char *name, TF_Status *status)
{
    const bool is_any = strcmp(name, "any") == 0;
    bool is_known = false;
    for (int i = 0; i < N_ROWS; i++) {
        if (strcmp(is_any ? rows[i].processor : rows[i].set.name, name) == 0) {
            is_known = true;
            if (is_here(&rows[i].set)) {
                return &rows[i].set;
            }
        }
    }
    fail_set(name, is_known, status);
    return NULL;
}
