/* SPDX-License-Identifier: Apache-2.0 */
/* The example device with a spy before it, see plugins/spy.c. Include in place of on_fake.h. */
#ifndef ORIBI_TESTS_DEVICES_ON_SPY_H_
#define ORIBI_TESTS_DEVICES_ON_SPY_H_

#include "devices/on_fake.h"

static int64_t (*spy_calls)(const char *member);
static void (*spy_copies)(int64_t *out_pinned, int64_t *out_plain);
static int64_t (*spy_pinned_bytes)(void);
static void (*spy_set_host_memory)(int there);
static void (*spy_set_callbacks)(int there);
static void (*spy_gate)(SP_Stream stream, int n_arrived);
static void (*spy_hold)(int holds);
static int (*spy_missed)(void);
static void (*spy_call)(SP_Stream stream, void (*fn)(void *arg), void *arg);
static void *(*spy_address)(const void *opaque);

static inline void spy_load(const char *options)
{
    setenv("TEST_FAKE_PLUGIN", TEST_SPY, 1);
    device_load(options);
    void *library = dlopen(TEST_SPY, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    *(void **)&spy_calls = dlsym(library, "spy_calls");
    *(void **)&spy_copies = dlsym(library, "spy_copies");
    *(void **)&spy_pinned_bytes = dlsym(library, "spy_pinned_bytes");
    *(void **)&spy_set_host_memory = dlsym(library, "spy_set_host_memory");
    *(void **)&spy_set_callbacks = dlsym(library, "spy_set_callbacks");
    *(void **)&spy_gate = dlsym(library, "spy_gate");
    *(void **)&spy_hold = dlsym(library, "spy_hold");
    *(void **)&spy_missed = dlsym(library, "spy_missed");
    *(void **)&spy_call = dlsym(library, "spy_call");
    *(void **)&spy_address = dlsym(library, "spy_address");
    dlclose(library);
    assert_true(spy_call != NULL && spy_address != NULL);
    assert_true(spy_gate != NULL && spy_hold != NULL && spy_missed != NULL);
    assert_true(spy_calls != NULL && spy_copies != NULL && spy_pinned_bytes != NULL &&
                spy_set_host_memory != NULL && spy_set_callbacks != NULL);
}

#endif
