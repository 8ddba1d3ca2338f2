/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of the example device: each is a thread that works through a list. Events and waits are
 * numbers on that list; copies, fills and launches are entries. A failure sticks to its stream, and
 * what comes after it is not done.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"

typedef struct progress { /* of a stream; outlives it while events refer to it */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t enqueued, done;
    int references;
    bool is_failed;
} progress;

typedef enum work_kind { COPY, FILL, RUN, TASK, WAIT, SLEEP, CALL, STAMP, STOP } work_kind;

typedef struct work {
    struct work *next;
    work_kind kind;
    void *to;
    const void *from;
    uint64_t size;
    uint32_t pattern;
    progress *other; /* one reference */
    uint64_t number;
    fake_function function;
    fake_args args;
    fake_task task;
    SE_StatusCallbackFn callback;
} work;

struct SP_Stream_st {
    progress *progress;
    pthread_t thread;
    int ordinal;
    work *first, **last; /* under progress->lock */
};

struct SP_Event_st {
    progress *progress; /* NULL: never recorded */
    uint64_t number;
};

struct SP_Timer_st {
    uint64_t start, stop;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void pause_us(int64_t microseconds)
{
    const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static void let_go(progress *p)
{
    if (p != NULL) {
        pthread_mutex_lock(&p->lock);
        const bool last = --p->references == 0;
        pthread_mutex_unlock(&p->lock);
        if (last) {
            pthread_cond_destroy(&p->changed);
            pthread_mutex_destroy(&p->lock);
            free(p);
        }
    }
}

/* False: the work before failed. */
static bool wait_until(progress *p, uint64_t number)
{
    pthread_mutex_lock(&p->lock);
    while (p->done < number) {
        pthread_cond_wait(&p->changed, &p->lock);
    }
    const bool ok = !p->is_failed;
    pthread_mutex_unlock(&p->lock);
    return ok;
}

static bool perform(SP_Stream stream, work *w, bool is_failed)
{
    if (fake_delay_us > 0) {
        pause_us(fake_delay_us);
    }
    if (w->kind == WAIT) {
        return wait_until(w->other, w->number) && !is_failed;
    }
    if (w->kind == CALL) {
        TF_Status *status = TF_NewStatus();
        if (is_failed) {
            TF_SetStatus(status, TF_INTERNAL, "the stream failed");
        }
        w->callback(w->to, status);
        TF_DeleteStatus(status);
    } else if (w->kind == STAMP) {
        *(uint64_t *)w->to = now_ns();
    } else if (w->kind == SLEEP) {
        pause_us(300000);
    } else if (w->kind == TASK) { /* told, so that it can free what it has */
        w->task(w->to, !is_failed);
        return !is_failed && !fake_is_faulty("async", stream->ordinal);
    } else if (is_failed) {
        return false; /* what comes after a failure is not done */
    } else if (w->kind == COPY) {
        memcpy(w->to, w->from, w->size);
    } else if (w->kind == FILL) {
        for (uint64_t i = 0; i < w->size; i++) {
            ((uint8_t *)w->to)[i] = (uint8_t)(w->pattern >> i % 4 * 8);
        }
    } else if (w->kind == RUN) {
        w->function(&w->args);
        return !fake_is_faulty("async", stream->ordinal);
    }
    return !is_failed;
}

static void *work_through(void *arg)
{
    SP_Stream stream = arg;
    progress *p = stream->progress;
    bool is_stopped = false;
    while (!is_stopped) {
        pthread_mutex_lock(&p->lock);
        while (stream->first == NULL) {
            pthread_cond_wait(&p->changed, &p->lock);
        }
        work *w = stream->first;
        stream->first = w->next;
        stream->last = stream->first == NULL ? &stream->first : stream->last;
        const bool is_failed = p->is_failed;
        pthread_mutex_unlock(&p->lock);
        const bool ok = perform(stream, w, is_failed);
        is_stopped = w->kind == STOP;
        let_go(w->other);
        free(w);
        pthread_mutex_lock(&p->lock);
        p->done++;
        p->is_failed |= !ok;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

static bool enqueue(SP_Stream stream, const work *like)
{
    progress *p = stream->progress;
    work *w = malloc(sizeof *w);
    if (w == NULL) {
        return false;
    }
    *w = *like;
    w->next = NULL;
    pthread_mutex_lock(&p->lock);
    *stream->last = w;
    stream->last = &w->next;
    p->enqueued++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return true;
}

/* For calls that have a name to fail under. */
static bool enqueue_call(const char *call, SP_Stream stream, const work *like, TF_Status *status)
{
    if (fake_check(call, stream->ordinal, status) && !enqueue(stream, like)) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    }
    return TF_GetCode(status) == TF_OK;
}

bool fake_launch(SP_Stream stream, fake_function function, const fake_args *args, TF_Status *status)
{
    const work run = {.kind = RUN, .function = function, .args = *args};
    return enqueue_call("launch", stream, &run, status);
}

bool fake_enqueue(const char *call, SP_Stream stream, fake_task task, void *arg, TF_Status *status)
{
    const work run = {.kind = TASK, .task = task, .to = arg};
    return enqueue_call(call, stream, &run, status);
}

static void create_stream(const SP_Device *device, SP_Stream *out, TF_Status *status)
{
    SP_Stream stream = calloc(1, sizeof *stream);
    progress *p = calloc(1, sizeof *p);
    if (stream == NULL || p == NULL || !fake_check("create_stream", device->ordinal, status)) {
        goto failed;
    }
    p->references = 1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    stream->progress = p;
    stream->ordinal = device->ordinal;
    stream->last = &stream->first;
    if (pthread_create(&stream->thread, NULL, work_through, stream) == 0) {
        *out = stream;
        return;
    }
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
failed:
    free(stream);
    free(p);
    if (TF_GetCode(status) == TF_OK) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory, or no thread, for a stream");
    }
}

static void destroy_stream(const SP_Device *device, SP_Stream stream)
{
    const work stop = {.kind = STOP};
    (void)device;
    while (!enqueue(stream, &stop)) {
        pause_us(1000);
    }
    pthread_join(stream->thread, NULL);
    let_go(stream->progress);
    free(stream);
}

static void stream_status(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    if (fake_check("get_stream_status", device->ordinal, status)) {
        pthread_mutex_lock(&stream->progress->lock);
        if (stream->progress->is_failed) {
            TF_SetStatus(status, TF_INTERNAL, "something on the stream failed");
        }
        pthread_mutex_unlock(&stream->progress->lock);
    }
}

static void wait_for(const SP_Device *device, SP_Stream stream, progress *other, uint64_t number,
                     TF_Status *status)
{
    const work wait = {.kind = WAIT, .other = other, .number = number};
    (void)device;
    pthread_mutex_lock(&other->lock);
    other->references++;
    pthread_mutex_unlock(&other->lock);
    if (!enqueue_call("wait", stream, &wait, status)) {
        let_go(other);
    }
}

static void stream_dependency(const SP_Device *device, SP_Stream dependent, SP_Stream other,
                              TF_Status *status)
{
    pthread_mutex_lock(&other->progress->lock);
    const uint64_t number = other->progress->enqueued;
    pthread_mutex_unlock(&other->progress->lock);
    wait_for(device, dependent, other->progress, number, status);
}

/* --- Events and timers ----------------------------------------------------------------------- */

static void create_event(const SP_Device *device, SP_Event *event, TF_Status *status)
{
    *event = fake_check("create_event", device->ordinal, status) ? calloc(1, sizeof **event) : NULL;
    if (*event == NULL && TF_GetCode(status) == TF_OK) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    }
}

static void destroy_event(const SP_Device *device, SP_Event event)
{
    (void)device;
    let_go(event->progress);
    free(event);
}

static SE_EventStatus event_status(const SP_Device *device, SP_Event event)
{
    SE_EventStatus result = SE_EVENT_COMPLETE;
    (void)device;
    if (event->progress != NULL) {
        pthread_mutex_lock(&event->progress->lock);
        result = event->progress->done < event->number ? SE_EVENT_PENDING
                 : event->progress->is_failed          ? SE_EVENT_ERROR
                                                       : SE_EVENT_COMPLETE;
        pthread_mutex_unlock(&event->progress->lock);
    }
    return result;
}

static void record_event(const SP_Device *device, SP_Stream stream, SP_Event event,
                         TF_Status *status)
{
    const work late = {.kind = SLEEP};
    if (!fake_check("record_event", device->ordinal, status)) {
        return;
    }
    if (fake_is_faulty("late", device->ordinal)) {
        (void)enqueue(stream, &late);
    }
    let_go(event->progress);
    event->progress = stream->progress;
    pthread_mutex_lock(&event->progress->lock);
    event->progress->references++;
    event->number = event->progress->enqueued;
    pthread_mutex_unlock(&event->progress->lock);
}

static void wait_for_event(const SP_Device *const device, SP_Stream stream, SP_Event event,
                           TF_Status *const status)
{
    if (event->progress != NULL) {
        wait_for(device, stream, event->progress, event->number, status);
    }
}

static void block_for_event(const SP_Device *device, SP_Event event, TF_Status *status)
{
    if (event->progress != NULL && !wait_until(event->progress, event->number)) {
        TF_SetStatus(status, TF_INTERNAL, "what was before the event failed");
    }
    (void)fake_check("block_host_for_event", device->ordinal, status);
}

static void block_until_done(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    pthread_mutex_lock(&stream->progress->lock);
    const uint64_t number = stream->progress->enqueued;
    pthread_mutex_unlock(&stream->progress->lock);
    (void)wait_until(stream->progress, number);
    stream_status(device, stream, status);
}

static void synchronize_all(const SP_Device *device, TF_Status *status)
{
    (void)fake_check("synchronize_all_activity", device->ordinal, status);
}

static void create_timer(const SP_Device *device, SP_Timer *timer, TF_Status *status)
{
    (void)device;
    *timer = calloc(1, sizeof **timer);
    if (*timer == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    }
}

static void destroy_timer(const SP_Device *device, SP_Timer timer)
{
    (void)device;
    free(timer);
}

static void start_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer,
                        TF_Status *status)
{
    const work stamp = {.kind = STAMP, .to = &timer->start};
    (void)device;
    (void)enqueue_call("start_timer", stream, &stamp, status);
}

static void stop_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer, TF_Status *status)
{
    const work stamp = {.kind = STAMP, .to = &timer->stop};
    (void)device;
    (void)enqueue_call("stop_timer", stream, &stamp, status);
}

uint64_t fake_timer_ns(SP_Timer timer)
{
    return timer->stop - timer->start;
}

/* --- Copies and fills ------------------------------------------------------------------------ */

static void copy_dtoh(const SP_Device *device, SP_Stream stream, void *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    const work copy = {.kind = COPY, .to = to, .from = fake_address(from->opaque), .size = size};
    (void)device;
    (void)(fake_check_memory(from, status) && enqueue_call("memcpy_dtoh", stream, &copy, status));
}

static void copy_htod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                      const void *from, uint64_t size, TF_Status *status)
{
    const work copy = {.kind = COPY, .to = fake_address(to->opaque), .from = from, .size = size};
    (void)device;
    (void)(fake_check_memory(to, status) && enqueue_call("memcpy_htod", stream, &copy, status));
}

static void copy_dtod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    const work copy = {.kind = COPY,
                       .to = fake_address(to->opaque),
                       .from = fake_address(from->opaque),
                       .size = size};
    (void)device;
    (void)(fake_check_memory(from, status) && fake_check_memory(to, status) &&
           enqueue_call("memcpy_dtod", stream, &copy, status));
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
    const work fill = {
        .kind = FILL, .to = fake_address(to->opaque), .pattern = pattern, .size = size};
    (void)device;
    (void)enqueue_call("memset", stream, &fill, status);
}

static void fill8(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                  uint8_t pattern, uint64_t size, TF_Status *status)
{
    fill32(device, stream, to, pattern * 0x01010101u, size, status);
}

static void fill_zero(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                      uint64_t size, TF_Status *status)
{
    fill32(device, stream, to, 0, size, status);
}

static TF_Bool host_callback(const SP_Device *device, SP_Stream stream,
                             SE_StatusCallbackFn callback, void *arg)
{
    const work call = {.kind = CALL, .callback = callback, .to = arg};
    (void)device;
    return enqueue(stream, &call);
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
    executor->mem_zero = fill_zero;
    executor->memset = fill8;
    executor->memset32 = fill32;
    executor->host_callback = host_callback;
}
