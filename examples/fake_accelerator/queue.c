/* SPDX-License-Identifier: Apache-2.0 */
/* The hardware and its driver: a queue is a thread that carries out entries in order, a place in it
 * is a number. A failure sticks to its queue, and what comes after it is not done. A plugin for
 * real hardware calls its vendor's driver instead. Read next: device.c.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

typedef struct entry {
    struct entry *next;
    fake_step step;
    const char *call;
    max_align_t arg[];
} entry;

struct SP_Stream_st {
    pthread_t thread;
    int ordinal;
    bool is_ending, is_failed;
    uint64_t n_enqueued, n_done;
    entry *first, **last;
    struct SP_Stream_st *next_spare;
};

/* Of all queues: few threads, few entries. A queue that is given back serves again and goes on
 * counting, so that a mark never outlives what it names. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static SP_Stream spare;

static void carry_out(SP_Stream queue, entry *e)
{
    bool runs = !queue->is_failed;
    pthread_mutex_unlock(&lock);
    runs = runs && fake_begin(e->call, queue->ordinal);
    runs = e->step(e->arg, runs) && runs;
    free(e);
    pthread_mutex_lock(&lock);
    queue->is_failed |= !runs;
    queue->n_done++;
    pthread_cond_broadcast(&changed);
}

static void *work(void *arg)
{
    SP_Stream queue = arg;
    pthread_mutex_lock(&lock);
    while (queue->first != NULL || !queue->is_ending) {
        entry *e = queue->first;
        if (e == NULL) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        queue->first = e->next;
        queue->last = e->next == NULL ? &queue->first : queue->last;
        carry_out(queue, e);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void put_back(SP_Stream queue)
{
    pthread_mutex_lock(&lock);
    queue->next_spare = spare;
    spare = queue;
    pthread_mutex_unlock(&lock);
}

SP_Stream fake_queue_create(int ordinal)
{
    pthread_mutex_lock(&lock);
    SP_Stream queue = spare != NULL ? spare : calloc(1, sizeof *queue);
    if (queue != NULL) {
        spare = queue->next_spare;
        queue->ordinal = ordinal;
        queue->is_ending = queue->is_failed = false;
        queue->last = &queue->first;
    }
    pthread_mutex_unlock(&lock);
    if (queue != NULL && pthread_create(&queue->thread, NULL, work, queue) != 0) {
        put_back(queue);
        queue = NULL;
    }
    return queue;
}

void fake_queue_destroy(SP_Stream queue)
{
    pthread_mutex_lock(&lock);
    queue->is_ending = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(queue->thread, NULL);
    put_back(queue);
}

bool fake_queue_is_failed(SP_Stream queue)
{
    pthread_mutex_lock(&lock);
    const bool is_failed = queue->is_failed;
    pthread_mutex_unlock(&lock);
    return is_failed;
}

bool fake_enqueue(SP_Stream queue, const char *call, fake_step step, const void *arg, size_t bytes,
                  TF_Status *status)
{
    if (!fake_check(call, queue->ordinal, status)) {
        return false;
    }
    entry *e = malloc(sizeof *e + bytes);
    if (e == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        return false;
    }
    *e = (entry){.step = step, .call = call};
    if (bytes > 0) {
        memcpy(e->arg, arg, bytes);
    }
    pthread_mutex_lock(&lock);
    *queue->last = e;
    queue->last = &e->next;
    queue->n_enqueued++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return true;
}

fake_mark fake_mark_of(SP_Stream queue)
{
    pthread_mutex_lock(&lock);
    const fake_mark mark = {queue, queue->n_enqueued};
    pthread_mutex_unlock(&lock);
    return mark;
}

static SE_EventStatus status_of(const fake_mark *mark)
{
    if (mark->queue == NULL) {
        return SE_EVENT_COMPLETE;
    }
    return mark->queue->n_done < mark->number ? SE_EVENT_PENDING
           : mark->queue->is_failed           ? SE_EVENT_ERROR
                                              : SE_EVENT_COMPLETE;
}

SE_EventStatus fake_mark_status(const fake_mark *mark)
{
    pthread_mutex_lock(&lock);
    const SE_EventStatus status = status_of(mark);
    pthread_mutex_unlock(&lock);
    return status;
}

bool fake_mark_wait(const fake_mark *mark)
{
    pthread_mutex_lock(&lock);
    while (status_of(mark) == SE_EVENT_PENDING) {
        pthread_cond_wait(&changed, &lock);
    }
    const bool is_well = status_of(mark) == SE_EVENT_COMPLETE;
    pthread_mutex_unlock(&lock);
    return is_well;
}
