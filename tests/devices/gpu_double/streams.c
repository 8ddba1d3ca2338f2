/* SPDX-License-Identifier: Apache-2.0 */
/* A stream is a thread that takes its steps in order. An event counts its records and how many of
 * them were reached. Handles are checked against the thread's device.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gpu_double/double.h"

typedef struct step {
    struct step *next;
    const char *symbol;
    double_step run;
    void *arg;
} step;

typedef struct queue { /* what a gpu_stream points to */
    int device;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    step *first, *last;
    int64_t n_taken, n_done;
    bool ends;
    struct queue *next;
} queue;

typedef struct mark { /* what a gpu_event points to */
    int device, users;
    bool has_times;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t n_recorded, n_reached;
    int64_t nanoseconds;
} mark;

static pthread_mutex_t defaults_lock = PTHREAD_MUTEX_INITIALIZER;
static queue *defaults[DOUBLE_MAX_DEVICES];
static queue *queues; /* of all devices, under the same lock */

/* --- Queues ---------------------------------------------------------------------------------- */

static void run_step(queue *self, step *now)
{
    gpu_result code;
    if (double_delay() > 0) {
        (void)usleep((useconds_t)double_delay());
    }
    if (double_fails_later(now->symbol, self->device, &code)) {
        double_lose(self->device, code);
    }
    if (!now->run(now->arg, double_state(self->device) != GPU_SUCCESS)) {
        double_lose(self->device, DOUBLE_LAUNCH_FAILED);
    }
    free(now->arg);
    free(now);
}

static void *work(void *arg)
{
    queue *self = arg;
    pthread_mutex_lock(&self->lock);
    for (;;) {
        while (self->first == NULL && !self->ends) {
            pthread_cond_wait(&self->changed, &self->lock);
        }
        step *now = self->first;
        if (now == NULL) {
            break;
        }
        self->first = now->next;
        pthread_mutex_unlock(&self->lock);
        run_step(self, now);
        pthread_mutex_lock(&self->lock);
        self->n_done++;
        pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    double_end_blocks();
    return NULL;
}

static queue *queue_new(int device)
{
    queue *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->device = device;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    if (pthread_create(&self->thread, NULL, work, self) != 0) {
        free(self);
        return NULL;
    }
    return self;
}

static void queue_end(queue *self)
{
    pthread_mutex_lock(&self->lock);
    self->ends = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    (void)pthread_join(self->thread, NULL);
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->changed);
    free(self);
}

static void queue_wait(queue *self)
{
    pthread_mutex_lock(&self->lock);
    const int64_t all = self->n_taken;
    while (self->n_done < all) {
        pthread_cond_wait(&self->changed, &self->lock);
    }
    pthread_mutex_unlock(&self->lock);
}

/* The stream's queue when it is one of the thread's device; NULL stands for the default one. */
static queue *queue_of(gpu_stream stream)
{
    queue *self = (queue *)(void *)stream;
    const int device = double_current();
    if (self == NULL && device >= 0) {
        pthread_mutex_lock(&defaults_lock);
        if (defaults[device] == NULL) {
            defaults[device] = queue_new(device);
        }
        self = defaults[device];
        pthread_mutex_unlock(&defaults_lock);
    }
    return self != NULL && self->device == device ? self : NULL;
}

__attribute__((destructor)) static void end_defaults(void)
{
    for (int i = 0; i < DOUBLE_MAX_DEVICES; i++) {
        if (defaults[i] != NULL) {
            queue_end(defaults[i]);
        }
    }
}

gpu_result double_enqueue(const char *symbol, gpu_stream stream, double_step run, void *arg)
{
    queue *self = queue_of(stream);
    step *now = calloc(1, sizeof *now);
    if (self == NULL || now == NULL) {
        free(now);
        free(arg);
        return self == NULL ? DOUBLE_INVALID_HANDLE : GPU_OUT_OF_MEMORY;
    }
    *now = (step){NULL, symbol, run, arg};
    pthread_mutex_lock(&self->lock);
    if (self->first == NULL) {
        self->first = now;
    } else {
        self->last->next = now;
    }
    self->last = now;
    self->n_taken++;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    return GPU_SUCCESS;
}

gpu_result gpu_symbol_stream_create(gpu_stream *stream, unsigned flags)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_stream_create), &device);
    if (code != GPU_SUCCESS || flags != GPU_STREAM_NON_BLOCKING) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    queue *self = queue_new(device);
    if (self == NULL) {
        return GPU_OUT_OF_MEMORY;
    }
    *stream = (gpu_stream)(void *)self;
    double_count("streams", 1);
    pthread_mutex_lock(&defaults_lock);
    self->next = queues;
    queues = self;
    pthread_mutex_unlock(&defaults_lock);
    return GPU_SUCCESS;
}

gpu_result gpu_symbol_stream_destroy(gpu_stream stream)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_stream_destroy), &device);
    if (stream == NULL || (code != GPU_SUCCESS && code != double_state(device))) {
        return stream == NULL ? DOUBLE_INVALID_HANDLE : code;
    }
    queue *self = (queue *)(void *)stream;
    pthread_mutex_lock(&defaults_lock);
    for (queue **at = &queues; *at != NULL; at = &(*at)->next) {
        if (*at == self) {
            *at = self->next;
            break;
        }
    }
    pthread_mutex_unlock(&defaults_lock);
    queue_end(self);
    double_count("streams", -1);
    return code;
}

gpu_result gpu_symbol_stream_query(gpu_stream stream)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_stream_query), &device);
    queue *self = queue_of(stream);
    if (code != GPU_SUCCESS || self == NULL) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_HANDLE;
    }
    pthread_mutex_lock(&self->lock);
    const bool is_done = self->n_done == self->n_taken;
    pthread_mutex_unlock(&self->lock);
    return is_done ? double_state(device) : GPU_NOT_READY;
}

gpu_result gpu_symbol_stream_synchronize(gpu_stream stream)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_stream_synchronize), &device);
    queue *self = queue_of(stream);
    if (self == NULL) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_HANDLE;
    }
    queue_wait(self);
    return code != GPU_SUCCESS ? code : double_state(device);
}

gpu_result gpu_symbol_synchronize(void)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_synchronize), &device);
    pthread_mutex_lock(&defaults_lock);
    for (queue *at = queues; at != NULL; at = at->next) {
        if (at->device == device) {
            queue_wait(at);
        }
    }
    pthread_mutex_unlock(&defaults_lock);
    return code != GPU_SUCCESS ? code : double_state(device);
}

/* --- Events ---------------------------------------------------------------------------------- */

static void mark_release(mark *self)
{
    pthread_mutex_lock(&self->lock);
    const bool is_last = --self->users == 0;
    pthread_mutex_unlock(&self->lock);
    if (is_last) {
        pthread_mutex_destroy(&self->lock);
        pthread_cond_destroy(&self->changed);
        free(self);
    }
}

static void mark_hold(mark *self)
{
    pthread_mutex_lock(&self->lock);
    self->users++;
    pthread_mutex_unlock(&self->lock);
}

gpu_result gpu_symbol_event_create(gpu_event *event, unsigned flags)
{
    int device;
    const gpu_result code = double_enter_current(GPU_TEXT(gpu_symbol_event_create), &device);
    mark *self = code == GPU_SUCCESS ? calloc(1, sizeof *self) : NULL;
    if (self == NULL) {
        return code != GPU_SUCCESS ? code : GPU_OUT_OF_MEMORY;
    }
    self->device = device;
    self->users = 1;
    self->has_times = (flags & GPU_EVENT_DISABLE_TIMING) == 0;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    *event = (gpu_event)(void *)self;
    double_count("events", 1);
    return GPU_SUCCESS;
}

gpu_result gpu_symbol_event_destroy(gpu_event event)
{
    const gpu_result code = double_enter(GPU_TEXT(gpu_symbol_event_destroy), -1);
    if (event == NULL || code != GPU_SUCCESS) {
        return event == NULL ? DOUBLE_INVALID_HANDLE : code;
    }
    mark_release((mark *)(void *)event);
    double_count("events", -1);
    return GPU_SUCCESS;
}

typedef struct mark_step {
    mark *event;
    int64_t number;
} mark_step;

static bool step_reach(void *arg, bool is_lost)
{
    const mark_step *self = arg;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&self->event->lock);
    if (!is_lost) {
        self->event->n_reached = self->number;
        self->event->nanoseconds = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    pthread_cond_broadcast(&self->event->changed);
    pthread_mutex_unlock(&self->event->lock);
    mark_release(self->event);
    return true;
}

static void await(mark *self, int64_t number)
{
    pthread_mutex_lock(&self->lock);
    while (self->n_reached < number && double_state(self->device) == GPU_SUCCESS) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 2000000; /* a device that was lost tells nobody */
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&self->changed, &self->lock, &until);
    }
    pthread_mutex_unlock(&self->lock);
}

static bool step_await(void *arg, bool is_lost)
{
    const mark_step *self = arg;
    if (!is_lost) {
        await(self->event, self->number);
    }
    mark_release(self->event);
    return true;
}

static gpu_result enqueue_mark(const char *symbol, gpu_stream stream, double_step run, mark *event,
                               int64_t number)
{
    mark_step *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return GPU_OUT_OF_MEMORY;
    }
    *self = (mark_step){event, number};
    mark_hold(event);
    const gpu_result code = double_enqueue(symbol, stream, run, self);
    if (code != GPU_SUCCESS) {
        mark_release(event);
    }
    return code;
}

gpu_result gpu_symbol_event_record(gpu_event event, gpu_stream stream)
{
    const char *symbol = GPU_TEXT(gpu_symbol_event_record);
    int device;
    const gpu_result code = double_enter_current(symbol, &device);
    mark *self = (mark *)(void *)event;
    if (code != GPU_SUCCESS || self == NULL || self->device != device) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_HANDLE;
    }
    pthread_mutex_lock(&self->lock);
    const int64_t number = ++self->n_recorded;
    pthread_mutex_unlock(&self->lock);
    return enqueue_mark(symbol, stream, step_reach, self, number);
}

static int64_t recorded(mark *self)
{
    pthread_mutex_lock(&self->lock);
    const int64_t number = self->n_recorded;
    pthread_mutex_unlock(&self->lock);
    return number;
}

gpu_result gpu_symbol_stream_wait(gpu_stream stream, gpu_event event, unsigned flags)
{
    const char *symbol = GPU_TEXT(gpu_symbol_stream_wait);
    int device;
    const gpu_result code = double_enter_current(symbol, &device);
    mark *self = (mark *)(void *)event;
    if (code != GPU_SUCCESS || self == NULL || flags != 0) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_HANDLE;
    }
    return enqueue_mark(symbol, stream, step_await, self, recorded(self));
}

gpu_result gpu_symbol_event_query(gpu_event event)
{
    const gpu_result code = double_enter(GPU_TEXT(gpu_symbol_event_query), -1);
    mark *self = (mark *)(void *)event;
    if (code != GPU_SUCCESS || self == NULL) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_HANDLE;
    }
    pthread_mutex_lock(&self->lock);
    const bool is_done = self->n_reached == self->n_recorded;
    pthread_mutex_unlock(&self->lock);
    const gpu_result state = double_state(self->device);
    return state != GPU_SUCCESS ? state : is_done ? GPU_SUCCESS : GPU_NOT_READY;
}

gpu_result gpu_symbol_event_synchronize(gpu_event event)
{
    mark *self = (mark *)(void *)event;
    const gpu_result code =
        double_enter(GPU_TEXT(gpu_symbol_event_synchronize), self != NULL ? self->device : -1);
    if (code != GPU_SUCCESS || self == NULL) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_HANDLE;
    }
    await(self, recorded(self));
    return double_state(self->device);
}

gpu_result gpu_symbol_event_elapsed(float *milliseconds, gpu_event start, gpu_event stop)
{
    const gpu_result code = double_enter(GPU_TEXT(gpu_symbol_event_elapsed), -1);
    mark *a = (mark *)(void *)start, *b = (mark *)(void *)stop;
    if (code != GPU_SUCCESS || !a->has_times || !b->has_times || recorded(a) == 0 ||
        recorded(b) == 0) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_HANDLE;
    }
    pthread_mutex_lock(&a->lock);
    const int64_t from = a->nanoseconds;
    const bool is_started = a->n_reached == a->n_recorded;
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&b->lock);
    const int64_t to = b->nanoseconds;
    const bool is_stopped = b->n_reached == b->n_recorded;
    pthread_mutex_unlock(&b->lock);
    *milliseconds = (float)((double)(to - from) * 1e-6);
    return is_started && is_stopped ? GPU_SUCCESS : GPU_NOT_READY;
}
