/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a device: a cache of blocks over the plugin's allocate. Where the plugin allows
 * arithmetic on addresses, a block is a part of a region and neighbours join when they are free;
 * elsewhere it is the whole region.
 *
 * A block that is freed while its stream is busy may still be read by work on the way: until the
 * stream was waited for, only that stream, which works in order, gets it again.
 */
#include <string.h>

#include "base/alloc.h"
#include "device/device_internal.h"

enum { GRAIN = 256, FIRST_REGION = 1 << 20, LARGEST_STEP = 64 << 20 };

/* --- Regions; the device is locked ----------------------------------------------------------- */

static bool ask_plugin(oribi_device *device, oribi_allocation *region, size_t bytes)
{
    const SP_StreamExecutor *se = oribi__executor(device);
    region->memory = (SP_DeviceMemoryBase){.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
    if (region->is_unified) {
        region->memory.opaque = se->unified_memory_allocate(&device->device, bytes);
        region->memory.size = bytes;
        return region->memory.opaque != NULL;
    }
    se->allocate(&device->device, bytes, 0, &region->memory);
    return region->memory.opaque != NULL;
}

static size_t region_bytes(const oribi_device *device, size_t bytes)
{
    if (!oribi_device_has_offsets(device)) {
        return bytes;
    }
    size_t step = FIRST_REGION;
    while (step < device->counts.bytes_reserved && step < LARGEST_STEP) {
        step *= 2;
    }
    return bytes > step ? bytes : step;
}

static oribi_block *region_new(oribi_device *device, size_t bytes, bool is_unified)
{
    oribi_allocation *region = oribi_alloc_zero(1, sizeof *region);
    oribi_block *block = oribi_alloc_zero(1, sizeof *block);
    if (region != NULL) {
        region->is_unified = is_unified;
    }
    if (region == NULL || block == NULL || !ask_plugin(device, region, bytes)) {
        oribi_free(region);
        oribi_free(block);
        return NULL;
    }
    region->first = block;
    region->next = device->regions;
    device->regions = region;
    device->counts.n_allocations++;
    device->counts.bytes_reserved += bytes;
    block->region = region;
    block->bytes = bytes;
    return block;
}

static void region_free(oribi_device *device, oribi_allocation *region)
{
    device->counts.bytes_reserved -= region->first->bytes;
    const SP_StreamExecutor *se = oribi__executor(device);
    if (region->is_unified) {
        se->unified_memory_deallocate(&device->device, region->memory.opaque);
    } else {
        se->deallocate(&device->device, &region->memory);
    }
    oribi_free(region->first);
    oribi_free(region);
}

static void unlink_free(oribi_block **list, oribi_block *block)
{
    while (*list != block) {
        list = &(*list)->next;
    }
    *list = block->next;
    block->next = NULL;
    block->is_free = false;
}

/* Gives regions back of which no part is in use. True: there was one. */
static bool trim(oribi_device *device)
{
    bool any = false;
    oribi_allocation **link = &device->regions;
    while (*link != NULL) {
        oribi_allocation *region = *link;
        if (!region->first->is_free || region->first->after != NULL) {
            link = &region->next;
            continue;
        }
        *link = region->next;
        unlink_free(&device->free, region->first);
        region_free(device, region);
        any = true;
    }
    return any;
}

void oribi__device_free_cache(oribi_device *device)
{
    oribi_mutex_lock(&device->lock);
    (void)trim(device);
    oribi_mutex_unlock(&device->lock);
}

/* --- Blocks; the device is locked ------------------------------------------------------------ */

/* A block that cannot be cut and is much too large is left for others. */
static oribi_block *best_of(oribi_block *list, size_t bytes, bool may_cut, bool is_unified)
{
    const size_t most = may_cut ? SIZE_MAX : bytes * 2 + GRAIN;
    oribi_block *best = NULL;
    for (oribi_block *block = list; block != NULL; block = block->next) {
        if (block->bytes >= bytes && block->bytes <= most &&
            block->region->is_unified == is_unified &&
            (best == NULL || block->bytes < best->bytes)) {
            best = block;
        }
    }
    return best;
}

static void put_free(oribi_device *device, oribi_block *block)
{
    block->is_free = true;
    block->next = device->free;
    device->free = block;
}

/* Cuts what is too much; keeps the block whole when there is no memory for the struct. */
static void split(oribi_device *device, oribi_block *block, size_t bytes)
{
    if (!oribi_device_has_offsets(device) || block->bytes - bytes < GRAIN) {
        return;
    }
    oribi_block *rest = oribi_alloc_zero(1, sizeof *rest);
    if (rest == NULL) {
        return;
    }
    rest->region = block->region;
    rest->offset = block->offset + bytes;
    rest->bytes = block->bytes - bytes;
    rest->before = block;
    rest->after = block->after;
    if (rest->after != NULL) {
        rest->after->before = rest;
    }
    block->after = rest;
    block->bytes = bytes;
    put_free(device, rest);
}

/* The block after `block` becomes part of it. */
static void join(oribi_device *device, oribi_block *block)
{
    oribi_block *gone = block->after;
    unlink_free(&device->free, gone);
    block->bytes += gone->bytes;
    block->after = gone->after;
    if (block->after != NULL) {
        block->after->before = block;
    }
    oribi_free(gone);
}

static void give_back(oribi_device *device, oribi_block *block)
{
    if (block->after != NULL && block->after->is_free) {
        join(device, block);
    }
    if (block->before != NULL && block->before->is_free) {
        oribi_block *before = block->before;
        block->is_free = true;
        block->next = device->free;
        device->free = block;
        join(device, before);
        return;
    }
    put_free(device, block);
}

static oribi_block *find_block(oribi_device *device, oribi_stream *stream, size_t bytes,
                               bool is_unified)
{
    if (stream != NULL) {
        oribi_block *block = best_of(stream->held, bytes, false, is_unified);
        if (block != NULL) {
            unlink_free(&stream->held, block);
            return block;
        }
    }
    oribi_block *block = best_of(device->free, bytes, oribi_device_has_offsets(device), is_unified);
    if (block != NULL) {
        unlink_free(&device->free, block);
    } else {
        block = region_new(device, region_bytes(device, bytes), is_unified);
        if (block == NULL) {
            (void)trim(device);
            block = region_new(device, bytes, is_unified);
        }
    }
    if (block != NULL) {
        split(device, block, bytes);
    }
    return block;
}

/* --- Buffers --------------------------------------------------------------------------------- */

static void release_block(oribi_buffer *buffer)
{
    oribi_block *block = (oribi_block *)buffer;
    oribi_device *device = block->device;
    oribi_stream *stream = block->stream;
    oribi__account_discharge(block->account, block->charged);
    oribi_mutex_lock(&device->lock);
    device->counts.bytes_in_use -= block->bytes;
    block->device = NULL;
    block->stream = NULL;
    block->account = NULL;
    if (stream != NULL && atomic_load_explicit(&stream->is_busy, memory_order_acquire)) {
        block->next = stream->held;
        stream->held = block;
    } else {
        give_back(device, block);
    }
    oribi_mutex_unlock(&device->lock);
    oribi__stream_unref(stream);
    oribi_device_release(device);
}

void oribi__stream_flush(oribi_stream *stream)
{
    oribi_device *device = stream->device;
    oribi_mutex_lock(&device->lock);
    while (stream->held != NULL) {
        oribi_block *block = stream->held;
        stream->held = block->next;
        block->next = NULL;
        give_back(device, block);
    }
    oribi_mutex_unlock(&device->lock);
}

static void fail_allocation(const oribi_device *device, size_t bytes, TF_Status *status)
{
    oribi_fail(status, TF_RESOURCE_EXHAUSTED,
               "device %s: allocate: there is no memory for %zu bytes; use smaller inputs or fewer "
               "sessions at once",
               device->name, bytes);
}

oribi_buffer *oribi_device_allocate(oribi_device *device, oribi_stream *stream,
                                    oribi_device_account *account, size_t bytes, TF_Status *status)
{
    size_t padded = 0;
    if (!oribi_size_round_up(bytes == 0 ? 1 : bytes, GRAIN, &padded) || padded > SIZE_MAX / 4) {
        oribi_fail_memory(status);
        return NULL;
    }
    if (!oribi__account_charge(device, account, padded, status)) {
        return NULL;
    }
    oribi_device_retain(device);
    oribi_mutex_lock(&device->lock);
    oribi_block *block = find_block(device, stream, padded, account != NULL && account->is_unified);
    if (block != NULL) {
        oribi_device_counts *counts = &device->counts;
        counts->bytes_in_use += block->bytes;
        counts->peak_bytes_in_use = counts->bytes_in_use > counts->peak_bytes_in_use
                                        ? counts->bytes_in_use
                                        : counts->peak_bytes_in_use;
        block->device = device;
        block->stream = stream;
        block->account = account;
        block->charged = padded;
    }
    oribi_mutex_unlock(&device->lock);
    if (block == NULL) {
        oribi__account_discharge(account, padded);
        fail_allocation(device, padded, status);
        oribi_device_release(device);
        return NULL;
    }
    if (stream != NULL) {
        atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
    }
    block->buffer = (oribi_buffer){.data = (char *)block->region->memory.opaque + block->offset,
                                   .bytes = bytes,
                                   .references = 1,
                                   .release = release_block};
    return &block->buffer;
}

oribi_device *oribi_buffer_device(const oribi_buffer *buffer)
{
    return buffer != NULL && buffer->release == release_block
               ? ((const oribi_block *)buffer)->device
               : NULL;
}
