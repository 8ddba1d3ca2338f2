/* SPDX-License-Identifier: Apache-2.0 */
/* Members of the OpenCL plugin's stream executor, called one by one: copies in all directions at
 * offsets, fills, calls of the host in the order of a stream, events, timers, numbers about memory,
 * addresses that are none of the device's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <stdatomic.h>

#include "device/device_internal.h"
#include "devices/on_plugin.h"

enum { BYTES = 4096, BIG = 32 << 20 };

static oribi_device *device;
static const SP_Device *handle;
static const SP_StreamExecutor *se;
static SP_Stream stream;
static SP_DeviceMemoryBase memory; /* of BYTES */
static TF_Status *status;

static void expect_ok(void)
{
    small_expect_ok(status);
}

static SP_DeviceMemoryBase part(size_t offset, uint64_t bytes)
{
    return (SP_DeviceMemoryBase){.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE,
                                 .opaque = (char *)memory.opaque + offset,
                                 .size = bytes};
}

static int open_device(void **state)
{
    int ordinal = 0;
    (void)state;
    status = TF_NewStatus();
    const oribi_platform *platform = oribi_device_parse(plugin_type, &ordinal, status);
    device = oribi_device_open(platform, ordinal, status);
    expect_ok();
    handle = oribi_device_handle(device);
    se = oribi__executor(device);
    se->create_stream(handle, &stream, status);
    expect_ok();
    se->allocate(handle, BYTES, 0, &memory);
    assert_non_null(memory.opaque);
    return 0;
}

static int close_device(void **state)
{
    se->deallocate(handle, &memory);
    se->destroy_stream(handle, stream);
    oribi_device_release(device);
    TF_DeleteStatus(status);
    return plugin_remove_cache(state);
}

static void put(const unsigned char *from, size_t offset, size_t bytes)
{
    SP_DeviceMemoryBase to = part(offset, bytes);
    se->memcpy_htod(handle, stream, &to, from, bytes, status);
    expect_ok();
}

static void get(unsigned char *to, size_t offset, size_t bytes)
{
    const SP_DeviceMemoryBase from = part(offset, bytes);
    se->memcpy_dtoh(handle, stream, to, &from, bytes, status);
    expect_ok();
    se->block_host_until_done(handle, stream, status);
    expect_ok();
}

static void count_up(unsigned char data[BYTES])
{
    for (int i = 0; i < BYTES; i++) {
        data[i] = (unsigned char)(i * 7 + i / 256);
    }
}

static void copies_go_to_and_fro_at_offsets(void **state)
{
    unsigned char data[BYTES], found[BYTES] = {0};
    (void)state;
    count_up(data);
    put(data, 0, 1000);
    put(data + 1000, 1000, BYTES - 1000);
    get(found, 0, BYTES);
    assert_memory_equal(found, data, BYTES);
    get(found, 123, 1);
    assert_int_equal(found[0], data[123]);

    SP_DeviceMemoryBase to = part(2001, 777);
    const SP_DeviceMemoryBase from = part(3, 777);
    se->memcpy_dtod(handle, stream, &to, &from, 777, status);
    expect_ok();
    get(found, 0, BYTES);
    assert_memory_equal(found + 2001, data + 3, 777);
    assert_memory_equal(found, data, 2001);
    assert_memory_equal(found + 2778, data + 2778, BYTES - 2778);
}

static void copies_of_the_host_that_wait(void **state)
{
    unsigned char data[BYTES], found[BYTES] = {0};
    (void)state;
    count_up(data);
    SP_DeviceMemoryBase all = part(0, BYTES);
    se->sync_memcpy_htod(handle, &all, data, BYTES, status);
    expect_ok();
    SP_DeviceMemoryBase to = part(0, 100);
    const SP_DeviceMemoryBase from = part(500, 100);
    se->sync_memcpy_dtod(handle, &to, &from, 100, status);
    expect_ok();
    se->sync_memcpy_dtoh(handle, found, &all, BYTES, status);
    expect_ok();
    assert_memory_equal(found, data + 500, 100);
    assert_memory_equal(found + 100, data + 100, BYTES - 100);
}

static void fills_touch_what_they_are_told_to(void **state)
{
    unsigned char data[BYTES], found[BYTES];
    (void)state;
    count_up(data);
    put(data, 0, BYTES);
    SP_DeviceMemoryBase zeros = part(64, 100), bytes = part(301, 33), words = part(1024, 400);
    se->mem_zero(handle, stream, &zeros, 100, status);
    expect_ok();
    se->memset(handle, stream, &bytes, 0xA7, 33, status);
    expect_ok();
    se->memset32(handle, stream, &words, 0x01020304u, 400, status);
    expect_ok();
    memset(data + 64, 0, 100);
    memset(data + 301, 0xA7, 33);
    for (int i = 0; i < 100; i++) {
        memcpy(data + 1024 + 4 * i, &(uint32_t){0x01020304u}, 4);
    }

    get(found, 0, BYTES);

    assert_memory_equal(found, data, BYTES);
}

typedef struct call {
    atomic_int n, code;
    unsigned char *seen; /* what the copy before it brought */
    unsigned char first;
} call;

static void called(void *arg, TF_Status *own)
{
    call *self = arg;
    self->first = self->seen[0];
    atomic_store(&self->code, (int)TF_GetCode(own));
    atomic_fetch_add(&self->n, 1);
}

/* After the copy before it, and before the copy after it, which overwrites what it looked at. */
static void the_host_is_called_in_the_order_of_the_stream(void **state)
{
    static unsigned char seen[BYTES], ones[BYTES], twos[BYTES];
    (void)state;
    memset(ones, 1, BYTES);
    memset(twos, 2, BYTES);
    for (int i = 0; i < 20; i++) {
        call c = {.seen = seen};
        const SP_DeviceMemoryBase all = part(0, BYTES);
        memset(seen, 0, BYTES);
        put(ones, 0, BYTES);
        se->memcpy_dtoh(handle, stream, seen, &all, BYTES, status);
        expect_ok();
        assert_true(se->host_callback(handle, stream, called, &c));
        put(twos, 0, BYTES);
        se->memcpy_dtoh(handle, stream, seen, &all, BYTES, status);
        expect_ok();
        se->block_host_until_done(handle, stream, status);
        expect_ok();
        assert_int_equal(atomic_load(&c.n), 1);
        assert_int_equal(atomic_load(&c.code), TF_OK);
        assert_int_equal(c.first, 1);
        assert_int_equal(seen[0], 2);
    }
}

static void events_and_other_streams_wait(void **state)
{
    static unsigned char data[BYTES], found[BYTES];
    SP_Stream other = NULL;
    SP_Event event = NULL;
    (void)state;
    memset(data, 0x5A, BYTES);
    se->create_stream(handle, &other, status);
    expect_ok();
    se->create_event(handle, &event, status);
    expect_ok();
    put(data, 0, BYTES);
    se->record_event(handle, stream, event, status);
    expect_ok();
    se->wait_for_event(handle, other, event, status);
    expect_ok();
    const SP_DeviceMemoryBase all = part(0, BYTES);
    se->memcpy_dtoh(handle, other, found, &all, BYTES, status);
    expect_ok();
    se->create_stream_dependency(handle, stream, other, status);
    expect_ok();
    se->record_event(handle, stream, event, status);
    expect_ok();
    se->block_host_for_event(handle, event, status);
    expect_ok();
    assert_memory_equal(found, data, BYTES);
    assert_int_equal(se->get_event_status(handle, event), SE_EVENT_COMPLETE);
    se->get_stream_status(handle, stream, status);
    expect_ok();
    se->synchronize_all_activity(handle, status);
    expect_ok();
    se->destroy_event(handle, event);
    se->destroy_stream(handle, other);
}

/* Nanoseconds between two places of a stream: more for more work, and less than the host's clock.
 */
static void timers_measure_what_lies_between(void **state)
{
    const SP_TimerFns *fns = &device->platform->parts.timer_fns;
    SP_DeviceMemoryBase big = {0};
    SP_Timer empty = NULL, full = NULL;
    (void)state;
    se->allocate(handle, BIG, 0, &big);
    assert_non_null(big.opaque);
    se->create_timer(handle, &empty, status);
    se->create_timer(handle, &full, status);
    expect_ok();
    const uint64_t before = oribi_now_ns();
    se->start_timer(handle, stream, empty, status);
    se->stop_timer(handle, stream, empty, status);
    se->start_timer(handle, stream, full, status);
    for (int i = 0; i < 4; i++) {
        se->memset32(handle, stream, &big, 7, BIG, status);
    }
    se->stop_timer(handle, stream, full, status);
    expect_ok();
    se->block_host_until_done(handle, stream, status);
    expect_ok();
    const uint64_t spent = oribi_now_ns() - before;
    assert_true(fns->nanoseconds(full) > 1000);
    assert_true(fns->nanoseconds(full) > fns->nanoseconds(empty));
    assert_true(fns->nanoseconds(full) <= spent);
    se->destroy_timer(handle, empty);
    se->destroy_timer(handle, full);
    se->deallocate(handle, &big);
}

static void memory_is_counted(void **state)
{
    SP_AllocatorStats before = {.struct_size = SP_ALLOCATORSTATS_STRUCT_SIZE}, during = before,
                      after = before;
    SP_DeviceMemoryBase block = {0};
    int64_t free_bytes = 0, total = 0;
    (void)state;
    assert_true(se->get_allocator_stats(handle, &before));
    se->allocate(handle, 12345, 0, &block);
    assert_true(se->get_allocator_stats(handle, &during));
    se->deallocate(handle, &block);
    assert_true(se->get_allocator_stats(handle, &after));
    assert_int_equal(during.bytes_in_use, before.bytes_in_use + 12345);
    assert_int_equal(during.num_allocs, before.num_allocs + 1);
    assert_true(during.peak_bytes_in_use >= during.bytes_in_use);
    assert_int_equal(after.bytes_in_use, before.bytes_in_use);
    assert_true(se->device_memory_usage(handle, &free_bytes, &total));
    assert_true(free_bytes > 0 && free_bytes <= total);
    void *host = se->host_memory_allocate(handle, 100);
    assert_non_null(host);
    memset(host, 1, 100);
    se->host_memory_deallocate(handle, host);
}

static void expect_refused(void)
{
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_non_null(strstr(TF_Message(status), "does not lie in the device's memory"));
    TF_SetStatus(status, TF_OK, "");
}

static void addresses_of_nobody_are_refused(void **state)
{
    unsigned char data[8] = {0};
    SP_DeviceMemoryBase past = part(BYTES - 4, 8), host = {.opaque = data, .size = 8}, gone = {0};
    (void)state;
    se->memcpy_htod(handle, stream, &past, data, 8, status); /* 4 bytes beyond the end */
    expect_refused();
    se->memcpy_dtoh(handle, stream, data, &host, 8, status);
    expect_refused();
    se->memset(handle, stream, &past, 0, 8, status);
    expect_refused();
    se->allocate(handle, 64, 0, &gone);
    se->deallocate(handle, &gone);
    se->memcpy_dtoh(handle, stream, data, &gone, 8, status);
    expect_refused();
    se->memcpy_dtod(handle, stream, &past, &memory, 8, status);
    expect_refused();
    se->memcpy_dtoh(handle, stream, data, &host, 0, status); /* nothing is copied from nowhere */
    expect_ok();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_go_to_and_fro_at_offsets),
        cmocka_unit_test(copies_of_the_host_that_wait),
        cmocka_unit_test(fills_touch_what_they_are_told_to),
        cmocka_unit_test(the_host_is_called_in_the_order_of_the_stream),
        cmocka_unit_test(events_and_other_streams_wait),
        cmocka_unit_test(timers_measure_what_lies_between),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(addresses_of_nobody_are_refused),
    };
    const int result = plugin_setup();
    if (result != 0) {
        return result;
    }
    return cmocka_run_group_tests(tests, open_device, close_device);
}
