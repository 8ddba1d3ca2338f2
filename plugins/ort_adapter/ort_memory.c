/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators and what describes memory: there is the host's, and that is all. Buffers go to whom
 * they were asked for and back by the same allocator, so they are of the C heap.
 */
#include <stdlib.h>
#include <string.h>

#include "ort_adapter.h"

struct ort_memory_info {
    const char *name; /* "Cpu", or a copy that the object owns */
    int32_t type, memory;
    int id;
    bool is_own;
};

const ort_memory_info oribi_ort_host = {.name = "Cpu", .type = ORT_ALLOCATOR_DEVICE};

enum { ALIGNMENT = 64 }; /* what vector code hopes for */

static void *heap_alloc(ort_allocator *self, size_t bytes)
{
    (void)self;
    void *memory = NULL;
    return bytes > 0 && posix_memalign(&memory, ALIGNMENT, bytes) == 0 ? memory : NULL;
}

static void heap_free(ort_allocator *self, void *memory)
{
    (void)self;
    free(memory);
}

static const ort_memory_info *heap_info(const ort_allocator *self)
{
    (void)self;
    return &oribi_ort_host;
}

ort_allocator oribi_ort_allocator = {.version = ORT_ABI_VERSION,
                                     .alloc = heap_alloc,
                                     .free = heap_free,
                                     .info = heap_info,
                                     .reserve = heap_alloc};

ort_status *oribi_ort_GetAllocatorWithDefaultOptions(ort_allocator **out)
{
    *out = &oribi_ort_allocator;
    return NULL;
}

ort_status *oribi_ort_KernelInfoGetAllocator(const ort_kernel_info *info, int32_t memory,
                                             ort_allocator **out)
{
    (void)info;
    (void)memory;
    *out = &oribi_ort_allocator;
    return NULL;
}

ort_status *oribi_ort_KernelContext_GetAllocator(const ort_kernel_context *context,
                                                 const ort_memory_info *info, ort_allocator **out)
{
    (void)context;
    (void)info;
    *out = &oribi_ort_allocator;
    return NULL;
}

/* There is one allocator, which nobody owns. */
void oribi_ort_ReleaseAllocator(ort_allocator *allocator)
{
    (void)allocator;
}

ort_status *oribi_ort_AllocatorAlloc(ort_allocator *allocator, size_t bytes, void **out)
{
    *out = allocator->alloc(allocator, bytes);
    return *out || bytes == 0 ? NULL : oribi_ort_fail_memory();
}

ort_status *oribi_ort_AllocatorFree(ort_allocator *allocator, void *memory)
{
    allocator->free(allocator, memory);
    return NULL;
}

ort_status *oribi_ort_AllocatorGetInfo(const ort_allocator *allocator, const ort_memory_info **out)
{
    *out = allocator->info(allocator);
    return NULL;
}

/* --- Descriptions of memory ------------------------------------------------------------------ */

ort_status *oribi_ort_CreateMemoryInfo(const char *name, int32_t type, int id, int32_t memory,
                                       ort_memory_info **out)
{
    const size_t bytes = strlen(name) + 1;
    ort_memory_info *info = malloc(sizeof *info);
    char *own = malloc(bytes);
    if (!info || !own) {
        free(info);
        free(own);
        *out = NULL;
        return oribi_ort_fail_memory();
    }
    memcpy(own, name, bytes);
    *info = (ort_memory_info){own, type, memory, id, true};
    *out = info;
    return NULL;
}

ort_status *oribi_ort_CreateCpuMemoryInfo(int32_t type, int32_t memory, ort_memory_info **out)
{
    return oribi_ort_CreateMemoryInfo("Cpu", type, 0, memory, out);
}

void oribi_ort_ReleaseMemoryInfo(ort_memory_info *info)
{
    if (info && info->is_own) {
        free((char *)(uintptr_t)info->name);
        free(info);
    }
}

ort_status *oribi_ort_CompareMemoryInfo(const ort_memory_info *a, const ort_memory_info *b,
                                        int *out)
{
    const bool same = strcmp(a->name, b->name) == 0 && a->type == b->type &&
                      a->memory == b->memory && a->id == b->id;
    *out = same ? 0 : -1;
    return NULL;
}

ort_status *oribi_ort_MemoryInfoGetName(const ort_memory_info *info, const char **out)
{
    *out = info->name;
    return NULL;
}

ort_status *oribi_ort_MemoryInfoGetId(const ort_memory_info *info, int *out)
{
    *out = info->id;
    return NULL;
}

ort_status *oribi_ort_MemoryInfoGetMemType(const ort_memory_info *info, int32_t *out)
{
    *out = info->memory;
    return NULL;
}

ort_status *oribi_ort_MemoryInfoGetType(const ort_memory_info *info, int32_t *out)
{
    *out = info->type;
    return NULL;
}

void oribi_ort_MemoryInfoGetDeviceType(const ort_memory_info *info, int32_t *out)
{
    (void)info;
    *out = 0; /* the CPU */
}

/* --- Pairs of texts: an empty set, which a library may ask for ---------------------------------
 */

void oribi_ort_CreateKeyValuePairs(void **out)
{
    *out = NULL;
}

void oribi_ort_GetKeyValuePairs(const void *pairs, const char *const **keys,
                                const char *const **values, size_t *count)
{
    (void)pairs;
    *keys = NULL;
    *values = NULL;
    *count = 0;
}
