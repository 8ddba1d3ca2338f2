/* SPDX-License-Identifier: Apache-2.0 */
/* Images on a device. The driver compiles one when it is loaded, which takes long, and every node
 * asks for its function alone: so an image that is there already, by its bytes, is taken again.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

static void free_loaded(gpu_loaded *self)
{
    if (self != NULL) {
        free(self->image);
        free(self);
    }
}

static gpu_loaded *find(const gpu_device *device, const TF_DeviceCode *code)
{
    gpu_loaded *at = device->loaded;
    while (at != NULL && (at->image_bytes != code->image_bytes ||
                          memcmp(at->image, code->image, code->image_bytes) != 0)) {
        at = at->next;
    }
    return at;
}

/* Under the device's lock: whoever wants the same image waits for it. */
static gpu_loaded *load(gpu_device *device, const TF_DeviceCode *code, TF_Status *status)
{
    gpu_loaded *self = calloc(1, sizeof *self);
    if (self != NULL) {
        self->image = malloc(code->image_bytes + 1);
    }
    if (self == NULL || self->image == NULL) {
        free_loaded(self);
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "load_function: out of memory");
        return NULL;
    }
    memcpy(self->image, code->image, code->image_bytes);
    self->image[code->image_bytes] = '\0';
    self->image_bytes = code->image_bytes;
    if (!gpu_vendor_load(&self->module, self->image, status)) {
        free_loaded(self);
        return NULL;
    }
    self->next = device->loaded;
    device->loaded = self;
    return self;
}

gpu_loaded *gpu_load(gpu_device *device, const TF_DeviceCode *code, TF_Status *status)
{
    if (code->image == NULL || code->image_bytes == 0) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "load_function: the image is missing");
        return NULL;
    }
    pthread_mutex_lock(&device->lock);
    gpu_loaded *self = find(device, code);
    if (self == NULL) {
        const gpu_context before = gpu_enter(device);
        self = load(device, code, status);
        gpu_leave(device, before);
    }
    if (self != NULL) {
        self->users++;
    }
    pthread_mutex_unlock(&device->lock);
    return self;
}

void gpu_unload(gpu_device *device, gpu_loaded *loaded)
{
    pthread_mutex_lock(&device->lock);
    if (--loaded->users == 0) {
        gpu_loaded **at = &device->loaded;
        while (*at != loaded) {
            at = &(*at)->next;
        }
        *at = loaded->next;
        const gpu_context before = gpu_enter(device);
        (void)gpu_driver.module_unload(loaded->module);
        gpu_leave(device, before);
        free_loaded(loaded);
    }
    pthread_mutex_unlock(&device->lock);
}
