/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the host in stream order. The driver makes none once something on the device failed,
 * while the contract wants each made exactly once: so a stream keeps those that were not made, and
 * gpu_drop_calls makes them with the failure. A callback may not call the driver.
 */
#include <stdlib.h>

#include "gpu.h"

typedef struct gpu_host_call {
    struct gpu_host_call *next;
    SP_Stream stream;
    SE_StatusCallbackFn callback;
    void *arg;
    bool is_made; /* by gpu_drop_calls: the driver may still come */
} gpu_host_call;

static void link_last(gpu_host_call *self)
{
    gpu_host_call **at = &self->stream->calls;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = self;
}

static void unlink_call(gpu_host_call *self)
{
    gpu_host_call **at = &self->stream->calls;
    while (*at != self) {
        at = &(*at)->next;
    }
    *at = self->next;
}

void gpu_come(void *call, gpu_result code)
{
    gpu_host_call *self = call;
    pthread_mutex_lock(&self->stream->lock);
    const bool is_made = self->is_made;
    unlink_call(self);
    pthread_mutex_unlock(&self->stream->lock);
    if (!is_made) {
        TF_Status *status = TF_NewStatus();
        (void)gpu_check(code, "what was before the call", status);
        self->callback(self->arg, status);
        TF_DeleteStatus(status);
    }
    free(self);
}

TF_Bool gpu_host_callback(const SP_Device *device, SP_Stream stream, SE_StatusCallbackFn callback,
                          void *arg)
{
    gpu_host_call *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return 0;
    }
    *self = (gpu_host_call){.stream = stream, .callback = callback, .arg = arg};
    pthread_mutex_lock(&stream->lock);
    link_last(self);
    pthread_mutex_unlock(&stream->lock);
    const gpu_context before = gpu_enter(gpu_device_of(device));
    const bool ok = gpu_vendor_host_call(stream->handle, self) == GPU_SUCCESS;
    gpu_leave(gpu_device_of(device), before);
    if (!ok) {
        pthread_mutex_lock(&stream->lock);
        const bool is_made = self->is_made;
        unlink_call(self);
        pthread_mutex_unlock(&stream->lock);
        free(self);
        return is_made;
    }
    return 1;
}

void gpu_drop_calls(SP_Stream stream, TF_Status *why)
{
    for (;;) {
        gpu_host_call *self = NULL;
        pthread_mutex_lock(&stream->lock);
        for (self = stream->calls; self != NULL && self->is_made; self = self->next) {
        }
        gpu_host_call now = {0};
        if (self != NULL) {
            self->is_made = true;
            now = *self;
        }
        pthread_mutex_unlock(&stream->lock);
        if (self == NULL) {
            return;
        }
        now.callback(now.arg, why);
    }
}

void gpu_forget_calls(SP_Stream stream)
{
    while (stream->calls != NULL) {
        gpu_host_call *self = stream->calls;
        stream->calls = self->next;
        free(self);
    }
}
