/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions whose kernels are checked, or one of whose calls is recorded: a kernel is exchanged for
 * one that calls it under watch (checked_call.h). Sessions that do neither know nothing of this.
 */
#ifndef ORIBI_CHECK_CHECK_H_
#define ORIBI_CHECK_CHECK_H_

#include <stdatomic.h>

#include "base/arena.h"
#include "kernel/kernel.h"

typedef enum oribi_check_whose {
    ORIBI_CHECK_NONE,
    ORIBI_CHECK_PLUGINS,
    ORIBI_CHECK_ALL
} oribi_check_whose;

typedef struct oribi_check {
    oribi_check_whose whose;
    const char *file; /* where a call is recorded; NULL: nowhere */
    const char *node; /* whose first call is; NULL: the first call that fails */
    bool has_node;    /* it is one that can be recorded */
    atomic_bool is_recorded;
} oribi_check;

/* "plugins" or "1", "all", "off", "0" or "". */
bool oribi_check_parse(const char *text, oribi_check_whose *out, TF_Status *status);
/* Does the check concern a kernel of that definition for that node? */
bool oribi_check_wants(const oribi_check *check, const oribi_kernel_def *def, const char *node);
/* Exchanges the kernel; the check and the node view outlive it. False: no memory, unchanged. */
bool oribi_check_wrap(oribi_check *check, oribi_kernel *kernel, TF_Status *status);

#endif
