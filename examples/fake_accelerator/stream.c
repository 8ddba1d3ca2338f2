/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of the example device: their queues, events, timers, copies and callbacks. Each member
 * enqueues and returns; only those named block wait. A failure is told by the next member that
 * looks. Read next: queue.c.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* each member is told its device */

struct SP_Event_st {
    fake_mark mark;
};

struct SP_Timer_st {
    uint64_t start, stop; /* ns */
};

/* --- Streams and events ---------------------------------------------------------------------- */

static void create_stream(const SP_Device *device, SP_Stream *stream, TF_Status *status)
{
    if (fake_check("create_stream", device->ordinal, status)) {
        *stream = fake_queue_create(device->ordinal);
        if (*stream == NULL) {
            TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory, or no thread, for a stream");
        }
    }
}

static void destroy_stream(const SP_Device *device, SP_Stream stream)
{
    fake_queue_destroy(stream);
}

static void stream_status(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    if (fake_check("get_stream_status", device->ordinal, status) && fake_queue_is_failed(stream)) {
        TF_SetStatus(status, TF_INTERNAL, "something on the stream failed");
    }
}

static bool wait_step(void *arg, bool runs)
{
    return fake_mark_wait(arg) && runs;
}

static void stream_dependency(const SP_Device *device, SP_Stream dependent, SP_Stream other,
                              TF_Status *status)
{
    const fake_mark mark = fake_mark_of(other);
    (void)fake_enqueue(dependent, "create_stream_dependency", wait_step, &mark, sizeof mark,
                       status);
}

static void block_until_done(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    const fake_mark mark = fake_mark_of(stream);
    (void)fake_mark_wait(&mark);
    stream_status(device, stream, status);
}

static void synchronize_all(const SP_Device *device, TF_Status *status)
{
    (void)fake_check("synchronize_all_activity", device->ordinal, status);
}

static void *make(const SP_Device *device, const char *call, size_t bytes, TF_Status *status)
{
    void *made = fake_check(call, device->ordinal, status) ? calloc(1, bytes) : NULL;
    if (made == NULL && TF_GetCode(status) == TF_OK) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    }
    return made;
}

static void create_event(const SP_Device *device, SP_Event *event, TF_Status *status)
{
    *event = make(device, "create_event", sizeof **event, status);
}

static void destroy_event(const SP_Device *device, SP_Event event)
{
    free(event);
}

static SE_EventStatus event_status(const SP_Device *device, SP_Event event)
{
    return fake_mark_status(&event->mark);
}

static bool record_step(void *arg, bool runs)
{
    return runs;
}

static void record_event(const SP_Device *device, SP_Stream stream, SP_Event event,
                         TF_Status *status)
{
    if (fake_enqueue(stream, "record_event", record_step, NULL, 0, status)) {
        event->mark = fake_mark_of(stream);
    }
}

static void wait_for_event(const SP_Device *const device, SP_Stream stream, SP_Event event,
                           TF_Status *const status)
{
    (void)fake_enqueue(stream, "wait_for_event", wait_step, &event->mark, sizeof event->mark,
                       status);
}

static void block_for_event(const SP_Device *device, SP_Event event, TF_Status *status)
{
    const bool is_well = fake_mark_wait(&event->mark);
    if (fake_check("block_host_for_event", device->ordinal, status) && !is_well) {
        TF_SetStatus(status, TF_INTERNAL, "what was before the event failed");
    }
}

typedef struct callback {
    SE_StatusCallbackFn function;
    void *arg;
} callback;

static bool callback_step(void *arg, bool runs)
{
    const callback *c = arg;
    TF_Status *status = TF_NewStatus();
    if (!runs) {
        TF_SetStatus(status, TF_INTERNAL, "something on the stream failed");
    }
    c->function(c->arg, status);
    TF_DeleteStatus(status);
    return runs;
}

static TF_Bool host_callback(const SP_Device *device, SP_Stream stream,
                             SE_StatusCallbackFn function, void *arg)
{
    const callback c = {function, arg};
    TF_Status *status = TF_NewStatus();
    const bool ok = fake_enqueue(stream, "host_callback", callback_step, &c, sizeof c, status);
    TF_DeleteStatus(status);
    return ok;
}

/* --- Timers ---------------------------------------------------------------------------------- */

static bool stamp_step(void *arg, bool runs)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    **(uint64_t **)arg = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return runs;
}

static void create_timer(const SP_Device *device, SP_Timer *timer, TF_Status *status)
{
    *timer = make(device, "create_timer", sizeof **timer, status);
}

static void destroy_timer(const SP_Device *device, SP_Timer timer)
{
    free(timer);
}

static void start_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer,
                        TF_Status *status)
{
    (void)fake_enqueue(stream, "start_timer", stamp_step, &(uint64_t *){&timer->start},
                       sizeof(uint64_t *), status);
}

static void stop_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer, TF_Status *status)
{
    (void)fake_enqueue(stream, "stop_timer", stamp_step, &(uint64_t *){&timer->stop},
                       sizeof(uint64_t *), status);
}

uint64_t fake_timer_ns(SP_Timer timer)
{
    return timer->stop - timer->start;
}

/* --- Copies and fills ------------------------------------------------------------------------ */

typedef struct transfer {
    void *to;
    const void *from; /* NULL: a fill */
    uint64_t size;
    uint32_t pattern;
} transfer;

static bool transfer_step(void *arg, bool runs)
{
    const transfer *t = arg;
    if (runs && t->from != NULL) {
        memcpy(t->to, t->from, t->size);
    }
    for (uint64_t i = 0; runs && t->from == NULL && i < t->size; i++) {
        ((uint8_t *)t->to)[i] = (uint8_t)(t->pattern >> i % 4 * 8);
    }
    return runs;
}

static void copy_dtoh(const SP_Device *device, SP_Stream stream, void *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    const transfer t = {.to = to, .from = fake_address(from->opaque), .size = size};
    (void)(fake_check_memory(from, status) &&
           fake_enqueue(stream, "memcpy_dtoh", transfer_step, &t, sizeof t, status));
}

static void copy_htod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                      const void *from, uint64_t size, TF_Status *status)
{
    const transfer t = {.to = fake_address(to->opaque), .from = from, .size = size};
    (void)(fake_check_memory(to, status) &&
           fake_enqueue(stream, "memcpy_htod", transfer_step, &t, sizeof t, status));
}

static void copy_dtod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    const transfer t = {
        .to = fake_address(to->opaque), .from = fake_address(from->opaque), .size = size};
    (void)(fake_check_memory(from, status) && fake_check_memory(to, status) &&
           fake_enqueue(stream, "memcpy_dtod", transfer_step, &t, sizeof t, status));
}

static void sync_dtoh(const SP_Device *device, void *to, const SP_DeviceMemoryBase *from,
                      uint64_t size, TF_Status *status)
{
    if (fake_check("sync_memcpy_dtoh", device->ordinal, status)) {
        memcpy(to, fake_address(from->opaque), size);
    }
}

static void sync_htod(const SP_Device *device, SP_DeviceMemoryBase *to, const void *from,
                      uint64_t size, TF_Status *status)
{
    if (fake_check("sync_memcpy_htod", device->ordinal, status)) {
        memcpy(fake_address(to->opaque), from, size);
    }
}

static void fill32(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                   uint32_t pattern, uint64_t size, TF_Status *status)
{
    const transfer t = {.to = fake_address(to->opaque), .size = size, .pattern = pattern};
    (void)fake_enqueue(stream, "memset", transfer_step, &t, sizeof t, status);
}

static void fill8(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                  uint8_t pattern, uint64_t size, TF_Status *status)
{
    fill32(device, stream, to, pattern * 0x01010101u, size, status);
}

void fake_fill_streams(SP_StreamExecutor *executor)
{
    executor->create_stream = create_stream;
    executor->destroy_stream = destroy_stream;
    executor->create_stream_dependency = stream_dependency;
    executor->get_stream_status = stream_status;
    executor->create_event = create_event;
    executor->destroy_event = destroy_event;
    executor->get_event_status = event_status;
    executor->record_event = record_event;
    executor->wait_for_event = wait_for_event;
    executor->create_timer = create_timer;
    executor->destroy_timer = destroy_timer;
    executor->start_timer = start_timer;
    executor->stop_timer = stop_timer;
    executor->memcpy_dtoh = copy_dtoh;
    executor->memcpy_htod = copy_htod;
    executor->memcpy_dtod = copy_dtod;
    executor->sync_memcpy_dtoh = sync_dtoh;
    executor->sync_memcpy_htod = sync_htod;
    executor->block_host_for_event = block_for_event;
    executor->block_host_until_done = block_until_done;
    executor->synchronize_all_activity = synchronize_all;
    executor->memset = fill8;
    executor->memset32 = fill32;
    executor->host_callback = host_callback;
}
