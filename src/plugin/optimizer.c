/* SPDX-License-Identifier: Apache-2.0 */
/* Registry of graph optimisers; see optimizer.h. */
#include "plugin/optimizer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "tensor/status.h"

static oribi_mutex list_lock = ORIBI_MUTEX_INIT;
static oribi_optimizer *first;

static bool check(const TP_OptimizerRegistrationParams *params, TF_Status *status)
{
    const TP_Optimizer *fns = params->optimizer;
    const char *missing = params->struct_size == 0      ? "struct_size"
                          : params->device_type == NULL ? "device_type"
                          : params->optimizer_configs->struct_size == 0
                              ? "optimizer_configs->struct_size"
                          : fns->struct_size == 0      ? "optimizer->struct_size"
                          : fns->optimize_func == NULL ? "optimizer->optimize_func"
                                                       : NULL;
    if (missing != NULL) {
        return oribi_fail(status, TF_FAILED_PRECONDITION, "TF_InitGraph did not set %s", missing);
    }
    if ((fns->create_func == NULL) != (fns->destroy_func == NULL)) {
        return oribi_fail(
            status, TF_FAILED_PRECONDITION,
            "TF_InitGraph set only one of create_func and destroy_func; set both or neither");
    }
    const oribi_optimizer *other = oribi_optimizer_find(params->device_type);
    if (other != NULL) {
        return oribi_fail(status, TF_ALREADY_EXISTS,
                          "a graph optimiser for %s is registered already, by '%s'",
                          params->device_type, other->provider);
    }
    return true;
}

oribi_optimizer *oribi_optimizer_create(oribi_optimizer_init init, const char *provider,
                                        TF_Status *status)
{
    oribi_optimizer *self = oribi_claim_zero(1, sizeof *self, status);
    if (self == NULL) {
        return NULL;
    }
    self->configs.struct_size = TP_OPTIMIZER_CONFIGS_STRUCT_SIZE;
    self->fns.struct_size = TP_OPTIMIZER_STRUCT_SIZE;
    TP_OptimizerRegistrationParams params = {.struct_size =
                                                 TP_OPTIMIZER_REGISTRATION_PARAMS_STRUCT_SIZE,
                                             .major_version = GO_MAJOR,
                                             .minor_version = GO_MINOR,
                                             .patch_version = GO_PATCH,
                                             .optimizer_configs = &self->configs,
                                             .optimizer = &self->fns};
    init(&params, status);
    bool ok = oribi_ok(status) && check(&params, status);
    if (ok) {
        self->provider = oribi_strdup(provider);
        self->device_type = oribi_strdup(params.device_type);
        ok = (self->provider != NULL && self->device_type != NULL) || oribi_fail_memory(status);
    }
    if (!ok) {
        oribi_optimizer_rollback(self);
        return NULL;
    }
    return self;
}

void oribi_optimizer_commit(oribi_optimizer *optimizer)
{
    if (optimizer != NULL) {
        oribi_mutex_lock(&list_lock);
        optimizer->next = first;
        first = optimizer;
        oribi_mutex_unlock(&list_lock);
    }
}

void oribi_optimizer_rollback(oribi_optimizer *optimizer)
{
    if (optimizer != NULL) {
        oribi_free((char *)optimizer->provider);
        oribi_free((char *)optimizer->device_type);
        oribi_free(optimizer);
    }
}

const oribi_optimizer *oribi_optimizer_find(const char *device_type)
{
    oribi_mutex_lock(&list_lock);
    const oribi_optimizer *found = first;
    while (found != NULL && strcmp(found->device_type, device_type) != 0) {
        found = found->next;
    }
    oribi_mutex_unlock(&list_lock);
    return found;
}

void oribi_optimizer_forget_all(void)
{
    oribi_mutex_lock(&list_lock);
    for (oribi_optimizer *next; first != NULL; first = next) {
        next = first->next;
        oribi_optimizer_rollback(first);
    }
    oribi_mutex_unlock(&list_lock);
}
