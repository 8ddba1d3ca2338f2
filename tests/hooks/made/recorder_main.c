/* SPDX-License-Identifier: Apache-2.0 */
/* Every hook of a model failing in turn, alone and together with each hook of the clearing up, and
 * after each failure a run that must succeed. Prints what was called; unwind_test.py knows what
 * should have been. Its parts that differ by model come with -D and -include.
 *
 *   run FIRST SECOND: [oN] XD XD ...; code hook device operator cleanup; ok|BAD
 * X is a hook (A activate, O open, I invoke, S start, W wait, N cancel, T copy to, F copy from,
 * L load, P copy to a peer, K cache clean, V cache invalidate, R address, C close, D deactivate), D
 * the device, oN the operator that begins.
 */
#include <stddef.h>
#include <string.h>

#include RECORDER_PRINT /* void print(const char *text), void print_number(int32_t) */
#include "recorder.h"
#include "tvmgen_net.h"

/* --- The log ---------------------------------------------------------------------------------- */

enum { MAX_CALLS = 1024, FAILURE = 100 };

static struct {
    char what[MAX_CALLS];
    int32_t device[MAX_CALLS];
    int32_t n, n_hooks;
    int32_t first, second; /* the hooks that fail, counted from 1; 0: none */
} events;

static void note(char what, int32_t device)
{
    if (events.n < MAX_CALLS) {
        events.what[events.n] = what;
        events.device[events.n++] = device;
    }
}

/* One call of a hook: 0, or the code with which it was told to fail. */
static int32_t record(char what, const struct recorder_device *dev)
{
    note(what, dev->index);
    events.n_hooks++;
    return events.n_hooks == events.first    ? FAILURE + 1
           : events.n_hooks == events.second ? FAILURE + 2
                                             : 0;
}

void recorder_on_operator(int32_t index)
{
    note('o', index);
}

/* --- Hooks ------------------------------------------------------------------------------------ */

/* A result that depends on all inputs and on the order of the operators. */
static void compute(struct recorder_device *dev, const struct tvm_device_call *call)
{
    uint8_t sum = 1;
    for (int32_t i = 0; i < call->n_inputs; i++) {
        const struct tvm_device_tensor *t = &call->tensors[i];
        const uint8_t *in =
            t->data != NULL ? (const uint8_t *)t->data : dev->memory + t->device_offset;
        for (uint32_t k = 0; k < t->bytes; k++) {
            sum = (uint8_t)(sum * 5u + in[k]);
        }
    }
    for (int32_t i = call->n_inputs; i < call->n_inputs + call->n_outputs; i++) {
        const struct tvm_device_tensor *t = &call->tensors[i];
        uint8_t *out = t->data != NULL ? (uint8_t *)t->data : dev->memory + t->device_offset;
        for (uint32_t k = 0; k < t->bytes; k++) {
            out[k] = (uint8_t)(sum + k);
        }
    }
}

/* A call has what Load gave for its params, on this device and since it was switched on. */
static int32_t is_loaded(const struct recorder_device *dev, const struct tvm_device_call *call)
{
    return call->resident == 0u ||
           call->resident == tvm_device_residents_find(&dev->residents, call);
}

static int32_t load(struct recorder_device *dev, struct tvm_device_call *call)
{
    const int32_t code = record('L', dev);
    if (code == 0) {
        call->resident = tvm_device_residents_find(&dev->residents, call);
    }
    if (code == 0 && call->resident == 0u) {
        call->resident = tvm_device_residents_add(&dev->residents, call, 0x100u + dev->residents.n);
    }
    return code;
}

static int32_t run_call(char what, struct recorder_device *dev, const struct tvm_device_call *call)
{
    const int32_t code = is_loaded(dev, call) ? record(what, dev) : FAILURE;
    if (code == 0) {
        compute(dev, call);
    }
    return code;
}

#define LIFECYCLE(Camel, kind)                                                                     \
    int32_t TVMDevice##Camel##Activate(tvm_device_##kind##_t *dev)                                 \
    {                                                                                              \
        dev->residents.n = 0;                                                                      \
        return record('A', dev);                                                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##Open(tvm_device_##kind##_t *dev)                                     \
    {                                                                                              \
        return record('O', dev);                                                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##Close(tvm_device_##kind##_t *dev)                                    \
    {                                                                                              \
        return record('C', dev);                                                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##Deactivate(tvm_device_##kind##_t *dev)                               \
    {                                                                                              \
        return record('D', dev);                                                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##Invoke(tvm_device_##kind##_t *dev,                                   \
                                     const struct tvm_device_call *call)                           \
    {                                                                                              \
        return run_call('I', dev, call);                                                           \
    }
LIFECYCLE(Woofles, woofles)
LIFECYCLE(UartAccel, uart_accel)
LIFECYCLE(Cached, cached)
LIFECYCLE(Queued, queued)
LIFECYCLE(Own, own)
LIFECYCLE(Kept, kept)
LIFECYCLE(Whole, whole)

#define LOAD(Camel, kind)                                                                          \
    int32_t TVMDevice##Camel##Load(tvm_device_##kind##_t *dev, struct tvm_device_call *call)       \
    {                                                                                              \
        return load(dev, call);                                                                    \
    }
LOAD(Woofles, woofles)
LOAD(UartAccel, uart_accel)
LOAD(Kept, kept)
LOAD(Whole, whole)
TVM_DEVICE_DRIVER(Woofles);
TVM_DEVICE_DRIVER(UartAccel);

#define QUEUE(Camel, kind)                                                                         \
    int32_t TVMDevice##Camel##Start(tvm_device_##kind##_t *dev,                                    \
                                    const struct tvm_device_call *call)                            \
    {                                                                                              \
        return run_call('S', dev, call);                                                           \
    }                                                                                              \
    int32_t TVMDevice##Camel##Wait(tvm_device_##kind##_t *dev)                                     \
    {                                                                                              \
        return record('W', dev);                                                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##Cancel(tvm_device_##kind##_t *dev)                                   \
    {                                                                                              \
        return record('N', dev);                                                                   \
    }
QUEUE(Woofles, woofles)
QUEUE(Queued, queued)
QUEUE(Kept, kept)
QUEUE(Whole, whole)

#define CACHE(Camel, kind)                                                                         \
    int32_t TVMDevice##Camel##CacheClean(tvm_device_##kind##_t *dev, const void *data,             \
                                         uint32_t bytes)                                           \
    {                                                                                              \
        (void)data;                                                                                \
        (void)bytes;                                                                               \
        return record('K', dev);                                                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##CacheInvalidate(tvm_device_##kind##_t *dev, void *data,              \
                                              uint32_t bytes)                                      \
    {                                                                                              \
        (void)data;                                                                                \
        (void)bytes;                                                                               \
        return record('V', dev);                                                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##Address(tvm_device_##kind##_t *dev,                                  \
                                      struct tvm_device_tensor *tensor)                            \
    {                                                                                              \
        (void)tensor;                                                                              \
        return record('R', dev);                                                                   \
    }
CACHE(Cached, cached)
CACHE(Queued, queued)
CACHE(Kept, kept)
CACHE(Whole, whole)

/* A call that a target wrote itself. */
int32_t made_launch(void *dev, const struct tvm_device_call *call, uint32_t first, uint32_t second);
int32_t made_launch(void *dev, const struct tvm_device_call *call, uint32_t first, uint32_t second)
{
    (void)first;
    (void)second;
    return run_call('I', dev, call);
}

int32_t TVMDeviceWooflesCopyTo(const void *source, tvm_device_woofles_t *dev,
                               uint32_t device_offset, uint32_t bytes)
{
    memcpy(dev->memory + device_offset, source, bytes);
    return record('T', dev);
}

int32_t TVMDeviceWooflesCopyFrom(tvm_device_woofles_t *dev, uint32_t device_offset,
                                 void *destination, uint32_t bytes)
{
    memcpy(destination, dev->memory + device_offset, bytes);
    return record('F', dev);
}

int32_t TVMDeviceWooflesCopyToStart(const void *source, tvm_device_woofles_t *dev,
                                    uint32_t device_offset, uint32_t bytes)
{
    return TVMDeviceWooflesCopyTo(source, dev, device_offset, bytes);
}

int32_t TVMDeviceWooflesCopyFromStart(tvm_device_woofles_t *dev, uint32_t device_offset,
                                      void *destination, uint32_t bytes)
{
    return TVMDeviceWooflesCopyFrom(dev, device_offset, destination, bytes);
}

int32_t TVMDeviceWooflesCopyPeer(tvm_device_woofles_t *from, uint32_t from_offset,
                                 tvm_device_woofles_t *to, uint32_t to_offset, uint32_t bytes)
{
    memmove(to->memory + to_offset, from->memory + from_offset, bytes);
    return record('P', from);
}

/* --- Runs ------------------------------------------------------------------------------------- */

static RECORDER_IN_TYPE in[RECORDER_IN_COUNT];
static RECORDER_OUT_TYPE out[RECORDER_OUT_COUNT], expected[RECORDER_OUT_COUNT];
static union {
    uint64_t align[2];
    uint8_t bytes[TVMGEN_NET_WORKSPACE_SIZE + 16];
} memory __attribute__((aligned(TVMGEN_NET_WORKSPACE_ALIGNMENT)));
static struct recorder_device devices[RECORDER_DEVICES];
static struct tvm_device_error error;

static int32_t run(int32_t first, int32_t second, int32_t is_stepped)
{
    const struct tvmgen_net_inputs inputs = {in};
    const struct tvmgen_net_outputs outputs = {out};
    const struct tvmgen_net_workspace_pools pools = {memory.bytes};
    struct tvmgen_net_cursor cursor;
    const struct tvmgen_net_devices members = {RECORDER_MEMBERS, &error};
    int32_t code;
    events.n = events.n_hooks = 0;
    events.first = first;
    events.second = second;
    memset(&error, 0, sizeof error);
    memset(out, 0, sizeof out);
    if (!is_stepped) {
        return tvmgen_net_run(&inputs, &outputs, &pools, &members);
    }
    memset(&cursor, 0, sizeof cursor);
    do {
        code = tvmgen_net_step(&cursor, &inputs, &outputs, &pools, &members);
    } while (code == TVMGEN_NET_MORE);
    return code;
}

static void print_run(int32_t first, int32_t second, int32_t code)
{
    print("run ");
    print_number(first);
    print(" ");
    print_number(second);
    print(":");
    for (int32_t i = 0; i < events.n; i++) {
        const char text[3] = {' ', events.what[i], 0};
        print(text);
        print_number(events.device[i]);
    }
    print("; ");
    print_number(code);
    print(" ");
    print(tvm_device_hook_name(error.hook)[0] != 0 ? tvm_device_hook_name(error.hook) : "-");
    print(" ");
    print_number(code != 0 ? error.device : -1);
    print(" ");
    print_number(code != 0 ? error.operator_index : -1);
    print(" ");
    print_number(error.cleanup_failures);
    print(" ");
    print(error.instance != NULL ? error.instance : "-");
}

/* Fails as told, then runs without a failure, which must give what it gave before. */
static int32_t try_failure(int32_t first, int32_t second)
{
    const int32_t code = run(first, second, second % 2);
    const int32_t n_hooks = events.n_hooks;
    print_run(first, second, code);
    int32_t is_good = run(0, 0, first % 2) == 0;
    for (int32_t i = 0; i < RECORDER_OUT_COUNT; i++) {
        is_good = is_good && out[i] == expected[i];
    }
    print(is_good ? "; ok\n" : "; BAD\n");
    return n_hooks;
}

int main(void)
{
    for (int32_t i = 0; i < RECORDER_DEVICES; i++) {
        devices[i].index = i;
    }
    for (int32_t i = 0; i < RECORDER_IN_COUNT; i++) {
        in[i] = (RECORDER_IN_TYPE)(i * 7 % 100);
    }
    const int32_t code = run(0, 0, 0);
    const int32_t n_hooks = events.n_hooks;
    memcpy(expected, out, sizeof out);
    print_run(0, 0, code);
    print("; ok\n");
    for (int32_t first = 1; first <= n_hooks; first++) {
        const int32_t called = try_failure(first, 0);
        for (int32_t second = first + 1; second <= called; second++) {
            (void)try_failure(first, second);
        }
    }
    print("end\n");
    RECORDER_END
}
