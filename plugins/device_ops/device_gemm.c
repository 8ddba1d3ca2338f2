/* SPDX-License-Identifier: Apache-2.0 */
/* The slot `gemm` of a device whose vendor has no library for products: those of code/, in the form
 * for the device, loaded once for each device.
 */
#include <stdlib.h>

#include "device_ops/device_op.h"

struct device_ops_gemm { /* one form, loaded */
    const char *function, *options;
    void *loaded;
    struct device_ops_gemm *next;
};

void device_ops_gemms_open(device_ops_gemms *own)
{
    own->first = NULL;
    pthread_mutex_init(&own->lock, NULL);
}

void device_ops_gemms_close(device_ops_gemms *own, const TF_DeviceExtension *slots,
                            const SP_Device *device)
{
    while (own->first != NULL) {
        struct device_ops_gemm *gemm = own->first;
        own->first = gemm->next;
        slots->unload_function(device, gemm->loaded);
        free(gemm);
    }
    pthread_mutex_destroy(&own->lock);
}

static void *load(const TF_DeviceExtension *slots, const SP_Device *device,
                  const device_ops_product *p, TF_Status *status)
{
    const device_ops_image *image = op_target() != NULL ? op_image(p->family) : NULL;
    void *function = NULL;
    if (image == NULL) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "gemm: the plugin was built without code for it");
        return NULL;
    }
    const TF_DeviceCode code = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                                .image = image->data,
                                .image_bytes = image->bytes,
                                .function = p->function,
                                .options = p->options};
    slots->load_function(device, &code, &function, status);
    return function;
}

/* Strings of a plan are static, so their addresses tell forms apart. */
static void *find(device_ops_gemms *own, const TF_DeviceExtension *slots, const SP_Device *device,
                  const device_ops_product *p, TF_Status *status)
{
    pthread_mutex_lock(&own->lock);
    struct device_ops_gemm *gemm = own->first;
    while (gemm != NULL && (gemm->function != p->function || gemm->options != p->options)) {
        gemm = gemm->next;
    }
    void *loaded = gemm != NULL ? gemm->loaded : load(slots, device, p, status);
    if (gemm == NULL && loaded != NULL) {
        gemm = malloc(sizeof *gemm);
        if (gemm == NULL) {
            TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "gemm: out of memory");
            slots->unload_function(device, loaded);
            loaded = NULL;
        } else {
            *gemm = (struct device_ops_gemm){p->function, p->options, loaded, own->first};
            own->first = gemm;
        }
    }
    pthread_mutex_unlock(&own->lock);
    return loaded;
}

static TF_LaunchArg memory(const void *address)
{
    return (TF_LaunchArg){.kind = TF_LAUNCH_MEMORY, .value = address};
}

void device_ops_gemm(device_ops_gemms *own, const TF_DeviceExtension *slots,
                     const SP_Device *device, SP_Stream stream, const TF_Gemm *gemm,
                     TF_Status *status)
{
    const device_ops_target *target = op_target();
    const bool has_vectors =
        target != NULL && target->has_vectors != NULL && target->has_vectors(device->ordinal);
    device_ops_product p;
    if (!device_ops_plan_product(gemm, has_vectors, &p, status) || p.grid[0] == 0) {
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
    void *function = find(own, slots, device, &p, status);
    if (function != NULL) {
        slots->launch(device, stream, function, &launch, status);
    }
}
