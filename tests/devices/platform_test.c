/* SPDX-License-Identifier: Apache-2.0 */
/* SE_InitPlugin as seen by the host: each required member is asked for by its name, layouts of all
 * releases are taken, and what a refused plugin made is destroyed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "tensor/status.h"

/* What the plugin of this test fills in, and how often its parts were destroyed. */
static SP_Platform platform;
static SP_PlatformFns fns;
static SP_StreamExecutor executor;
static SP_DeviceFns device_fns;
static SP_TimerFns timer_fns;
static bool has_destroy[2] = {true, true};
static int n_destroyed[5]; /* platform, fns, device fns, executor, timer fns */
static TF_DeviceExtension extension;
static TF_Code extension_code, init_code;

/* --- The plugin: nothing in it is ever to be called but what makes and destroys --------------- */

static void must_not_run(void)
{
    fail_msg("a member was called while the plugin was only loaded");
}

static void destroy_platform(SP_Platform *p)
{
    (void)p;
    n_destroyed[0]++;
}

static void destroy_platform_fns(SP_PlatformFns *p)
{
    (void)p;
    n_destroyed[1]++;
}

static void create_device(const SP_Platform *p, SE_CreateDeviceParams *params, TF_Status *status)
{
    (void)p;
    (void)params;
    (void)status;
}

static void destroy_device(const SP_Platform *p, SP_Device *device)
{
    (void)p;
    (void)device;
}

static void create_device_fns(const SP_Platform *p, SE_CreateDeviceFnsParams *params,
                              TF_Status *status)
{
    (void)p;
    (void)status;
    *params->device_fns = device_fns;
}

static void destroy_device_fns(const SP_Platform *p, SP_DeviceFns *own)
{
    (void)p;
    (void)own;
    n_destroyed[2]++;
}

static void create_executor(const SP_Platform *p, SE_CreateStreamExecutorParams *params,
                            TF_Status *status)
{
    (void)p;
    (void)status;
    memcpy(params->stream_executor, &executor, executor.struct_size);
}

static void destroy_executor(const SP_Platform *p, SP_StreamExecutor *own)
{
    (void)p;
    (void)own;
    n_destroyed[3]++;
}

static void create_timer_fns(const SP_Platform *p, SP_TimerFns *own, TF_Status *status)
{
    (void)p;
    (void)status;
    *own = timer_fns;
}

static void destroy_timer_fns(const SP_Platform *p, SP_TimerFns *own)
{
    (void)p;
    (void)own;
    n_destroyed[4]++;
}

static void init(SE_PlatformRegistrationParams *params, TF_Status *status)
{
    assert_int_equal(params->struct_size, SE_PLATFORM_REGISTRATION_PARAMS_STRUCT_SIZE);
    assert_int_equal(params->platform->struct_size, SP_PLATFORM_STRUCT_SIZE);
    assert_int_equal(params->platform_fns->struct_size, SP_PLATFORM_FNS_STRUCT_SIZE);
    *params->platform = platform;
    *params->platform_fns = fns;
    params->destroy_platform = has_destroy[0] ? destroy_platform : NULL;
    params->destroy_platform_fns = has_destroy[1] ? destroy_platform_fns : NULL;
    if (extension.struct_size != 0) {
        TF_SetDeviceExtension(params, &extension, status);
        extension_code = TF_GetCode(status);
    }
    if (init_code != TF_OK) {
        TF_SetStatus(status, init_code, "no such hardware here");
    }
}

static int set_up(void **state)
{
    (void)state;
    platform =
        (SP_Platform){.struct_size = SP_PLATFORM_STRUCT_SIZE, .name = "TEST", .type = "TEST"};
    fns = (SP_PlatformFns){SP_PLATFORM_FNS_STRUCT_SIZE,
                           NULL,
                           NULL,
                           create_device,
                           destroy_device,
                           create_device_fns,
                           destroy_device_fns,
                           create_executor,
                           destroy_executor,
                           create_timer_fns,
                           destroy_timer_fns};
    device_fns = (SP_DeviceFns){.struct_size = SP_DEVICE_FNS_STRUCT_SIZE};
    timer_fns = (SP_TimerFns){.struct_size = SP_TIMER_FNS_STRUCT_SIZE,
                              .nanoseconds = (uint64_t(*)(SP_Timer))must_not_run};
    for (size_t at = 2 * sizeof(void *); at < sizeof executor; at += sizeof(void *)) {
        void (*member)(void) = must_not_run;
        memcpy((char *)&executor + at, &member, sizeof member);
    }
    executor.struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE;
    has_destroy[0] = has_destroy[1] = true;
    memset(n_destroyed, 0, sizeof n_destroyed);
    extension = (TF_DeviceExtension){0};
    init_code = TF_OK;
    return 0;
}

static oribi_platform *load(TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    return oribi_platform_create(init, "test.so", status);
}

static void expect_taken(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_platform *made = load(status);
    if (made == NULL) {
        print_error("%s\n", TF_Message(status));
        fail();
    }
    oribi_platform_rollback(made);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(n_destroyed[i], 1);
    }
    TF_DeleteStatus(status);
}

static void expect_refused(const char *text)
{
    TF_Status *status = TF_NewStatus();
    assert_null(load(status));
    assert_int_equal(TF_GetCode(status), TF_FAILED_PRECONDITION);
    assert_non_null(strstr(TF_Message(status), "test.so"));
    if (strstr(TF_Message(status), text) == NULL) {
        print_error("'%s' is not in: %s\n", text, TF_Message(status));
        fail();
    }
    assert_int_equal(n_destroyed[2], n_destroyed[3]); /* what was made, and only that */
    TF_DeleteStatus(status);
    assert_null(oribi_platform_find("TEST"));
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void a_full_plugin_is_taken(void **state)
{
    (void)state;
    expect_taken();
}

#define MEMBER(type, member)                                                                       \
    {                                                                                              \
        offsetof(type, member), "'" #member "' field in " #type " must be set."                    \
    }
typedef struct member {
    size_t offset;
    const char *text;
} member;

static void expect_each_missed(void *object, const member *members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        void *kept;
        void *none = NULL;
        memcpy(&kept, (char *)object + members[i].offset, sizeof kept);
        memcpy((char *)object + members[i].offset, &none, sizeof none);
        expect_refused(members[i].text);
        memcpy((char *)object + members[i].offset, &kept, sizeof kept);
        memset(n_destroyed, 0, sizeof n_destroyed);
    }
}

static void each_missing_member_of_the_platform_is_named(void **state)
{
    (void)state;
    static const member members[] = {
        MEMBER(SP_PlatformFns, create_device),
        MEMBER(SP_PlatformFns, destroy_device),
        MEMBER(SP_PlatformFns, create_device_fns),
        MEMBER(SP_PlatformFns, destroy_device_fns),
        MEMBER(SP_PlatformFns, create_stream_executor),
        MEMBER(SP_PlatformFns, destroy_stream_executor),
        MEMBER(SP_PlatformFns, create_timer_fns),
        MEMBER(SP_PlatformFns, destroy_timer_fns),
    };
    static const member names[] = {MEMBER(SP_Platform, name), MEMBER(SP_Platform, type)};
    expect_each_missed(&fns, members, sizeof members / sizeof members[0]);
    expect_each_missed(&platform, names, 2);
    has_destroy[0] = false;
    expect_refused("'destroy_platform' field");
    has_destroy[0] = true;
    has_destroy[1] = false;
    expect_refused("'destroy_platform_fns' field");
}

static void each_missing_member_of_the_executor_is_named(void **state)
{
    (void)state;
#define M(member) MEMBER(SP_StreamExecutor, member)
    static const member members[] = {
        M(allocate),
        M(deallocate),
        M(host_memory_allocate),
        M(host_memory_deallocate),
        M(get_allocator_stats),
        M(device_memory_usage),
        M(create_stream),
        M(destroy_stream),
        M(create_stream_dependency),
        M(get_stream_status),
        M(create_event),
        M(destroy_event),
        M(get_event_status),
        M(record_event),
        M(wait_for_event),
        M(create_timer),
        M(destroy_timer),
        M(start_timer),
        M(stop_timer),
        M(memcpy_dtoh),
        M(memcpy_htod),
        M(sync_memcpy_dtoh),
        M(sync_memcpy_htod),
        M(block_host_for_event),
        M(synchronize_all_activity),
        M(mem_zero),
        M(memset),
        M(memset32),
        M(host_callback),
    };
    expect_each_missed(&executor, members, sizeof members / sizeof members[0]);
    timer_fns.nanoseconds = NULL;
    expect_refused("'nanoseconds' field in SP_TimerFns");
}

static void unified_memory_is_wanted_where_the_platform_says_so(void **state)
{
    (void)state;
    static const member members[] = {M(unified_memory_allocate), M(unified_memory_deallocate)};
    executor.unified_memory_allocate = NULL;
    expect_taken();
    memset(n_destroyed, 0, sizeof n_destroyed);
    executor.unified_memory_allocate = (void *(*)(const SP_Device *, uint64_t))must_not_run;
    platform.supports_unified_memory = 1;
    expect_each_missed(&executor, members, 2);
}

static void optional_members_may_be_missing(void **state)
{
    (void)state;
    executor.memcpy_dtod = NULL;
    executor.sync_memcpy_dtod = NULL;
    executor.block_host_until_done = NULL;
    executor.mem_zero = NULL; /* the three fills, as plugins of the field leave them */
    executor.memset = NULL;
    executor.memset32 = NULL;
    executor.create_timer = NULL; /* the timers, as newer TensorFlow allows */
    executor.destroy_timer = NULL;
    executor.start_timer = NULL;
    executor.stop_timer = NULL;
    timer_fns.nanoseconds = NULL;
    expect_taken();
}

/* Fills in what headers before the three fills had: 33 members, host_callback in the 31st place. */
static void the_old_layout_of_the_executor_is_taken(void **state)
{
    (void)state;
    const size_t old_bytes = offsetof(SP_StreamExecutor, mem_zero) + sizeof(void *);
    assert_int_equal(old_bytes, 264);
    memset((char *)&executor + old_bytes, 0, sizeof executor - old_bytes);
    executor.struct_size = old_bytes;
    expect_taken();

    memset(n_destroyed, 0, sizeof n_destroyed);
    executor.mem_zero = NULL; /* host_callback of the old layout */
    expect_refused("'host_callback' field in SP_StreamExecutor");
}

static void sizes_below_all_releases_are_refused(void **state)
{
    (void)state;
    executor.struct_size = 256;
    expect_refused("struct_size of SP_StreamExecutor is 256, less than 264");
    set_up(NULL);
    platform.struct_size = 33;
    expect_refused("struct_size of SP_Platform is 33, less than 34");
    set_up(NULL);
    fns.struct_size = 0;
    expect_refused("struct_size of SP_PlatformFns is 0");
    set_up(NULL);
    platform.struct_size = 34; /* before force_memory_growth */
    expect_taken();
}

static void names_of_another_form_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "gpu", "_GPU",
                                      "GPU1", "A B", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNO"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        platform.type = bad[i];
        expect_refused("must be a capital letter");
    }
    platform.type = "CPU";
    expect_refused("the host's own");
}

static void a_platform_of_a_name_that_is_taken_is_refused(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    platform.name = "FIRST";
    platform.type = "FIRST";
    oribi_platform_commit(load(status));
    assert_non_null(oribi_platform_find("first"));
    platform.type = "SECOND";

    assert_null(load(status));

    assert_int_equal(TF_GetCode(status), TF_ALREADY_EXISTS);
    assert_non_null(strstr(TF_Message(status), "FIRST"));
    TF_DeleteStatus(status);
}

static void a_plugin_that_says_no_is_refused_with_its_words(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    init_code = TF_UNAVAILABLE;

    assert_null(load(status));

    assert_int_equal(TF_GetCode(status), TF_UNAVAILABLE);
    assert_string_equal(TF_Message(status),
                        "device plugin 'test.so': SE_InitPlugin: no such hardware here");
    assert_int_equal(n_destroyed[0], 0); /* it filled in nothing that counts */
    TF_DeleteStatus(status);
}

static void the_extension_is_kept_and_checked(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    extension = (TF_DeviceExtension){.struct_size = TF_DEVICE_EXTENSION_STRUCT_SIZE,
                                     .flags = TF_DEVICE_PEER_COPIES};
    oribi_platform *made = load(status);
    assert_non_null(made);
    assert_int_equal(oribi_platform_extension(made)->flags, TF_DEVICE_PEER_COPIES);
    oribi_platform_rollback(made);

    extension.flags = 1u << 31;
    assert_null(load(status));
    assert_int_equal(extension_code, TF_INVALID_ARGUMENT);
    extension.flags = 0;
    extension.struct_size = 8;
    assert_null(load(status));
    assert_int_equal(extension_code, TF_INVALID_ARGUMENT);
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_full_plugin_is_taken, set_up),
        cmocka_unit_test_setup(each_missing_member_of_the_platform_is_named, set_up),
        cmocka_unit_test_setup(each_missing_member_of_the_executor_is_named, set_up),
        cmocka_unit_test_setup(unified_memory_is_wanted_where_the_platform_says_so, set_up),
        cmocka_unit_test_setup(optional_members_may_be_missing, set_up),
        cmocka_unit_test_setup(the_old_layout_of_the_executor_is_taken, set_up),
        cmocka_unit_test_setup(sizes_below_all_releases_are_refused, set_up),
        cmocka_unit_test_setup(names_of_another_form_are_refused, set_up),
        cmocka_unit_test_setup(a_platform_of_a_name_that_is_taken_is_refused, set_up),
        cmocka_unit_test_setup(a_plugin_that_says_no_is_refused_with_its_words, set_up),
        cmocka_unit_test_setup(the_extension_is_kept_and_checked, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
