/* SPDX-License-Identifier: Apache-2.0 */
/* The deadline of the work that a thread has begun; see patience.h. */
#include "tensor/patience.h"

#include <stddef.h>

#include "base/thread.h"
#include "tensor/status.h"

static _Thread_local oribi_patience *present;

void oribi_patience_begin(oribi_patience *patience)
{
    patience->outer = present;
    present = patience;
}

void oribi_patience_end(const oribi_patience *patience)
{
    present = patience->outer;
}

const oribi_patience *oribi_patience_now(void)
{
    return present;
}

static bool is_cancelled(const oribi_patience *own)
{
    return own->stop != NULL && atomic_load_explicit(own->stop, memory_order_relaxed) != 0;
}

static bool is_late(const oribi_patience *own)
{
    return own->deadline_ns != 0 && oribi_now_ns() >= own->deadline_ns;
}

bool oribi_patience_is_over(void)
{
    return present != NULL && (is_cancelled(present) || is_late(present));
}

bool oribi_patience_left(TF_Status *status)
{
    const oribi_patience *own = present;
    if (own == NULL) {
        return true;
    }
    if (is_cancelled(own)) {
        return oribi_fail(status, TF_CANCELLED, "%s was cancelled", own->what);
    }
    if (is_late(own)) {
        return oribi_fail(status, TF_DEADLINE_EXCEEDED, "%s passed its time limit", own->what);
    }
    return true;
}
