/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products (the slot `gemm`): OpenCL has no library of its own for them, so they are the
 * products of plugins/device_ops, in the form for this device.
 */
#include <stdlib.h>
#include <string.h>

#include "device_ops/device_ops.h"
#include "opencl.h"

extern const device_ops_image opencl_images[];
extern const int n_opencl_images;

struct opencl_gemm { /* one form, loaded */
    const char *function, *options;
    void *loaded;
    struct opencl_gemm *next;
};

static void *load(const SP_Device *device, const device_ops_product *p, TF_Status *status)
{
    for (int i = 0; i < n_opencl_images; i++) {
        if (strcmp(opencl_images[i].family, p->family) == 0) {
            const TF_DeviceCode code = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                                        .image = opencl_images[i].data,
                                        .image_bytes = opencl_images[i].bytes,
                                        .function = p->function,
                                        .options = p->options};
            void *function = NULL;
            opencl_load(device, &code, &function, status);
            return function;
        }
    }
    TF_SetStatus(status, TF_INTERNAL, "gemm: no code for it");
    return NULL;
}

/* Loaded once for a device; strings of a plan are static, so their addresses tell forms apart. */
static void *find(const SP_Device *device, const device_ops_product *p, TF_Status *status)
{
    opencl_device *own = opencl_device_of(device);
    pthread_mutex_lock(&own->gemms_lock);
    struct opencl_gemm *gemm = own->gemms;
    while (gemm != NULL && (gemm->function != p->function || gemm->options != p->options)) {
        gemm = gemm->next;
    }
    void *loaded = gemm != NULL ? gemm->loaded : load(device, p, status);
    if (gemm == NULL && loaded != NULL) {
        gemm = malloc(sizeof *gemm);
        if (gemm == NULL) {
            TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "gemm: out of memory");
            opencl_unload(device, loaded);
            loaded = NULL;
        } else {
            *gemm = (struct opencl_gemm){p->function, p->options, loaded, own->gemms};
            own->gemms = gemm;
        }
    }
    pthread_mutex_unlock(&own->gemms_lock);
    return loaded;
}

void opencl_gemms_close(opencl_device *own)
{
    while (own->gemms != NULL) {
        struct opencl_gemm *next = own->gemms->next;
        opencl_unload(NULL, own->gemms->loaded);
        free(own->gemms);
        own->gemms = next;
    }
}

static TF_LaunchArg memory(const void *address)
{
    return (TF_LaunchArg){.kind = TF_LAUNCH_MEMORY, .value = address};
}

void opencl_gemm(const SP_Device *device, SP_Stream stream, const TF_Gemm *gemm, TF_Status *status)
{
    device_ops_product p;
    if (!device_ops_plan_product(gemm, opencl_has_vectors(device->ordinal), &p, status) ||
        p.grid[0] == 0) {
        return;
    }
    const TF_LaunchArg args[] = {
        memory(gemm->c), memory(p.x),
        memory(p.w),     memory(gemm->c),
        memory(gemm->c), {.kind = TF_LAUNCH_VALUE, .value = p.numbers, .bytes = p.number_bytes}};
    const TF_Launch launch = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                              .grid = {p.grid[0], p.grid[1], p.grid[2]},
                              .block = {p.block[0], p.block[1], p.block[2]},
                              .shared_bytes = p.shared_bytes,
                              .args = args,
                              .n_args = 6};
    void *function = find(device, &p, status);
    if (function != NULL) {
        opencl_launch(device, stream, function, &launch, status);
    }
}
