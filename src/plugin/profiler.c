/* SPDX-License-Identifier: Apache-2.0 */
/* Registry of profilers; see profiler.h. */
#include "plugin/profiler.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "tensor/status.h"

static oribi_mutex list_lock = ORIBI_MUTEX_INIT;
static oribi_profiler *first, **last = &first;

static bool check(const oribi_profiler *self, TF_Status *status)
{
    const TP_ProfilerFns *fns = &self->fns;
    const char *missing = self->params.struct_size == 0        ? "struct_size"
                          : self->profiler.struct_size == 0    ? "profiler->struct_size"
                          : self->profiler.device_type == NULL ? "profiler->device_type"
                          : fns->struct_size == 0              ? "profiler_fns->struct_size"
                          : fns->start == NULL                 ? "profiler_fns->start"
                          : fns->stop == NULL                  ? "profiler_fns->stop"
                          : fns->collect_data_xspace == NULL   ? "profiler_fns->collect_data_xspace"
                          : self->params.destroy_profiler == NULL     ? "destroy_profiler"
                          : self->params.destroy_profiler_fns == NULL ? "destroy_profiler_fns"
                                                                      : NULL;
    return missing == NULL ||
           oribi_fail(status, TF_FAILED_PRECONDITION, "TF_InitProfiler did not set %s", missing);
}

oribi_profiler *oribi_profiler_create(oribi_profiler_init init, const char *provider,
                                      TF_Status *status)
{
    oribi_profiler *self = oribi_claim_zero(1, sizeof *self, status);
    if (self == NULL) {
        return NULL;
    }
    self->profiler.struct_size = TP_PROFILER_STRUCT_SIZE;
    self->fns.struct_size = TP_PROFILER_FNS_STRUCT_SIZE;
    self->params =
        (TF_ProfilerRegistrationParams){.struct_size = TF_PROFILER_REGISTRATION_PARAMS_STRUCT_SIZE,
                                        .major_version = TP_MAJOR,
                                        .minor_version = TP_MINOR,
                                        .patch_version = TP_PATCH,
                                        .profiler = &self->profiler,
                                        .profiler_fns = &self->fns};
    self->provider = oribi_strdup(provider);
    bool ok = self->provider != NULL || oribi_fail_memory(status);
    if (ok) {
        init(&self->params, status);
        ok = oribi_ok(status) && check(self, status);
    }
    if (!ok) {
        oribi_profiler_rollback(self);
        return NULL;
    }
    return self;
}

void oribi_profiler_commit(oribi_profiler *profiler)
{
    if (profiler != NULL) {
        oribi_mutex_lock(&list_lock);
        *last = profiler;
        last = &profiler->next;
        oribi_mutex_unlock(&list_lock);
    }
}

void oribi_profiler_rollback(oribi_profiler *profiler)
{
    if (profiler == NULL) {
        return;
    }
    if (profiler->params.destroy_profiler != NULL) {
        profiler->params.destroy_profiler(&profiler->profiler);
    }
    if (profiler->params.destroy_profiler_fns != NULL) {
        profiler->params.destroy_profiler_fns(&profiler->fns);
    }
    oribi_free((char *)profiler->provider);
    oribi_free(profiler);
}

const oribi_profiler *oribi_profiler_next(const oribi_profiler *before)
{
    oribi_mutex_lock(&list_lock);
    const oribi_profiler *next = before != NULL ? before->next : first;
    oribi_mutex_unlock(&list_lock);
    return next;
}

void oribi_profiler_forget_all(void)
{
    oribi_mutex_lock(&list_lock);
    for (oribi_profiler *next; first != NULL; first = next) {
        next = first->next;
        oribi_profiler_rollback(first);
    }
    last = &first;
    oribi_mutex_unlock(&list_lock);
}
