/* SPDX-License-Identifier: Apache-2.0 */
/* Pluggable devices: platforms that plugins brought, opened devices, their memory and streams.
 *
 * A platform is one plugin's SE_InitPlugin; it lives for ever. A device is one opened ordinal of a
 * platform, counted; the last reference closes it. Memory comes as oribi_buffer from a caching
 * allocator. A stream belongs to one run at a time. Errors name the device and the member that
 * failed; whoever calls puts the node before. Not here: which node runs where (src/session).
 */
#ifndef ORIBI_DEVICE_DEVICE_H_
#define ORIBI_DEVICE_DEVICE_H_

#include <stdatomic.h>

#include "tensor/tensor.h"
#include "tensorflow/c/device_extension.h"

typedef struct oribi_platform oribi_platform;
typedef struct oribi_device oribi_device;
typedef struct oribi_stream oribi_stream;

/* --- Platforms: platform.c ------------------------------------------------------------------- */

typedef void (*oribi_platform_init)(SE_PlatformRegistrationParams *params, TF_Status *status);

/* Calls init and checks what it filled in; the platform is not to be found yet. NULL: refused, and
 * whatever it had made is destroyed. `provider` is for messages. Loads are serialised by the
 * caller. */
oribi_platform *oribi_platform_create(oribi_platform_init init, const char *provider,
                                      TF_Status *status);
void oribi_platform_commit(oribi_platform *platform);   /* NULL ok; to be found from now on */
void oribi_platform_rollback(oribi_platform *platform); /* NULL ok; destroys it */
/* At the end of the process, while the plugin's own state is still there: it was mapped before. A
 * platform whose devices are open is left as it is. */
void oribi_platform_forget_all(void);
void oribi_device_forget_absent(void);
/* By name or type, in any case of letters; NULL: there is none. */
const oribi_platform *oribi_platform_find(const char *name);
const oribi_platform *oribi_platform_next(const oribi_platform *platform); /* NULL: the first */
const char *oribi_platform_name(const oribi_platform *platform);
const char *oribi_platform_type(const oribi_platform *platform);
/* What the plugin told through TF_SetDeviceExtension; all zero without it. */
const TF_DeviceExtension *oribi_platform_extension(const oribi_platform *platform);
bool oribi_platform_count(const oribi_platform *platform, int *out_devices, TF_Status *status);

/* "FAKE:1" or "fake" (number 0); NULL: NOT_FOUND that lists what there is, or INVALID_ARGUMENT. */
const oribi_platform *oribi_device_parse(const char *text, int *out_ordinal, TF_Status *status);

/* --- Devices: device.c ----------------------------------------------------------------------- */

/* Holds what a device did since it was opened, all sessions together. */
typedef struct oribi_device_counts {
    uint64_t n_allocations, bytes_reserved; /* asked from the plugin; held now */
    uint64_t bytes_in_use, peak_bytes_in_use;
    uint64_t n_waits; /* of the host for the device */
    uint64_t n_to_device, n_to_host, n_on_device, bytes_to_device, bytes_to_host, bytes_on_device;
} oribi_device_counts;

/* A plugin's hardware or driver is not there (it answered UNAVAILABLE): its reason is told to
 * whoever asks for a device that does not exist, and listed with the devices. */
void oribi_device_note_absent(const char *provider, const char *reason);

/* The same device twice is one. NULL: status says which member of which device failed. */
oribi_device *oribi_device_open(const oribi_platform *platform, int ordinal, TF_Status *status);
void oribi_device_retain(oribi_device *device);
void oribi_device_release(oribi_device *device);                /* NULL ok */
const char *oribi_device_name(const oribi_device *device);      /* "FAKE:0", by type */
const char *oribi_device_full_name(const oribi_device *device); /* as TensorFlow has it */
int oribi_device_ordinal(const oribi_device *device);
const oribi_platform *oribi_device_platform(const oribi_device *device);
const SP_Device *oribi_device_handle(const oribi_device *device); /* for extension calls */
/* May parts of one allocation be addressed by arithmetic? */
bool oribi_device_has_offsets(const oribi_device *device);
void oribi_device_count(const oribi_device *device, oribi_device_counts *out_counts);
/* Opens each device and copies a few bytes there and back (device_try.c). False: what a platform
 * says of its devices cannot be, or bytes came back changed; failures to open are logged only. */
bool oribi_device_try_all(TF_Status *status);
struct oribi_json;
/* Objects of a JSON array; opens each device for a moment. */
void oribi_device_describe_all(struct oribi_json *json);

/* --- Accounts: account.c --------------------------------------------------------------------- */

/* What a session has of a device: at most max_bytes, in the device's own memory or, where
 * is_unified, in unified memory. UNIMPLEMENTED: the plugin has none. */
typedef struct oribi_device_account oribi_device_account;
oribi_device_account *oribi_device_account_create(oribi_device *device, uint64_t max_bytes,
                                                  bool is_unified, TF_Status *status);
void oribi_device_account_release(oribi_device_account *account); /* NULL ok; blocks keep it */
uint64_t oribi_device_account_used(const oribi_device_account *account);
/* Would that many bytes fit beside `others`? RESOURCE_EXHAUSTED names the device and the limit. */
bool oribi_device_account_check(const oribi_device *device, const oribi_device_account *account,
                                uint64_t others, uint64_t bytes, TF_Status *status);

/* --- Memory: block.c ------------------------------------------------------------------------- */

/* At least one byte. Data is `opaque`. The last reference gives it back to the cache; while the
 * stream (may be NULL) is busy only that stream gets it again. It counts in the account (NULL:
 * nowhere). NULL: RESOURCE_EXHAUSTED. */
oribi_buffer *oribi_device_allocate(oribi_device *device, oribi_stream *stream,
                                    oribi_device_account *account, size_t bytes, TF_Status *status);
/* The device that the buffer lies on; NULL: it is host memory, or NULL. */
oribi_device *oribi_buffer_device(const oribi_buffer *buffer);
/* Host memory that copies of the device like best (host_memory.c); kept for the next one after the
 * last reference, until the device is closed. NULL: the plugin
 * has none to give (no status: ordinary memory will do). */
oribi_buffer *oribi_device_host_buffer(oribi_device *device, size_t bytes);
/* Does what its last release does, for those who put a function of their own in its place. */
void oribi_device_free_host_buffer(oribi_buffer *buffer);

/* --- Streams: stream.c, copy.c --------------------------------------------------------------- */

/* The account, which may be NULL, outlives the stream: for kernels that allocate through it. */
oribi_stream *oribi_stream_create(oribi_device *device, int n_marks, oribi_device_account *account,
                                  TF_Status *status);
oribi_device_account *oribi_stream_account(const oribi_stream *stream);
void oribi_stream_destroy(oribi_stream *stream); /* waits; NULL ok */
SP_Stream oribi_stream_handle(const oribi_stream *stream);
oribi_device *oribi_stream_device(const oribi_stream *stream);
/* Bytes at data, which lies in buffer, which lies on the stream's device. Enqueued, not waited for:
 * host memory stays as it is until a wait. */
bool oribi_stream_to_device(oribi_stream *stream, const oribi_buffer *buffer, void *data,
                            const void *from, size_t bytes, TF_Status *status);
bool oribi_stream_to_host(oribi_stream *stream, void *to, const oribi_buffer *buffer,
                          const void *data, size_t bytes, TF_Status *status);
/* Within one device, or between devices of a platform with TF_DEVICE_PEER_COPIES; UNIMPLEMENTED
 * when the plugin has no such copy. */
bool oribi_stream_on_device(oribi_stream *stream, const oribi_buffer *to_buffer, void *to,
                            const oribi_buffer *from_buffer, const void *from, size_t bytes,
                            TF_Status *status);
bool oribi_stream_can_copy(const oribi_stream *stream);
/* Sets bytes to copies of an element of 1, 2 or 4 bytes; *out_done false: the plugin cannot, and
 * nothing was enqueued. */
bool oribi_stream_fill(oribi_stream *stream, const oribi_buffer *buffer, void *data,
                       const void *element, size_t element_bytes, size_t bytes, bool *out_done,
                       TF_Status *status);
/* Work that kernels enqueue themselves: from now on there is something to wait for. */
void oribi_stream_touch(oribi_stream *stream);
/* A kernel at work enqueues on threads of its own, until it is taken back: the stream stays busy
 * whatever is waited for. NULL ok. After a failure nobody need take back, for the stream ends. */
void oribi_stream_lend(oribi_stream *stream);
void oribi_stream_take_back(oribi_stream *stream);
/* Records mark k; a later oribi_stream_wait(k) waits for what `by` had then, which is the stream or
 * another one of its device. */
bool oribi_stream_mark(oribi_stream *stream, int mark, oribi_stream *by, TF_Status *status);
bool oribi_stream_wait(oribi_stream *stream, int mark, TF_Status *status);
bool oribi_stream_wait_all(oribi_stream *stream, TF_Status *status);
/* Records a mark that oribi_stream_await may wait for. */
bool oribi_stream_mark_aloud(oribi_stream *stream, int mark, oribi_stream *by, TF_Status *status);
/* Sleeps until the mark is reached, or, with mark -1, everything that the stream has; false when
 * that is late (DEADLINE_EXCEEDED; the clock of oribi_now_ns) or *stop is set (CANCELLED). A wait
 * follows where it is not. */
bool oribi_stream_await(oribi_stream *stream, int mark, uint64_t deadline_ns,
                        const atomic_int *stop, TF_Status *status);
bool oribi_stream_is_busy(const oribi_stream *stream);
/* Did anything fail that the stream was waited for? */
bool oribi_stream_check(oribi_stream *stream, TF_Status *status);
/* Work that `stream` gets from now on begins after the work that `other` has now; both belong to
 * one platform. */
bool oribi_stream_follow(oribi_stream *stream, oribi_stream *other, TF_Status *status);
/* Timers: timer.c. NULL with a status that is well: the plugin has none. Times are known, and the
 * timer may be destroyed, once the stream was waited for. */
typedef struct oribi_device_timer oribi_device_timer;
oribi_device_timer *oribi_device_timer_start(oribi_stream *stream, TF_Status *status);
bool oribi_device_timer_stop(oribi_device_timer *timer, TF_Status *status);
uint64_t oribi_device_timer_ns(const oribi_device_timer *timer);
void oribi_device_timer_destroy(oribi_device_timer *timer); /* NULL ok */
/* After a failure: waits whatever comes, so that memory may be used again. */
void oribi_stream_drain(oribi_stream *stream);

#endif
