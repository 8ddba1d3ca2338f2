/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a block are fibers of the stream's thread. One fiber goes on taking threads until
 * one of them meets a barrier; then the next fiber does. When all wait they go on in turn, so that
 * each thread runs from barrier to barrier alone: device code that lacks a barrier computes wrong
 * results, always the same.
 */
#include <stdlib.h>
#include <ucontext.h>

#include "device_ops/code/dialect_host.h"
#include "gpu_double/double.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#elif __has_feature(thread_sanitizer)
#define WITH_TSAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN
#elif defined(__SANITIZE_THREAD__)
#define WITH_TSAN
#endif
#ifdef WITH_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum { MAX_THREADS = 1024, STACK_BYTES = 192 << 10 };

typedef struct fiber {
    ucontext_t context;
    void *stack;
    const void *bottom; /* of the stack, for a sanitizer */
    size_t bytes;
    void *fake, *tsan;
    device_axis thread;
    bool is_waiting;
} fiber;

typedef struct blocks { /* of one thread of the host */
    fiber scheduler;
    fiber *fibers[MAX_THREADS];
    fiber *now;
    int n_fibers, next_thread, n_threads;
    double_kernel kernel;
    void *const *args;
} blocks;

_Thread_local device_place device_here;
static _Thread_local blocks *own;

static void switch_to(fiber *from, fiber *to)
{
#ifdef WITH_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(&from->fake, to->bottom, to->bytes);
#endif
    (void)swapcontext(&from->context, &to->context);
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}

static void back_to_scheduler(void)
{
    blocks *b = own;
    switch_to(b->now, &b->scheduler);
}

void device_barrier(void)
{
    own->now->is_waiting = true;
    back_to_scheduler();
}

static void take_threads(void)
{
    blocks *b = own;
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(NULL, &b->scheduler.bottom, &b->scheduler.bytes);
#endif
    for (;;) {
        while (b->next_thread < b->n_threads) {
            const int i = b->next_thread++;
            const device_axis size = device_here.block;
            b->now->thread = (device_axis){i % size.x, i / size.x % size.y, i / size.x / size.y};
            device_here.thread = b->now->thread;
            b->kernel(b->args);
        }
        back_to_scheduler();
    }
}

/* A function of its own, since getcontext returns like setjmp. */
static void start_context(fiber *self)
{
    (void)getcontext(&self->context);
    self->context.uc_stack.ss_sp = self->stack;
    self->context.uc_stack.ss_size = STACK_BYTES;
    self->bottom = self->stack;
    self->bytes = STACK_BYTES;
#ifdef WITH_TSAN
    self->tsan = __tsan_create_fiber(0);
#endif
    makecontext(&self->context, take_threads, 0);
}

static fiber *fiber_at(blocks *b, int i)
{
    if (i < b->n_fibers) {
        return b->fibers[i];
    }
    fiber *self = calloc(1, sizeof *self);
    if (self == NULL || (self->stack = malloc(STACK_BYTES)) == NULL) {
        free(self);
        return NULL;
    }
    start_context(self);
    b->fibers[b->n_fibers++] = self;
    return self;
}

static void resume(blocks *b, fiber *self)
{
    b->now = self;
    self->is_waiting = false;
    device_here.thread = self->thread;
    switch_to(&b->scheduler, self);
}

static bool run_block(blocks *b)
{
    int n_used = 0, n_waiting = 0;
    b->next_thread = 0;
    while (b->next_thread < b->n_threads) {
        fiber *self = fiber_at(b, n_used);
        if (self == NULL) {
            return false;
        }
        n_used++;
        resume(b, self);
        n_waiting += self->is_waiting;
    }
    while (n_waiting > 0) {
        if (n_waiting != b->n_threads) {
            return false; /* and the fibers that wait are lost with their stacks' content */
        }
        n_waiting = 0;
        for (int i = 0; i < n_used; i++) {
            resume(b, b->fibers[i]);
            n_waiting += b->fibers[i]->is_waiting;
        }
    }
    return true;
}

void double_end_blocks(void)
{
    if (own != NULL) {
        for (int i = 0; i < own->n_fibers; i++) {
#ifdef WITH_TSAN
            __tsan_destroy_fiber(own->fibers[i]->tsan);
#endif
            free(own->fibers[i]->stack);
            free(own->fibers[i]);
        }
        free(own);
        own = NULL;
    }
}

bool double_run_grid(double_kernel kernel, void *const *args, const unsigned grid[3],
                     const unsigned block[3], size_t shared)
{
    bool ok = true;
    if (own == NULL && (own = calloc(1, sizeof *own)) == NULL) {
        return false;
    }
#ifdef WITH_TSAN
    own->scheduler.tsan = __tsan_get_current_fiber();
#endif
    own->kernel = kernel;
    own->args = args;
    own->n_threads = (int)(block[0] * block[1] * block[2]);
    device_here.grid = (device_axis){(int)grid[0], (int)grid[1], (int)grid[2]};
    device_here.block = (device_axis){(int)block[0], (int)block[1], (int)block[2]};
    device_here.shared = malloc(shared > 0 ? shared : 1);
    for (unsigned z = 0; ok && z < grid[2]; z++) {
        for (unsigned y = 0; ok && y < grid[1]; y++) {
            for (unsigned x = 0; ok && x < grid[0]; x++) {
                device_here.group = (device_axis){(int)x, (int)y, (int)z};
                ok = run_block(own);
            }
        }
    }
    free(device_here.shared);
    if (!ok) {
        double_end_blocks();
    }
    return ok;
}
