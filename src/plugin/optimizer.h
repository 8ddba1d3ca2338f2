/* SPDX-License-Identifier: Apache-2.0 */
/* Graph optimisers of plugins (TF_InitGraph): one for each device type, kept for ever. Calling
 * them: src/grappler. Read next: optimizer.c.
 */
#ifndef ORIBI_PLUGIN_OPTIMIZER_H_
#define ORIBI_PLUGIN_OPTIMIZER_H_

#include <stdbool.h>

#include "tensorflow/c/experimental/grappler/grappler.h"

typedef struct oribi_optimizer {
    const char *provider, *device_type;
    TP_OptimizerConfigs configs;
    TP_Optimizer fns;
    struct oribi_optimizer *next;
} oribi_optimizer;

typedef void (*oribi_optimizer_init)(TP_OptimizerRegistrationParams *params, TF_Status *status);

/* Calls init and checks what it filled in; a missing member is named. Not visible before the
 * commit. ALREADY_EXISTS: a second one for a device type. The loader's lock is held. */
oribi_optimizer *oribi_optimizer_create(oribi_optimizer_init init, const char *provider,
                                        TF_Status *status);
void oribi_optimizer_commit(oribi_optimizer *optimizer);   /* NULL is fine */
void oribi_optimizer_rollback(oribi_optimizer *optimizer); /* NULL is fine */
void oribi_optimizer_forget_all(void);                     /* at the end */

const oribi_optimizer *oribi_optimizer_find(const char *device_type); /* or NULL */

#endif
