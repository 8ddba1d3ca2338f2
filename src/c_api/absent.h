/* SPDX-License-Identifier: Apache-2.0 */
/* How a function that exists only so that plugins and bindings load is written: one row each. One
 * missing symbol would lose a whole plugin, used or not, so each is there and says UNIMPLEMENTED in
 * its status, where it has one.
 */
#ifndef ORIBI_PLUGIN_ABSENT_H_
#define ORIBI_PLUGIN_ABSENT_H_

#include "tensor/status.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static inline void absent(TF_Status *status, const char *function)
{
    oribi_fail(status, TF_UNIMPLEMENTED, "%s is not implemented in this version of Oribi",
               function);
}

#define ABSENT(type, name, params, status, result)                                                 \
    type name params                                                                               \
    {                                                                                              \
        absent(status, #name);                                                                     \
        return result;                                                                             \
    }
#define ABSENT_VOID(name, params, status)                                                          \
    void name params                                                                               \
    {                                                                                              \
        absent(status, #name);                                                                     \
    }

#endif
