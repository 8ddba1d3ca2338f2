/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a session takes against its limit, before it is taken. */
#include <inttypes.h>

#include "base/alloc.h"
#include "session/session_internal.h"

oribi_meter *oribi_meter_create(uint64_t max_bytes, TF_Status *status)
{
    oribi_meter *meter = oribi_alloc_zero(1, sizeof *meter);
    oribi_buffer *sample = oribi_buffer_new(0);
    if (meter == NULL || sample == NULL) {
        oribi_free(meter);
        oribi_buffer_release(sample);
        oribi_fail_memory(status);
        return NULL;
    }
    atomic_init(&meter->references, 1);
    atomic_init(&meter->used, 0);
    meter->max_bytes = max_bytes;
    meter->release_buffer = sample->release; /* of every buffer from the heap */
    oribi_buffer_release(sample);
    return meter;
}

void oribi_meter_retain(oribi_meter *meter)
{
    atomic_fetch_add_explicit(&meter->references, 1, memory_order_relaxed);
}

void oribi_meter_release(oribi_meter *meter)
{
    if (meter != NULL &&
        atomic_fetch_sub_explicit(&meter->references, 1, memory_order_acq_rel) == 1) {
        oribi_free(meter);
    }
}

bool oribi_meter_charge(oribi_meter *meter, uint64_t bytes, const char *what, TF_Status *status)
{
    uint64_t used = atomic_load_explicit(&meter->used, memory_order_relaxed);
    do {
        if (bytes > meter->max_bytes || used > meter->max_bytes - bytes) {
            return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                              "%s: %" PRIu64 " bytes more than the %" PRIu64
                              " in use would pass the limit of %" PRIu64
                              " bytes; raise it with oribi_options_set_max_bytes (--max-bytes)",
                              what, bytes, used, meter->max_bytes);
        }
    } while (!atomic_compare_exchange_weak_explicit(&meter->used, &used, used + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

void oribi_meter_discharge(oribi_meter *meter, uint64_t bytes)
{
    atomic_fetch_sub_explicit(&meter->used, bytes, memory_order_relaxed);
}

static void release_metered(oribi_buffer *buffer)
{
    oribi_meter *meter = buffer->arg;
    oribi_meter_discharge(meter, buffer->bytes + buffer->held);
    meter->release_buffer(buffer);
    oribi_meter_release(meter);
}

static void release_device_host(oribi_buffer *buffer)
{
    oribi_meter *meter = buffer->arg;
    oribi_meter_discharge(meter, buffer->bytes);
    oribi_device_free_host_buffer(buffer);
    oribi_meter_release(meter);
}

bool oribi_meter_owns(const oribi_meter *meter, const oribi_buffer *buffer)
{
    return (buffer->release == release_metered || buffer->release == release_device_host) &&
           buffer->arg == meter;
}

bool oribi_meter_hold_texts(oribi_meter *meter, oribi_buffer *buffer, TF_Status *status)
{
    const size_t held =
        oribi_elements_held((TF_DataType)buffer->owned, buffer->data, buffer->bytes);
    if (held > buffer->held && oribi_meter_owns(meter, buffer)) {
        ORIBI_TRY(oribi_meter_charge(meter, held - buffer->held, "texts", status));
        buffer->held = held;
    }
    return true;
}

oribi_buffer *oribi_meter_buffer(oribi_meter *meter, size_t bytes, const char *what,
                                 TF_Status *status)
{
    if (!oribi_meter_charge(meter, bytes, what, status)) {
        return NULL;
    }
    oribi_buffer *buffer = oribi_buffer_new(bytes);
    if (buffer == NULL) {
        oribi_meter_discharge(meter, bytes);
        oribi_fail_memory(status);
        return NULL;
    }
    atomic_fetch_add_explicit(&meter->references, 1, memory_order_relaxed);
    buffer->arg = meter;
    buffer->release = release_metered;
    return buffer;
}

oribi_buffer *oribi_meter_device_buffer(oribi_meter *meter, oribi_device *device, size_t bytes,
                                        const char *what, TF_Status *status)
{
    if (!oribi_meter_charge(meter, bytes, what, status)) {
        return NULL;
    }
    oribi_buffer *buffer = oribi_device_host_buffer(device, bytes);
    if (buffer == NULL) {
        oribi_meter_discharge(meter, bytes);
        return oribi_meter_buffer(meter, bytes, what, status);
    }
    atomic_fetch_add_explicit(&meter->references, 1, memory_order_relaxed);
    buffer->arg = meter;
    buffer->release = release_device_host;
    return buffer;
}
