/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations are the host's, so that a sanitizer sees what is read beyond them; copies and fills
 * happen when their stream gets there, whatever the host memory is.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu_double/double.h"

enum { TOTAL_BYTES = 1 << 30 };

typedef struct allocation {
    struct allocation *next;
    char *start;
    size_t bytes;
    int device;
    bool is_managed;
} allocation;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static allocation *allocations;
static size_t in_use[DOUBLE_MAX_DEVICES];

static char *pointer_of(gpu_address address)
{
    return (char *)(uintptr_t)address;
}

bool double_is_memory(int device, gpu_address address, size_t bytes)
{
    const char *start = pointer_of(address);
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const allocation *at = allocations; at != NULL && !found; at = at->next) {
        found = (device < 0 || at->device == device || at->is_managed) && start >= at->start &&
                (size_t)(start - at->start) <= at->bytes &&
                bytes <= at->bytes - (size_t)(start - at->start);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static gpu_result allocate(int device, gpu_address *address, size_t bytes, bool is_managed)
{
    allocation *self = calloc(1, sizeof *self);
    gpu_result code = GPU_OUT_OF_MEMORY;
    void *start = NULL;
    if (self == NULL || bytes == 0) {
        free(self);
        return DOUBLE_INVALID_VALUE;
    }
    pthread_mutex_lock(&lock);
    if (bytes <= TOTAL_BYTES - in_use[device] && posix_memalign(&start, 256, bytes) == 0) {
        memset(start, 0xa5, bytes); /* nobody may count on zeros */
        *self = (allocation){allocations, start, bytes, device, is_managed};
        allocations = self;
        in_use[device] += bytes;
        *address = (gpu_address)(uintptr_t)start;
        code = GPU_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    if (code == GPU_SUCCESS) {
        double_count("memory", 1);
    } else {
        free(self);
    }
    return code;
}

gpu_result gpu_symbol_mem_alloc(gpu_address *address, size_t bytes)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_mem_alloc), &device);
    return code != GPU_SUCCESS ? code : allocate(device, address, bytes, false);
}

gpu_result gpu_symbol_managed_alloc(gpu_address *address, size_t bytes, unsigned flags)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_managed_alloc), &device);
    if (code == GPU_SUCCESS && flags != GPU_MANAGED_GLOBAL) {
        return DOUBLE_INVALID_VALUE;
    }
    return code != GPU_SUCCESS ? code : allocate(device, address, bytes, true);
}

gpu_result gpu_symbol_mem_free(gpu_address address)
{
    int device;
    gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_mem_free), &device);
    allocation *found = NULL;
    if (code != GPU_SUCCESS && code != double_state(device)) {
        return code;
    }
    pthread_mutex_lock(&lock);
    for (allocation **at = &allocations; *at != NULL; at = &(*at)->next) {
        if ((*at)->start == pointer_of(address) && (*at)->device == device) {
            found = *at;
            *at = found->next;
            in_use[device] -= found->bytes;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (found == NULL) {
        return DOUBLE_INVALID_VALUE;
    }
    free(found->start);
    free(found);
    double_count("memory", -1);
    return code;
}

gpu_result gpu_symbol_mem_info(size_t *free_bytes, size_t *total)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_mem_info), &device);
    if (code == GPU_SUCCESS) {
        pthread_mutex_lock(&lock);
        *total = TOTAL_BYTES;
        *free_bytes = TOTAL_BYTES - in_use[device];
        pthread_mutex_unlock(&lock);
    }
    return code;
}

gpu_result gpu_symbol_host_alloc(void **memory, size_t bytes, unsigned flags)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_host_alloc), &device);
    if (code != GPU_SUCCESS || flags != GPU_HOST_PORTABLE) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    if (posix_memalign(memory, 64, bytes) != 0) {
        return GPU_OUT_OF_MEMORY;
    }
    double_count("pinned", 1);
    return GPU_SUCCESS;
}

gpu_result gpu_symbol_host_free(void *memory)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_host_free), &device);
    if (code == GPU_SUCCESS || code == double_state(device)) {
        free(memory);
        double_count("pinned", -1);
    }
    return code;
}

/* --- Copies ---------------------------------------------------------------------------------- */

typedef struct copy {
    char *to;
    const char *from;
    size_t bytes;
} copy;

static bool step_copy(void *arg, bool is_lost)
{
    const copy *self = arg;
    if (!is_lost) {
        memmove(self->to, self->from, self->bytes);
    }
    return true;
}

static gpu_result enqueue_copy(const char *symbol, void *to, const void *from, size_t bytes,
                               gpu_stream stream)
{
    copy *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return GPU_OUT_OF_MEMORY;
    }
    *self = (copy){to, from, bytes};
    return double_enqueue(symbol, stream, step_copy, self);
}

gpu_result gpu_symbol_copy_htod(gpu_address to, gpu_source from, size_t bytes, gpu_stream stream)
{
    const char *symbol = GPU_TEXT(gpu_symbol_copy_htod);
    int device;
    const gpu_result code = double_enter_current(symbol, &device);
    if (code != GPU_SUCCESS || !double_is_memory(device, to, bytes) ||
        double_is_memory(-1, (gpu_address)(uintptr_t)from, 1)) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    return enqueue_copy(symbol, pointer_of(to), from, bytes, stream);
}

gpu_result gpu_symbol_copy_dtoh(void *to, gpu_address from, size_t bytes, gpu_stream stream)
{
    const char *symbol = GPU_TEXT(gpu_symbol_copy_dtoh);
    int device;
    const gpu_result code = double_enter_current(symbol, &device);
    if (code != GPU_SUCCESS || !double_is_memory(device, from, bytes) ||
        double_is_memory(-1, (gpu_address)(uintptr_t)to, 1)) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    return enqueue_copy(symbol, to, pointer_of(from), bytes, stream);
}

gpu_result gpu_symbol_copy_dtod(gpu_address to, gpu_address from, size_t bytes, gpu_stream stream)
{
    const char *symbol = GPU_TEXT(gpu_symbol_copy_dtod);
    int device;
    const gpu_result code = double_enter_current(symbol, &device);
    if (code != GPU_SUCCESS || !double_is_memory(device, to, bytes) ||
        !double_is_memory(device, from, bytes)) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    return enqueue_copy(symbol, pointer_of(to), pointer_of(from), bytes, stream);
}

static int device_of(gpu_context context)
{
    for (int i = 0; i < DOUBLE_MAX_DEVICES; i++) {
        if (double_context(i) == context) {
            return i;
        }
    }
    return DOUBLE_MAX_DEVICES;
}

/* A copy between devices has `const void *` in HIP where CUDA has an address. */
static gpu_result copy_peer(gpu_address to, gpu_context to_context, gpu_address from,
                            gpu_context from_context, size_t bytes, gpu_stream stream)
{
    const char *symbol = GPU_TEXT(gpu_symbol_copy_peer);
    int device;
    const gpu_result code = double_enter_current(symbol, &device);
    if (code != GPU_SUCCESS || !double_is_memory(device_of(to_context), to, bytes) ||
        !double_is_memory(device_of(from_context), from, bytes)) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    return enqueue_copy(symbol, pointer_of(to), pointer_of(from), bytes, stream);
}

#ifdef GPU_DOUBLE_HIP
gpu_result gpu_symbol_copy_peer(gpu_address to, gpu_context to_context, const void *from,
                                gpu_context from_context, size_t bytes, gpu_stream stream)
{
    return copy_peer(to, to_context, (gpu_address)(uintptr_t)from, from_context, bytes, stream);
}
#else
gpu_result gpu_symbol_copy_peer(gpu_address to, gpu_context to_context, gpu_address from,
                                gpu_context from_context, size_t bytes, gpu_stream stream)
{
    return copy_peer(to, to_context, from, from_context, bytes, stream);
}
#endif

/* --- Fills ----------------------------------------------------------------------------------- */

typedef struct fill {
    char *to;
    uint32_t value;
    size_t count, width;
} fill;

static bool step_fill(void *arg, bool is_lost)
{
    const fill *self = arg;
    for (size_t i = 0; !is_lost && i < self->count; i++) {
        memcpy(self->to + i * self->width, &self->value, self->width);
    }
    return true;
}

static gpu_result enqueue_fill(const char *symbol, gpu_address to, uint32_t value, size_t count,
                               size_t width, gpu_stream stream)
{
    int device;
    const gpu_result code = double_enter_current(symbol, &device);
    fill *self = NULL;
    if (code != GPU_SUCCESS || !double_is_memory(device, to, count * width) ||
        (uintptr_t)to % width != 0) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    self = calloc(1, sizeof *self);
    if (self == NULL) {
        return GPU_OUT_OF_MEMORY;
    }
    *self = (fill){pointer_of(to), value, count, width};
    return double_enqueue(symbol, stream, step_fill, self);
}

gpu_result gpu_symbol_fill8(gpu_address to, unsigned char value, size_t count, gpu_stream stream)
{
    return enqueue_fill(GPU_TEXT(gpu_symbol_fill8), to, value, count, 1, stream);
}

gpu_result gpu_symbol_fill32(gpu_address to, gpu_pattern value, size_t count, gpu_stream stream)
{
    return enqueue_fill(GPU_TEXT(gpu_symbol_fill32), to, (uint32_t)value, count, 4, stream);
}
