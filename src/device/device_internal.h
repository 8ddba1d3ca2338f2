/* SPDX-License-Identifier: Apache-2.0 */
/* Shared in this room: platform.c, platform_check.c (what a plugin filled in), device.c (open and
 * close), account.c
 * (limits), block.c (memory), stream.c and copy.c (work). Order of reading as written.
 */
#ifndef ORIBI_DEVICE_DEVICE_INTERNAL_H_
#define ORIBI_DEVICE_DEVICE_INTERNAL_H_

#include "base/text.h"
#include "base/thread.h"
#include "device/device.h"
#include "tensor/status.h"

enum {
    ORIBI_SE_SPARE_BYTES = 512, /* a newer plugin may fill in more than we know */
    ORIBI_SE_OLD_BYTES = 264,   /* SP_StreamExecutor without the three fills */
    ORIBI_PLATFORM_OLD_BYTES = 34
};

/* The structs of a plugin, each followed by room for members of later versions. */
typedef struct oribi_platform_parts {
    SP_Platform platform;
    char spare_0[ORIBI_SE_SPARE_BYTES];
    SP_PlatformFns fns;
    char spare_1[ORIBI_SE_SPARE_BYTES];
    SP_DeviceFns device_fns;
    char spare_2[ORIBI_SE_SPARE_BYTES];
    SP_StreamExecutor executor;
    char spare_3[ORIBI_SE_SPARE_BYTES];
    SP_TimerFns timer_fns;
    char spare_4[ORIBI_SE_SPARE_BYTES];
    SE_PlatformRegistrationParams params;
    char spare_5[ORIBI_SE_SPARE_BYTES];
} oribi_platform_parts;

struct oribi_platform {
    oribi_platform_parts parts; /* first: TF_SetDeviceExtension gets &parts.params */
    TF_DeviceExtension extension;
    const char *provider;
    bool has_device_fns, has_executor, has_timer_fns; /* made, to be destroyed */
    bool is_filled;                                   /* SE_InitPlugin came back well */
    bool has_fills, has_timers;
    oribi_mutex lock; /* devices */
    oribi_device *devices;
    struct oribi_platform *next;
};

/* NULL, or a member is missing that must be there: false, FAILED_PRECONDITION names it. */
/* absent.c */
void oribi__absent_tell(oribi_text *text);
void oribi__absent_describe(struct oribi_json *json);

bool oribi__platform_check(const oribi_platform *platform, TF_Status *status);
bool oribi__platform_check_executor(oribi_platform *platform, TF_Status *status);

typedef struct oribi_allocation { /* one allocation of the plugin */
    SP_DeviceMemoryBase memory;
    struct oribi_allocation *next;
    struct oribi_block *first;
    bool is_unified;
} oribi_allocation;

typedef struct oribi_block {       /* a region, or a part of one where offsets are allowed */
    oribi_buffer buffer;           /* first: what callers hold */
    oribi_device *device;          /* one reference while in use */
    oribi_stream *stream;          /* one reference while in use, or NULL */
    oribi_device_account *account; /* the same */
    size_t charged;                /* there */
    oribi_allocation *region;
    struct oribi_block *before, *after; /* in the region, by address */
    struct oribi_block *next;           /* in a list of free blocks */
    size_t offset, bytes;
    bool is_free;
} oribi_block;

typedef struct oribi_host_block oribi_host_block; /* host_memory.c */

struct oribi_device {
    oribi_platform *platform;
    int64_t references; /* under the platform's lock */
    struct oribi_device *next;
    SP_Device device;
    char spare[ORIBI_SE_SPARE_BYTES];
    char name[80], full_name[160];
    bool is_created;
    oribi_mutex lock; /* of all below, and of every stream's `held` */
    oribi_allocation *regions;
    oribi_block *free;
    oribi_host_block *host_blocks; /* kept for the next */
    int n_host_blocks;
    size_t host_bytes;
    oribi_device_counts counts;
};

struct oribi_device_account {
    atomic_int references; /* of the session, and of the blocks that count in it */
    _Atomic uint64_t used;
    uint64_t max_bytes;
    bool is_unified;
};

typedef struct oribi_bell oribi_bell; /* bell.c */

struct oribi_stream {
    oribi_device_account *account; /* borrowed, or NULL */
    atomic_int references;         /* of the run, and of the blocks that it uses */
    oribi_device *device;          /* one reference */
    SP_Stream handle;
    SP_Event *marks; /* the last one is for waits of everything */
    int n_marks;
    oribi_bell *bell; /* one reference */
    _Atomic bool is_busy;
    atomic_int n_lent; /* kernels that enqueue on threads of their own */
    oribi_mutex lock;  /* of the last mark: a kernel may wait on a thread of its own */
    oribi_block *held; /* freed while it was busy */
};

static inline const SP_StreamExecutor *oribi__executor(const oribi_device *device)
{
    return &device->platform->parts.executor;
}

/* Puts "device FAKE:0: MEMBER: " before a failure; true when there is none. */
bool oribi__device_called(const oribi_device *device, const char *member, TF_Status *status);

/* account.c: a block's reference comes with what it is charged. NULL: no account. */
bool oribi__account_charge(const oribi_device *device, oribi_device_account *account,
                           uint64_t bytes, TF_Status *status);
void oribi__account_discharge(oribi_device_account *account, uint64_t bytes);

/* bell.c: of as many marks; NULL: no memory. */
oribi_bell *oribi__bell_create(int n_marks);
void oribi__bell_release(oribi_bell *bell); /* NULL ok */

/* block.c */
void oribi__stream_unref(oribi_stream *stream);
void oribi__stream_flush(oribi_stream *stream);      /* it is idle: held blocks are anybody's */
void oribi__device_free_cache(oribi_device *device); /* all blocks are free */
void oribi__device_free_host_cache(oribi_device *device);

#endif
