/* SPDX-License-Identifier: Apache-2.0 */
/* The example device with a spy between it and the host: each call of a member is counted, host
 * memory that the device gave out is remembered, and it has unified memory. Built from the
 * example's files, whose SE_InitPlugin is called fake_init_plugin here.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/kernels.h"

#define SPY __attribute__((visibility("default")))

void fake_init_plugin(SE_PlatformRegistrationParams *params, TF_Status *status);
void *fake_address(const void *opaque);
SPY int64_t spy_calls(const char *member);
/* Copies whose host side is memory that host_memory_allocate gave out, and the others. */
SPY void spy_copies(int64_t *out_pinned, int64_t *out_plain);
SPY void spy_set_host_memory(int there); /* 0: host_memory_allocate has none from now on */
SPY void spy_set_callbacks(int there);   /* 0: host_callback refuses from now on */
/* Rendezvous on streams, which a device that does one thing after the other misses: spy_gate puts a
 * step on the stream that says it has begun, then waits until `n_arrived` copies to the device were
 * done since spy_hold; spy_hold(1): each copy to the host waits, on its stream, until a gate has
 * begun. spy_missed counts those that waited 3 s in vain. */
SPY void spy_gate(SP_Stream stream, int n_arrived);
SPY void spy_hold(int holds);
SPY int spy_missed(void);
SPY void spy_call(SP_Stream stream, void (*fn)(void *arg), void *arg); /* a step of it */
SPY void *spy_address(const void *opaque);
SPY int64_t spy_pinned_bytes(void); /* of host memory that is out */

enum { MAX_MEMBERS = 80, MAX_BLOCKS = 4096 };

/* --- What it saw ----------------------------------------------------------------------------- */

typedef struct block {
    const char *from;
    uint64_t size;
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    const char *member;
    int64_t n;
} calls[MAX_MEMBERS];
static block pinned[MAX_BLOCKS];
static int64_t n_pinned_copies, n_plain_copies;
static SP_StreamExecutor real;
static SP_PlatformFns real_fns;
static SP_DeviceFns real_device_fns;
static SP_TimerFns real_timers;

static void note(const char *member)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < MAX_MEMBERS - 1 && calls[i].member != NULL && strcmp(calls[i].member, member) != 0) {
        i++;
    }
    calls[i].member = member;
    calls[i].n++;
    pthread_mutex_unlock(&lock);
}

int64_t spy_calls(const char *member)
{
    int64_t n = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_MEMBERS && calls[i].member != NULL; i++) {
        n += strcmp(calls[i].member, member) == 0 ? calls[i].n : 0;
    }
    pthread_mutex_unlock(&lock);
    return n;
}

void spy_copies(int64_t *out_pinned, int64_t *out_plain)
{
    pthread_mutex_lock(&lock);
    *out_pinned = n_pinned_copies;
    *out_plain = n_plain_copies;
    pthread_mutex_unlock(&lock);
}

int64_t spy_pinned_bytes(void)
{
    int64_t bytes = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_BLOCKS; i++) {
        bytes += (int64_t)pinned[i].size;
    }
    pthread_mutex_unlock(&lock);
    return bytes;
}

static void see_copy(const void *host)
{
    const char *at = host;
    int64_t found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_BLOCKS; i++) {
        found |= pinned[i].size > 0 && pinned[i].from <= at && at < pinned[i].from + pinned[i].size;
    }
    n_pinned_copies += found;
    n_plain_copies += !found;
    pthread_mutex_unlock(&lock);
}

static void keep_block(const void *from, uint64_t size)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_BLOCKS; i++) {
        if (pinned[i].size == 0) {
            pinned[i] = (block){from, size};
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

static void drop_block(const void *from)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_BLOCKS; i++) {
        if (pinned[i].size > 0 && pinned[i].from == from) {
            pinned[i].size = 0;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* --- Rendezvous ------------------------------------------------------------------------------- */

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int holds_copies, n_begun, n_arrived, n_missed;
static const SP_Device *seen_device;

/* Until *count reaches the least, which `lock` guards. */
static void await_count(const int *count, int least)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 3;
    pthread_mutex_lock(&lock);
    int late = 0;
    while (*count < least && late == 0) {
        late = pthread_cond_timedwait(&changed, &lock, &limit);
    }
    n_missed += *count < least;
    pthread_mutex_unlock(&lock);
}

static void add_one(int *count)
{
    pthread_mutex_lock(&lock);
    ++*count;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void pass_gate(void *const arg, TF_Status *const status)
{
    (void)status;
    add_one(&n_begun);
    await_count(&n_arrived, (int)(intptr_t)arg);
}

static void hold_copy(void *const arg, TF_Status *const status)
{
    (void)arg;
    (void)status;
    await_count(&n_begun, 1);
}

static void note_arrival(void *const arg, TF_Status *const status)
{
    (void)arg;
    (void)status;
    add_one(&n_arrived);
}

void spy_gate(SP_Stream stream, int least)
{
    (void)real.host_callback(seen_device, stream, pass_gate, (void *)(intptr_t)least);
}

void spy_hold(int holds)
{
    pthread_mutex_lock(&lock);
    holds_copies = holds;
    n_begun = 0;
    n_arrived = 0;
    pthread_mutex_unlock(&lock);
}

typedef struct spy_step {
    void (*fn)(void *arg);
    void *arg;
} spy_step;

static void call_step(void *const arg, TF_Status *const status)
{
    const spy_step step = *(spy_step *)arg;
    (void)status;
    free(arg);
    step.fn(step.arg);
}

void spy_call(SP_Stream stream, void (*fn)(void *arg), void *arg)
{
    spy_step *step = malloc(sizeof *step);
    *step = (spy_step){fn, arg};
    (void)real.host_callback(seen_device, stream, call_step, step);
}

void *spy_address(const void *opaque)
{
    return fake_address(opaque);
}

int spy_missed(void)
{
    pthread_mutex_lock(&lock);
    const int n = n_missed;
    pthread_mutex_unlock(&lock);
    return n;
}

static int is_holding(void)
{
    pthread_mutex_lock(&lock);
    const int holds = holds_copies;
    pthread_mutex_unlock(&lock);
    return holds;
}

/* --- Members ---------------------------------------------------------------------------------- */

#define PASS(member, parameters, arguments)                                                        \
    static void member parameters                                                                  \
    {                                                                                              \
        note(#member);                                                                             \
        real.member arguments;                                                                     \
    }
#define PASS_RESULT(type, member, parameters, arguments)                                           \
    static type member parameters                                                                  \
    {                                                                                              \
        note(#member);                                                                             \
        return real.member arguments;                                                              \
    }
typedef const SP_Device *device;
typedef SP_DeviceMemoryBase *target;
typedef const SP_DeviceMemoryBase *source;

PASS(allocate, (device d, uint64_t size, int64_t space, target memory), (d, size, space, memory))
PASS(deallocate, (device d, target memory), (d, memory))
PASS_RESULT(TF_Bool, get_allocator_stats, (device d, SP_AllocatorStats *stats), (d, stats))
PASS_RESULT(TF_Bool, device_memory_usage, (device d, int64_t *a, int64_t *b), (d, a, b))
static void create_stream(device d, SP_Stream *stream, TF_Status *status)
{
    note("create_stream");
    pthread_mutex_lock(&lock);
    seen_device = d;
    pthread_mutex_unlock(&lock);
    real.create_stream(d, stream, status);
}

PASS(destroy_stream, (device d, SP_Stream stream), (d, stream))
PASS(create_stream_dependency, (device d, SP_Stream a, SP_Stream b, TF_Status *status),
     (d, a, b, status))
PASS(get_stream_status, (device d, SP_Stream stream, TF_Status *status), (d, stream, status))
PASS(create_event, (device d, SP_Event *event, TF_Status *status), (d, event, status))
PASS(destroy_event, (device d, SP_Event event), (d, event))
PASS_RESULT(SE_EventStatus, get_event_status, (device d, SP_Event event), (d, event))
PASS(record_event, (device d, SP_Stream stream, SP_Event event, TF_Status *status),
     (d, stream, event, status))
PASS(wait_for_event, (device d, SP_Stream stream, SP_Event event, TF_Status *status),
     (d, stream, event, status))
PASS(create_timer, (device d, SP_Timer *timer, TF_Status *status), (d, timer, status))
PASS(destroy_timer, (device d, SP_Timer timer), (d, timer))
PASS(start_timer, (device d, SP_Stream stream, SP_Timer timer, TF_Status *status),
     (d, stream, timer, status))
PASS(stop_timer, (device d, SP_Stream stream, SP_Timer timer, TF_Status *status),
     (d, stream, timer, status))
static void memcpy_dtoh(device d, SP_Stream stream, void *to, source from, uint64_t size,
                        TF_Status *status)
{
    note("memcpy_dtoh");
    see_copy(to);
    if (is_holding()) {
        (void)real.host_callback(d, stream, hold_copy, NULL);
    }
    real.memcpy_dtoh(d, stream, to, from, size, status);
}

static void memcpy_htod(device d, SP_Stream stream, target to, const void *from, uint64_t size,
                        TF_Status *status)
{
    note("memcpy_htod");
    see_copy(from);
    real.memcpy_htod(d, stream, to, from, size, status);
    (void)real.host_callback(d, stream, note_arrival, NULL);
}

PASS(memcpy_dtod,
     (device d, SP_Stream stream, target to, source from, uint64_t size, TF_Status *status),
     (d, stream, to, from, size, status))
PASS(sync_memcpy_dtoh, (device d, void *to, source from, uint64_t size, TF_Status *status),
     (d, to, from, size, status))
PASS(sync_memcpy_htod, (device d, target to, const void *from, uint64_t size, TF_Status *status),
     (d, to, from, size, status))
PASS(block_host_for_event, (device d, SP_Event event, TF_Status *status), (d, event, status))
PASS(block_host_until_done, (device d, SP_Stream stream, TF_Status *status), (d, stream, status))
PASS(synchronize_all_activity, (device d, TF_Status *status), (d, status))
PASS(mem_zero, (device d, SP_Stream stream, target to, uint64_t size, TF_Status *status),
     (d, stream, to, size, status))
PASS(memset32,
     (device d, SP_Stream stream, target to, uint32_t pattern, uint64_t size, TF_Status *status),
     (d, stream, to, pattern, size, status))
static atomic_int has_callbacks = 1;

void spy_set_callbacks(int there)
{
    atomic_store(&has_callbacks, there);
}

static TF_Bool host_callback(device d, SP_Stream stream, SE_StatusCallbackFn callback, void *arg)
{
    note("host_callback");
    return atomic_load(&has_callbacks) && real.host_callback(d, stream, callback, arg);
}

static void fill_bytes(device d, SP_Stream stream, target to, uint8_t pattern, uint64_t size,
                       TF_Status *status)
{
    note("memset");
    real.memset(d, stream, to, pattern, size, status);
}

static atomic_int has_host_memory = 1;

void spy_set_host_memory(int there)
{
    atomic_store(&has_host_memory, there);
}

static void *host_memory_allocate(device d, uint64_t size)
{
    note("host_memory_allocate");
    void *made = atomic_load(&has_host_memory) ? real.host_memory_allocate(d, size) : NULL;
    if (made != NULL) {
        keep_block(made, size);
    }
    return made;
}

static void host_memory_deallocate(device d, void *memory)
{
    note("host_memory_deallocate");
    drop_block(memory);
    real.host_memory_deallocate(d, memory);
}

/* Its size is not told when it goes back: it stands before it. */
static void *unified_memory_allocate(device d, uint64_t size)
{
    SP_DeviceMemoryBase memory = {.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
    note("unified_memory_allocate");
    real.allocate(d, size + 256, 0, &memory);
    if (memory.opaque == NULL) {
        return NULL;
    }
    *(SP_DeviceMemoryBase *)fake_address(memory.opaque) = memory;
    return (char *)memory.opaque + 256;
}

static void unified_memory_deallocate(device d, void *location)
{
    const void *start = (char *)location - 256;
    SP_DeviceMemoryBase memory = *(const SP_DeviceMemoryBase *)fake_address(start);
    note("unified_memory_deallocate");
    real.deallocate(d, &memory);
}

/* --- The platform's functions ----------------------------------------------------------------- */

#define OF_PLATFORM(member, parameters, arguments)                                                 \
    static void member parameters                                                                  \
    {                                                                                              \
        note(#member);                                                                             \
        real_fns.member arguments;                                                                 \
    }
typedef const SP_Platform *platform;

OF_PLATFORM(get_device_count, (platform p, int *n, TF_Status *status), (p, n, status))
OF_PLATFORM(create_device, (platform p, SE_CreateDeviceParams *params, TF_Status *status),
            (p, params, status))
OF_PLATFORM(destroy_device, (platform p, SP_Device *made), (p, made))
OF_PLATFORM(destroy_device_fns, (platform p, SP_DeviceFns *fns), (p, fns))
OF_PLATFORM(destroy_stream_executor, (platform p, SP_StreamExecutor *executor), (p, executor))
OF_PLATFORM(destroy_timer_fns, (platform p, SP_TimerFns *fns), (p, fns))

static int32_t get_numa_node(device d)
{
    (void)d;
    note("get_numa_node");
    return 0;
}

static int64_t get_memory_bandwidth(device d)
{
    (void)d;
    note("get_memory_bandwidth");
    return 1000000000;
}

static double get_gflops(device d)
{
    (void)d;
    note("get_gflops");
    return 100;
}

static void create_device_fns(platform p, SE_CreateDeviceFnsParams *params, TF_Status *status)
{
    note("create_device_fns");
    real_fns.create_device_fns(p, params, status);
    real_device_fns = *params->device_fns;
    params->device_fns->get_numa_node = get_numa_node;
    params->device_fns->get_memory_bandwidth = get_memory_bandwidth;
    params->device_fns->get_gflops = get_gflops;
}

static uint64_t nanoseconds(SP_Timer timer)
{
    note("nanoseconds");
    return real_timers.nanoseconds(timer);
}

static void create_timer_fns(platform p, SP_TimerFns *fns, TF_Status *status)
{
    note("create_timer_fns");
    real_fns.create_timer_fns(p, fns, status);
    real_timers = *fns;
    fns->nanoseconds = nanoseconds;
}

static void create_stream_executor(platform p, SE_CreateStreamExecutorParams *params,
                                   TF_Status *status)
{
    note("create_stream_executor");
    real_fns.create_stream_executor(p, params, status);
    real = *params->stream_executor;
    *params->stream_executor =
        (SP_StreamExecutor){.struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE,
                            .allocate = allocate,
                            .deallocate = deallocate,
                            .host_memory_allocate = host_memory_allocate,
                            .host_memory_deallocate = host_memory_deallocate,
                            .unified_memory_allocate = unified_memory_allocate,
                            .unified_memory_deallocate = unified_memory_deallocate,
                            .get_allocator_stats = get_allocator_stats,
                            .device_memory_usage = device_memory_usage,
                            .create_stream = create_stream,
                            .destroy_stream = destroy_stream,
                            .create_stream_dependency = create_stream_dependency,
                            .get_stream_status = get_stream_status,
                            .create_event = create_event,
                            .destroy_event = destroy_event,
                            .get_event_status = get_event_status,
                            .record_event = record_event,
                            .wait_for_event = wait_for_event,
                            .create_timer = create_timer,
                            .destroy_timer = destroy_timer,
                            .start_timer = start_timer,
                            .stop_timer = stop_timer,
                            .memcpy_dtoh = memcpy_dtoh,
                            .memcpy_htod = memcpy_htod,
                            .memcpy_dtod = memcpy_dtod,
                            .sync_memcpy_dtoh = sync_memcpy_dtoh,
                            .sync_memcpy_htod = sync_memcpy_htod,
                            .block_host_for_event = block_host_for_event,
                            .block_host_until_done = block_host_until_done,
                            .synchronize_all_activity = synchronize_all_activity,
                            .mem_zero = mem_zero,
                            .memset = fill_bytes,
                            .memset32 = memset32,
                            .host_callback = host_callback};
}

SPY void SE_InitPlugin(SE_PlatformRegistrationParams *params, TF_Status *status)
{
    fake_init_plugin(params, status);
    real_fns = *params->platform_fns;
    params->platform->supports_unified_memory = 1;
    params->platform_fns->get_device_count = get_device_count;
    params->platform_fns->create_device = create_device;
    params->platform_fns->destroy_device = destroy_device;
    params->platform_fns->create_device_fns = create_device_fns;
    params->platform_fns->destroy_device_fns = destroy_device_fns;
    params->platform_fns->create_stream_executor = create_stream_executor;
    params->platform_fns->destroy_stream_executor = destroy_stream_executor;
    params->platform_fns->create_timer_fns = create_timer_fns;
    params->platform_fns->destroy_timer_fns = destroy_timer_fns;
}
