/* SPDX-License-Identifier: Apache-2.0 */
/* A device of the plugin under test, with a stream and some memory, for tests below sessions.
 * Include after cmocka.h.
 */
#ifndef ORIBI_TESTS_DEVICES_ON_PLACE_H_
#define ORIBI_TESTS_DEVICES_ON_PLACE_H_

#include "device/device_internal.h"
#include "devices/gpu/on_double.h"

typedef struct place {
    oribi_device *device;
    oribi_stream *stream;
    oribi_buffer *memory;
    const SP_StreamExecutor *se;
    const TF_DeviceExtension *extension;
    const SP_Device *handle;
    SP_Stream native;
} place;

static TF_Status *status;

static inline place open_place(int ordinal, size_t bytes)
{
    place p = {0};
    p.device = oribi_device_open(oribi_platform_find(vendor->type), ordinal, status);
    small_expect_ok(status);
    p.stream = oribi_stream_create(p.device, 1, NULL, status);
    small_expect_ok(status);
    p.memory = oribi_device_allocate(p.device, p.stream, NULL, bytes, status);
    small_expect_ok(status);
    p.se = oribi__executor(p.device);
    p.extension = oribi_platform_extension(p.device->platform);
    p.handle = &p.device->device;
    p.native = oribi_stream_handle(p.stream);
    return p;
}

static inline void close_place(place *p)
{
    oribi_buffer_release(p->memory);
    oribi_stream_destroy(p->stream);
    oribi_device_release(p->device);
}

static inline void expect_done(const place *p)
{
    assert_true(oribi_stream_wait_all(p->stream, status));
    small_expect_ok(status);
}

#endif
