/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins cuda and hip on the double of their driver, member by member: memory, copies, events,
 * calls of the host. Launches and products:
 * gpu_code_test.c; whole models: gpu_models_test.c.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "devices/gpu/on_place.h"

enum { COUNT = 5000, BYTES = COUNT * 4, DELAY_US = 3000 };

static SP_DeviceMemoryBase memory_of(const place *p)
{
    return (SP_DeviceMemoryBase){
        .struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE, .opaque = p->memory->data, .size = BYTES};
}

static void fill_ramp(uint32_t *values, uint32_t first)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = first + i * 2654435761u;
    }
}

/* --- Copies ---------------------------------------------------------------------------------- */

static void copies_go_in_stream_order_and_the_host_does_not_wait(void **state)
{
    static uint32_t from[COUNT], to[COUNT];
    place p = open_place(0, BYTES);
    (void)state;
    fill_ramp(from, 7);
    memset(to, 0, sizeof to);
    double_set_delay(DELAY_US);

    assert_true(oribi_stream_to_device(p.stream, p.memory, p.memory->data, from, BYTES, status));
    assert_true(oribi_stream_to_host(p.stream, to, p.memory, p.memory->data, BYTES, status));
    p.se->get_stream_status(p.handle, p.native, status); /* busy is no failure */
    small_expect_ok(status);
    expect_done(&p);

    assert_memory_equal(from, to, BYTES);
    double_set_delay(0);
    close_place(&p);
    double_expect_nothing();
}

static void a_stream_of_one_device_follows_one_of_another_and_memory_crosses(void **state)
{
    static uint32_t from[COUNT], to[COUNT];
    const int64_t n_peer = double_calls(vendor->peer);
    place a = open_place(0, BYTES), b = open_place(1, BYTES);
    (void)state;
    fill_ramp(from, 99);
    double_set_delay(DELAY_US);

    assert_true(oribi_stream_to_device(a.stream, a.memory, a.memory->data, from, BYTES, status));
    assert_true(oribi_stream_follow(b.stream, a.stream, status));
    assert_true(oribi_stream_on_device(b.stream, b.memory, b.memory->data, a.memory, a.memory->data,
                                       BYTES, status));
    assert_true(oribi_stream_to_host(b.stream, to, b.memory, b.memory->data, BYTES, status));
    expect_done(&b);

    assert_memory_equal(from, to, BYTES);
    assert_int_equal(double_calls(vendor->peer), n_peer + 1);
    expect_done(&a);
    double_set_delay(0);
    close_place(&a);
    close_place(&b);
    double_expect_nothing();
}

static void memory_is_copied_and_filled_on_its_device(void **state)
{
    static uint32_t from[COUNT], to[COUNT];
    const uint32_t pattern = 0x01020304;
    place p = open_place(1, BYTES);
    (void)state;
    oribi_buffer *other = oribi_device_allocate(p.device, p.stream, NULL, BYTES, status);
    bool done = false;
    fill_ramp(from, 3);

    assert_true(oribi_stream_to_device(p.stream, p.memory, p.memory->data, from, BYTES, status));
    assert_true(oribi_stream_on_device(p.stream, other, other->data, p.memory, p.memory->data,
                                       BYTES, status));
    assert_true(
        oribi_stream_fill(p.stream, other, (char *)other->data + 4, &pattern, 4, 8, &done, status));
    assert_true(done);
    assert_true(
        oribi_stream_fill(p.stream, other, (char *)other->data + 15, "\xee", 1, 3, &done, status));
    assert_true(
        oribi_stream_fill(p.stream, other, (char *)other->data + 20, "\0", 1, 8, &done, status));
    assert_true(oribi_stream_to_host(p.stream, to, other, other->data, BYTES, status));
    expect_done(&p);

    assert_true(to[0] == from[0] && to[1] == pattern && to[2] == pattern);
    assert_memory_equal((char *)to + 15, "\xee\xee\xee", 3);
    assert_int_equal(((unsigned char *)to)[18], ((unsigned char *)from)[18]);
    assert_true(to[5] == 0 && to[6] == 0 && to[7] == from[7] && to[COUNT - 1] == from[COUNT - 1]);
    oribi_buffer_release(other);
    close_place(&p);
    double_expect_nothing();
}

static void copies_that_wait_are_done_when_they_return(void **state)
{
    static uint32_t from[COUNT], to[COUNT];
    place p = open_place(0, BYTES);
    (void)state;
    SP_DeviceMemoryBase memory = memory_of(&p);
    fill_ramp(from, 5);
    double_set_delay(DELAY_US);

    p.se->sync_memcpy_htod(p.handle, &memory, from, BYTES, status);
    small_expect_ok(status);
    p.se->sync_memcpy_dtoh(p.handle, to, &memory, BYTES, status);
    small_expect_ok(status);
    assert_memory_equal(from, to, BYTES);

    SP_DeviceMemoryBase half = memory;
    half.opaque = (char *)half.opaque + BYTES / 2;
    p.se->sync_memcpy_dtod(p.handle, &half, &memory, BYTES / 2, status);
    p.se->sync_memcpy_dtoh(p.handle, to, &half, BYTES / 2, status);
    small_expect_ok(status);
    assert_memory_equal(from, to, BYTES / 2);
    double_set_delay(0);
    close_place(&p);
}

static void what_is_not_the_devices_is_refused_with_the_drivers_words(void **state)
{
    static uint32_t host[COUNT];
    place p = open_place(0, BYTES);
    (void)state;
    SP_DeviceMemoryBase memory = memory_of(&p);
    memory.opaque = host;
    p.se->memcpy_dtoh(p.handle, p.native, host, &memory, BYTES, status);
    assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    expect_text(status, vendor->dtoh);
    TF_SetStatus(status, TF_OK, "");
    memory = memory_of(&p);
    memory.opaque = (char *)memory.opaque + 2;
    p.se->memset32(p.handle, p.native, &memory, 1, 8, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    TF_SetStatus(status, TF_OK, "");
    close_place(&p);
}

/* --- Memory ---------------------------------------------------------------------------------- */

static void pinned_and_unified_memory_is_the_hosts_too(void **state)
{
    static uint32_t to[COUNT];
    place p = open_place(0, BYTES);
    (void)state;
    const int64_t n_memory = double_live("memory"), n_pinned = double_live("pinned");
    uint32_t *pinned = p.se->host_memory_allocate(p.handle, BYTES);
    uint32_t *both = p.se->unified_memory_allocate(p.handle, BYTES);
    assert_true(pinned != NULL && both != NULL);
    assert_int_equal(double_live("pinned"), n_pinned + 1);
    assert_int_equal(double_live("memory"), n_memory + 1);
    SP_DeviceMemoryBase memory = memory_of(&p);
    const SP_DeviceMemoryBase unified = {
        .struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE, .opaque = both, .size = BYTES};
    fill_ramp(both, 31);

    p.se->memcpy_dtod(p.handle, p.native, &memory, &unified, BYTES, status);
    p.se->memcpy_dtoh(p.handle, p.native, pinned, &memory, BYTES, status);
    p.se->block_host_until_done(p.handle, p.native, status);
    small_expect_ok(status);
    memcpy(to, pinned, BYTES);
    assert_memory_equal(to, both, BYTES);

    p.se->host_memory_deallocate(p.handle, pinned);
    p.se->unified_memory_deallocate(p.handle, both);
    p.se->host_memory_deallocate(p.handle, NULL);
    p.se->unified_memory_deallocate(p.handle, NULL);
    assert_int_equal(double_live("pinned"), n_pinned);
    assert_int_equal(double_live("memory"), n_memory);
    close_place(&p);
}

static void memory_is_counted_and_refused_where_none_is_left(void **state)
{
    place p = open_place(0, BYTES);
    (void)state;
    SP_AllocatorStats stats = {.struct_size = SP_ALLOCATORSTATS_STRUCT_SIZE};
    SP_DeviceMemoryBase memory = {.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
    int64_t free_bytes = 0, total = 0, later = 0;
    assert_true(p.se->device_memory_usage(p.handle, &free_bytes, &total));
    assert_true(p.se->get_allocator_stats(p.handle, &stats));
    const int64_t before = stats.bytes_in_use, n = stats.num_allocs;
    assert_int_equal(total - free_bytes, before);

    p.se->allocate(p.handle, 1 << 20, 0, &memory);
    assert_non_null(memory.opaque);
    assert_true(p.se->get_allocator_stats(p.handle, &stats));
    assert_true(p.se->device_memory_usage(p.handle, &later, &total));
    assert_int_equal(stats.bytes_in_use, before + (1 << 20));
    assert_int_equal(stats.num_allocs, n + 1);
    assert_true(stats.largest_alloc_size >= 1 << 20 && stats.peak_bytes_in_use >= 1 << 20);
    assert_int_equal(free_bytes - later, 1 << 20);
    p.se->deallocate(p.handle, &memory);
    p.se->allocate(p.handle, (uint64_t)total + 1, 0, &memory);
    assert_null(memory.opaque);
    p.se->allocate(p.handle, 0, 0, &memory);
    assert_null(memory.opaque);
    assert_true(p.se->get_allocator_stats(p.handle, &stats));
    assert_int_equal(stats.bytes_in_use, before);
    assert_null(p.se->unified_memory_allocate(p.handle, (uint64_t)total + 1));
    close_place(&p);
}

/* --- Events, timers, calls of the host ------------------------------------------------------- */

static void an_event_is_pending_until_the_stream_got_there(void **state)
{
    place p = open_place(0, BYTES);
    SP_Event event = NULL;
    (void)state;
    p.se->create_event(p.handle, &event, status);
    small_expect_ok(status);
    assert_int_equal(p.se->get_event_status(p.handle, event), SE_EVENT_COMPLETE);
    double_set_delay(DELAY_US * 100); /* far longer than a busy host needs to ask */
    p.se->record_event(p.handle, p.native, event, status);
    assert_int_equal(p.se->get_event_status(p.handle, event), SE_EVENT_PENDING);
    p.se->block_host_for_event(p.handle, event, status);
    small_expect_ok(status);
    assert_int_equal(p.se->get_event_status(p.handle, event), SE_EVENT_COMPLETE);
    double_set_delay(0);
    p.se->destroy_event(p.handle, event);
    p.se->destroy_event(p.handle, NULL);
    close_place(&p);
    double_expect_nothing();
}

static void a_timer_has_the_time_between_its_two_places(void **state)
{
    static uint32_t from[COUNT];
    place p = open_place(1, BYTES);
    (void)state;
    oribi_device_timer *timer = oribi_device_timer_start(p.stream, status);
    assert_non_null(timer);
    double_set_delay(DELAY_US * 100); /* far longer than a busy host needs to ask */
    assert_true(oribi_stream_to_device(p.stream, p.memory, p.memory->data, from, BYTES, status));
    assert_true(oribi_device_timer_stop(timer, status));
    assert_int_equal(oribi_device_timer_ns(timer), 0); /* nobody was there yet */
    expect_done(&p);
    assert_true(oribi_device_timer_ns(timer) >= 2 * 1000 * (uint64_t)DELAY_US);
    double_set_delay(0);
    oribi_device_timer_destroy(timer);
    close_place(&p);
    double_expect_nothing();
}

static void everything_on_the_device_is_waited_for(void **state)
{
    static uint32_t from[COUNT], to[COUNT];
    place p = open_place(0, BYTES);
    (void)state;
    oribi_stream *other = oribi_stream_create(p.device, 0, NULL, status);
    fill_ramp(from, 77);
    double_set_delay(DELAY_US);
    assert_true(oribi_stream_to_device(p.stream, p.memory, p.memory->data, from, BYTES, status));
    assert_true(oribi_stream_follow(other, p.stream, status));
    assert_true(oribi_stream_to_host(other, to, p.memory, p.memory->data, BYTES, status));
    p.se->synchronize_all_activity(p.handle, status);
    small_expect_ok(status);
    assert_memory_equal(from, to, BYTES);
    double_set_delay(0);
    oribi_stream_destroy(other);
    close_place(&p);
}

typedef struct heard {
    pthread_mutex_t lock;
    int n, n_failed;
    unsigned inside; /* what the driver said to a call from there */
    const uint32_t *seen;
    uint32_t value;
} heard;

static unsigned (*context_get)(void *out);

static void hear(void *const arg, TF_Status *const what)
{
    heard *self = arg;
    uint64_t out = 0;
    pthread_mutex_lock(&self->lock);
    self->n++;
    self->n_failed += TF_GetCode(what) != TF_OK;
    self->value = self->seen != NULL ? *self->seen : 0;
    self->inside = context_get(&out);
    pthread_mutex_unlock(&self->lock);
}

static void the_host_is_called_in_stream_order_exactly_once(void **state)
{
    static uint32_t from[COUNT], to[COUNT];
    place p = open_place(0, BYTES);
    heard h = {.lock = PTHREAD_MUTEX_INITIALIZER, .seen = to};
    (void)state;
    fill_ramp(from, 1234);
    double_symbol(&context_get, vendor->context_get);
    double_set_delay(DELAY_US);
    assert_true(oribi_stream_to_device(p.stream, p.memory, p.memory->data, from, BYTES, status));
    assert_true(oribi_stream_to_host(p.stream, to, p.memory, p.memory->data, BYTES, status));
    assert_true(p.se->host_callback(p.handle, p.native, hear, &h));
    expect_done(&p);
    assert_true(h.n == 1 && h.n_failed == 0 && h.value == from[0]);
    assert_int_equal(h.inside, 800); /* the driver wants no calls from there */
    double_set_delay(0);

    double_plant(vendor->host_call, 0, 0, 1, 1);
    assert_false(p.se->host_callback(p.handle, p.native, hear, &h));
    expect_done(&p);
    assert_int_equal(h.n, 1);
    close_place(&p);
    double_expect_nothing();
}

static void a_lost_device_calls_the_host_with_the_failure(void **state)
{
    static uint32_t from[COUNT];
    char later[64];
    place p = open_place(0, BYTES);
    heard h = {.lock = PTHREAD_MUTEX_INITIALIZER};
    (void)state;
    double_set_delay(DELAY_US);
    snprintf(later, sizeof later, "%s()", vendor->htod);
    double_plant(later, 0, 0, 1, 719);
    assert_true(oribi_stream_to_device(p.stream, p.memory, p.memory->data, from, BYTES, status));
    assert_true(p.se->host_callback(p.handle, p.native, hear, &h));
    assert_true(p.se->host_callback(p.handle, p.native, hear, &h));
    p.se->block_host_until_done(p.handle, p.native, status);
    assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    expect_text(status, "719");
    TF_SetStatus(status, TF_OK, "");
    assert_true(h.n == 2 && h.n_failed == 2);
    double_set_delay(0);
    double_heal();
    close_place(&p);
    assert_int_equal(h.n, 2);
    double_expect_nothing();
}

/* --- Devices and contexts -------------------------------------------------------------------- */

static void what_the_thread_had_is_current_again_after_each_call(void **state)
{
    static uint32_t from[COUNT];
    place a = open_place(0, BYTES), b = open_place(1, BYTES);
    unsigned (*context_set)(uint64_t);
    uint64_t now = 0, first = 0, second = 0;
    (void)state;
    double_symbol(&context_set, vendor->context_set);
    double_symbol(&context_get, vendor->context_get);
    const void *stream = a.extension->native_stream(a.handle, a.native);
    assert_non_null(*(void *const *)stream);
    assert_int_equal(context_get(&first), 0); /* native_stream leaves its device current */
    assert_non_null(b.extension->native_stream(b.handle, b.native));
    assert_int_equal(context_get(&second), 0);
    assert_true(first != second);

    assert_true(oribi_stream_to_device(a.stream, a.memory, a.memory->data, from, BYTES, status));
    expect_done(&a);
    assert_int_equal(context_get(&now), 0);
    assert_true(now == second);
    assert_int_equal(context_set(first), 0);
    assert_true(oribi_stream_to_device(b.stream, b.memory, b.memory->data, from, BYTES, status));
    expect_done(&b);
    assert_int_equal(context_get(&now), 0);
    assert_true(now == first);
    close_place(&a);
    close_place(&b);
    assert_int_equal(context_set(0), 0);
}

static void a_device_tells_its_name_and_refuses_other_numbers(void **state)
{
    place p = open_place(1, BYTES);
    (void)state;
    assert_string_equal(p.handle->hardware_name, "double 1");
    assert_string_equal(p.handle->device_vendor,
                        strcmp(vendor->type, "CUDA") == 0 ? "NVIDIA" : "AMD");
    assert_non_null(strstr(p.handle->pci_bus_id, "0000:02:00.0"));
    const SP_DeviceFns *fns = &p.device->platform->parts.device_fns;
    assert_true(fns->get_numa_node(p.handle) >= -1);
    if (strcmp(vendor->type, "CUDA") == 0) { /* 1 GHz, 256 bits, two edges */
        assert_true(fns->get_memory_bandwidth(p.handle) == INT64_C(64000000000));
    }
    assert_null(oribi_device_open(p.device->platform, 2, status));
    assert_int_not_equal(TF_GetCode(status), TF_OK);
    TF_SetStatus(status, TF_OK, "");
    close_place(&p);
    double_expect_nothing();
}

static void a_plugin_without_a_driver_says_what_is_missing(void **state)
{
    TF_Status *other = TF_NewStatus();
    (void)state;
    assert_false(double_try_load("driver=/nowhere/libcuda.so.1", other));
    expect_text(other, strcmp(vendor->type, "CUDA") == 0 ? "no NVIDIA driver: /nowhere/libcuda.so.1"
                                                         : "no AMD HIP runtime: /nowhere/");
    TF_SetStatus(other, TF_OK, "");
    assert_false(double_try_load("driver=libm.so.6", other));
    expect_text(other, "is too old for this plugin: it has no ");
    if (strcmp(vendor->type, "CUDA") == 0) {
        char options[600];
        snprintf(options, sizeof options, "driver=%s", vendor->driver);
        setenv("ORIBI_GPU_DOUBLE_DEVICES", "0", 1);
        TF_SetStatus(other, TF_OK, "");
        assert_false(double_try_load(options, other));
        expect_text(other, "cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device");
        unsetenv("ORIBI_GPU_DOUBLE_DEVICES");
    }
    TF_DeleteStatus(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_go_in_stream_order_and_the_host_does_not_wait),
        cmocka_unit_test(a_stream_of_one_device_follows_one_of_another_and_memory_crosses),
        cmocka_unit_test(memory_is_copied_and_filled_on_its_device),
        cmocka_unit_test(copies_that_wait_are_done_when_they_return),
        cmocka_unit_test(what_is_not_the_devices_is_refused_with_the_drivers_words),
        cmocka_unit_test(pinned_and_unified_memory_is_the_hosts_too),
        cmocka_unit_test(memory_is_counted_and_refused_where_none_is_left),
        cmocka_unit_test(an_event_is_pending_until_the_stream_got_there),
        cmocka_unit_test(a_timer_has_the_time_between_its_two_places),
        cmocka_unit_test(everything_on_the_device_is_waited_for),
        cmocka_unit_test(the_host_is_called_in_stream_order_exactly_once),
        cmocka_unit_test(a_lost_device_calls_the_host_with_the_failure),
        cmocka_unit_test(what_the_thread_had_is_current_again_after_each_call),
        cmocka_unit_test(a_device_tells_its_name_and_refuses_other_numbers),
    };
    const struct CMUnitTest first[] = {
        cmocka_unit_test(a_plugin_without_a_driver_says_what_is_missing),
    };
    double_choose();
    status = TF_NewStatus();
    int failed = cmocka_run_group_tests(first, NULL, NULL);
    double_load();
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    TF_DeleteStatus(status);
    return failed;
}
