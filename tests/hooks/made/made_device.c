/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of made_device.h do. The line of each hook: "npu1 Open"; tensors of a call and
 * cache hooks name the memory: "npu1 Invoke 1 fast+128:2048 fast+0:512". */
#include "made_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/accelerators/woofles/common/woofles_device.h"

enum { MADE_MEMORIES = 8, MADE_TENSORS = 8, MADE_OP_FILL = 100 };

static struct made_memory {
    const char *name;
    uint8_t *data, *bus;
    uint32_t bytes;
} memories[MADE_MEMORIES];
static int32_t n_memories;

void made_print(const char *line)
{
    puts(line);
}

void made_add_memory(const char *name, void *data, uint32_t bytes)
{
    const struct made_memory m = {name, data, malloc(bytes), bytes};
    if (n_memories == MADE_MEMORIES || m.bus == NULL) {
        abort();
    }
    memset(m.bus, 0x5a, bytes); /* what the device sees before anything is cleaned */
    memories[n_memories++] = m;
}

/* The memory that holds all of it, as the CPU or the bus has it; NULL: none. */
static struct made_memory *find(const void *data, uint32_t bytes, int32_t is_bus)
{
    for (int32_t i = 0; i < n_memories; i++) {
        const uint8_t *base = is_bus ? memories[i].bus : memories[i].data;
        const uintptr_t at = (uintptr_t)data, from = (uintptr_t)base;
        if (at >= from && at + bytes <= from + memories[i].bytes) {
            return &memories[i];
        }
    }
    return NULL;
}

static void print_place(const void *data, uint32_t bytes, int32_t is_bus)
{
    const struct made_memory *m = find(data, bytes, is_bus);
    if (m == NULL) {
        printf(" nowhere:%u", (unsigned)bytes);
        return;
    }
    const uint8_t *base = is_bus ? m->bus : m->data;
    printf(" %s+%u:%u", m->name, (unsigned)((const uint8_t *)data - base), (unsigned)bytes);
}

/* --- The cache -------------------------------------------------------------------------------- */

/* The lines of a range, from the CPU to the bus or back. Whole lines, as caches do it. */
static int32_t move_lines(const void *data, uint32_t bytes, int32_t is_clean, uint32_t line)
{
    struct made_memory *m = find(data, bytes, 0);
    if (m == NULL) {
        return TVM_DEVICE_E_RANGE;
    }
    const uint32_t at = (uint32_t)((const uint8_t *)data - m->data);
    const uint32_t from = at / line * line;
    const uint32_t to = (at + bytes + line - 1) / line * line;
    const uint32_t n = (to < m->bytes ? to : m->bytes) - from;
    memcpy(is_clean ? m->bus + from : m->data + from, is_clean ? m->data + from : m->bus + from, n);
    return 0;
}

static int32_t cache(const struct made_device *dev, const char *what, const void *data,
                     uint32_t bytes)
{
    printf("%s %s", dev->name, what);
    print_place(data, bytes, 0);
    puts("");
    return move_lines(data, bytes, strcmp(what, "CacheClean") == 0, dev->line);
}

/* --- Calls ------------------------------------------------------------------------------------ */

static uint8_t *bytes_of(const struct made_device *dev, const struct tvm_device_tensor *t)
{
    return t->data != NULL ? (uint8_t *)t->data : dev->memory + t->device_offset;
}

static int32_t compute(const struct made_device *dev, const struct tvm_device_call *call)
{
    struct woofles_span spans[MADE_TENSORS];
    for (int32_t i = 0; i < call->n_inputs + call->n_outputs; i++) {
        spans[i].data = bytes_of(dev, &call->tensors[i]);
        spans[i].bytes = call->tensors[i].bytes;
    }
    if (call->op == MADE_OP_FILL) {
        memset(spans[call->n_inputs].data, 1, spans[call->n_inputs].bytes);
        return 0;
    }
    const uint8_t *const params =
        call->resident != 0 ? dev->store + call->resident - 1 : (const uint8_t *)call->params;
    return woofles_compute((uint32_t)call->op, params, call->params_bytes, spans,
                           (uint32_t)call->n_inputs, spans + call->n_inputs,
                           (uint32_t)call->n_outputs);
}

/* A line that the CPU has written and not given to memory goes there at the worst of times: when
 * the device has written its result. Lines that differ are such lines. */
static int32_t compute_cached(const struct made_device *dev, const struct tvm_device_call *call)
{
    static uint8_t dirty[MADE_MEMORY / 32];
    const struct tvm_device_tensor *out = &call->tensors[call->n_inputs];
    struct made_memory *m = find(out->data, out->bytes, 1);
    if (m == NULL) {
        return TVM_DEVICE_E_RANGE;
    }
    const uint32_t at = (uint32_t)((uint8_t *)out->data - m->bus), line = dev->line;
    const uint32_t first = at / line, last = (at + out->bytes - 1) / line;
    for (uint32_t i = first; i <= last; i++) {
        dirty[i] = memcmp(m->data + i * line, m->bus + i * line, line) != 0;
    }
    const int32_t code = compute(dev, call);
    for (uint32_t i = first; i <= last; i++) {
        if (dirty[i]) {
            memcpy(m->bus + i * line, m->data + i * line, line);
        }
    }
    return code;
}

static void print_call(const struct made_device *dev, const char *what,
                       const struct tvm_device_call *call, int32_t is_bus)
{
    printf("%s %s %d", dev->name, what, (int)call->n_inputs);
    for (int32_t i = 0; i < call->n_inputs + call->n_outputs; i++) {
        const struct tvm_device_tensor *t = &call->tensors[i];
        if (t->data == NULL) {
            printf(" own+%u:%u", (unsigned)t->device_offset, (unsigned)t->bytes);
        } else {
            print_place(t->data, t->bytes, is_bus);
        }
    }
    puts("");
}

static int32_t note(const struct made_device *dev, const char *what)
{
    printf("%s %s\n", dev->name, what);
    return 0;
}

static int32_t start(struct made_device *dev, const struct tvm_device_call *call)
{
    print_call(dev, "Start", call, 1);
    if (!dev->is_open || dev->n_queued == MADE_QUEUE) {
        return TVM_DEVICE_E_STATE;
    }
    dev->queue[dev->n_queued++] = call;
    return 0;
}

/* All that was started runs now: whatever the CPU should have left alone until here, it has. */
static int32_t wait(struct made_device *dev)
{
    int32_t code = 0;
    note(dev, "Wait");
    for (int32_t i = 0; i < dev->n_queued && code == 0; i++) {
        code = compute_cached(dev, dev->queue[i]);
    }
    dev->n_queued = 0;
    return code;
}

static int32_t switch_on(const struct made_device *dev, int32_t *flag, int32_t is_on,
                         const char *what)
{
    note(dev, what);
    const int32_t code = *flag == is_on ? TVM_DEVICE_E_STATE : 0;
    *flag = is_on;
    return code;
}

static int32_t translate(const struct made_device *dev, struct tvm_device_tensor *t)
{
    struct made_memory *m = find(t->data, t->bytes, 0);
    printf("%s Address", dev->name);
    print_place(t->data, t->bytes, 0);
    puts("");
    if (m == NULL) {
        return TVM_DEVICE_E_RANGE;
    }
    t->data = m->bus + ((uint8_t *)t->data - m->data);
    return 0;
}

static int32_t copy(const struct made_device *dev, const char *what, uint32_t offset,
                    uint32_t bytes)
{
    printf("%s %s own+%u:%u\n", dev->name, what, (unsigned)offset, (unsigned)bytes);
    return dev->is_open && dev->memory != NULL && offset <= MADE_MEMORY &&
                   bytes <= MADE_MEMORY - offset
               ? 0
               : TVM_DEVICE_E_STATE;
}

int32_t made_launch(void *dev, const struct tvm_device_call *call, uint32_t first, uint32_t second)
{
    const struct made_device *d = dev;
    const uint8_t *params = call->params;
    const struct tvm_device_tensor *out = &call->tensors[call->n_inputs];
    print_call(d, "Launch", call, 0);
    printf("%s constants %d %d %d\n", d->name, params[first + 2], params[second + 4],
           (int)((uintptr_t)(params + second) % 256u));
    memset(out->data, 1, out->bytes);
    memset(out[1].data, 2, out[1].bytes); /* scratch is ours */
    return d->is_open ? 0 : TVM_DEVICE_E_STATE;
}

#define MADE_HOOKS(Camel, kind, is_cached)                                                         \
    int32_t TVMDevice##Camel##Activate(tvm_device_##kind##_t *dev)                                 \
    {                                                                                              \
        return switch_on(dev, &dev->is_active, 1, "Activate");                                     \
    }                                                                                              \
    int32_t TVMDevice##Camel##Open(tvm_device_##kind##_t *dev)                                     \
    {                                                                                              \
        return switch_on(dev, &dev->is_open, 1, "Open");                                           \
    }                                                                                              \
    int32_t TVMDevice##Camel##Close(tvm_device_##kind##_t *dev)                                    \
    {                                                                                              \
        return switch_on(dev, &dev->is_open, 0, "Close");                                          \
    }                                                                                              \
    int32_t TVMDevice##Camel##Deactivate(tvm_device_##kind##_t *dev)                               \
    {                                                                                              \
        return switch_on(dev, &dev->is_active, 0, "Deactivate");                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##Invoke(tvm_device_##kind##_t *dev,                                   \
                                     const struct tvm_device_call *call)                           \
    {                                                                                              \
        print_call(dev, "Invoke", call, is_cached);                                                \
        return !dev->is_open ? TVM_DEVICE_E_STATE                                                  \
               : is_cached   ? compute_cached(dev, call)                                           \
                             : compute(dev, call);                                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##Start(tvm_device_##kind##_t *dev,                                    \
                                    const struct tvm_device_call *call)                            \
    {                                                                                              \
        return start(dev, call);                                                                   \
    }                                                                                              \
    int32_t TVMDevice##Camel##Wait(tvm_device_##kind##_t *dev)                                     \
    {                                                                                              \
        return wait(dev);                                                                          \
    }                                                                                              \
    int32_t TVMDevice##Camel##Cancel(tvm_device_##kind##_t *dev)                                   \
    {                                                                                              \
        dev->n_queued = 0;                                                                         \
        return note(dev, "Cancel");                                                                \
    }                                                                                              \
    int32_t TVMDevice##Camel##CacheClean(tvm_device_##kind##_t *dev, const void *data,             \
                                         uint32_t bytes)                                           \
    {                                                                                              \
        return cache(dev, "CacheClean", data, bytes);                                              \
    }                                                                                              \
    int32_t TVMDevice##Camel##CacheInvalidate(tvm_device_##kind##_t *dev, void *data,              \
                                              uint32_t bytes)                                      \
    {                                                                                              \
        return cache(dev, "CacheInvalidate", data, bytes);                                         \
    }                                                                                              \
    int32_t TVMDevice##Camel##Address(tvm_device_##kind##_t *dev,                                  \
                                      struct tvm_device_tensor *tensor)                            \
    {                                                                                              \
        return translate(dev, tensor);                                                             \
    }                                                                                              \
    int32_t TVMDevice##Camel##CopyTo(const void *source, tvm_device_##kind##_t *dev,               \
                                     uint32_t device_offset, uint32_t bytes)                       \
    {                                                                                              \
        const int32_t code = copy(dev, "CopyTo", device_offset, bytes);                            \
        if (code == 0) {                                                                           \
            memcpy(dev->memory + device_offset, source, bytes);                                    \
        }                                                                                          \
        return code;                                                                               \
    }                                                                                              \
    int32_t TVMDevice##Camel##CopyFrom(tvm_device_##kind##_t *dev, uint32_t device_offset,         \
                                       void *destination, uint32_t bytes)                          \
    {                                                                                              \
        const int32_t code = copy(dev, "CopyFrom", device_offset, bytes);                          \
        if (code == 0) {                                                                           \
            memcpy(destination, dev->memory + device_offset, bytes);                               \
        }                                                                                          \
        return code;                                                                               \
    }
MADE_HOOKS(Quick, quick, 0)
MADE_HOOKS(Medium, medium, 0)
MADE_HOOKS(Slow, slow, 0)
MADE_HOOKS(Cached, cached, 1)
MADE_HOOKS(Queued, queued, 1)
MADE_HOOKS(Shared, shared, 0)
MADE_HOOKS(Peer, peer, 0)
MADE_HOOKS(Walled, walled, 0)
MADE_HOOKS(Wide, wide, 1)
MADE_HOOKS(Own, own, 0)
MADE_HOOKS(Tight, tight, 0)
MADE_HOOKS(Kept, kept, 1)

int32_t TVMDeviceKeptLoad(tvm_device_kept_t *dev, struct tvm_device_call *call)
{
    note(dev, "Load");
    if (!dev->is_open || call->params_bytes > MADE_STORE - dev->stored) {
        return TVM_DEVICE_E_STATE;
    }
    call->resident = tvm_device_residents_add(&dev->residents, call, dev->stored + 1u);
    memcpy(dev->store + dev->stored, call->params, call->params_bytes);
    dev->stored += call->params_bytes;
    return 0;
}
