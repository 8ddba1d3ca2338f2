/* SPDX-License-Identifier: Apache-2.0 */
/* Does a plugin's device survive what every session does to it? Asked in the probe's process, where
 * a crash ends nothing else. A device that says that it cannot is no matter here: it may be busy.
 */
#include <string.h>

#include "base/log.h"
#include "device/device.h"
#include "device/device_internal.h"

enum { TRIAL_BYTES = 256 };

/* Memory, a copy there and back, a wait. */
static bool copy(oribi_device *device, oribi_stream *stream, TF_Status *status)
{
    char sent[TRIAL_BYTES];
    char got[TRIAL_BYTES] = {0};
    memset(sent, 0x5a, sizeof sent);
    oribi_buffer *buffer = oribi_device_allocate(device, stream, NULL, TRIAL_BYTES, status);
    const bool ok =
        buffer != NULL &&
        oribi_stream_to_device(stream, buffer, buffer->data, sent, TRIAL_BYTES, status) &&
        oribi_stream_to_host(stream, got, buffer, buffer->data, TRIAL_BYTES, status) &&
        oribi_stream_wait_all(stream, status);
    if (!ok) {
        oribi_stream_drain(stream);
    }
    oribi_buffer_release(buffer);
    return ok && (memcmp(sent, got, sizeof got) == 0 ||
                  oribi_fail(status, TF_DATA_LOSS,
                             "device %s: what was copied to it and back is not "
                             "the same",
                             oribi_device_name(device)));
}

static bool try_device(const oribi_platform *platform, int ordinal, TF_Status *status)
{
    oribi_log(ORIBI_LOG_INFO, "plugin '%s': opening its device %s:%d", platform->provider,
              oribi_platform_type(platform), ordinal);
    oribi_device *device = oribi_device_open(platform, ordinal, status);
    oribi_stream *stream = device != NULL ? oribi_stream_create(device, 1, NULL, status) : NULL;
    if (stream != NULL) {
        oribi_log(ORIBI_LOG_INFO, "plugin '%s': copying to its device %s and back",
                  platform->provider, oribi_device_name(device));
    }
    const bool ok = stream != NULL && copy(device, stream, status);
    oribi_stream_destroy(stream);
    oribi_device_release(device);
    return ok;
}

bool oribi_device_try_all(TF_Status *status)
{
    TF_Status *own = TF_NewStatus();
    bool ok = own != NULL || oribi_fail_memory(status);
    for (const oribi_platform *p = ok ? oribi_platform_next(NULL) : NULL; p != NULL && ok;
         p = oribi_platform_next(p)) {
        int n = 0;
        oribi_log(ORIBI_LOG_INFO, "plugin '%s': counting its devices", p->provider);
        ok = oribi_platform_count(p, &n, status);
        for (int i = 0; i < n && ok; i++) {
            TF_SetStatus(own, TF_OK, "");
            if (!try_device(p, i, own)) {
                ok = TF_GetCode(own) != TF_DATA_LOSS;
                oribi_log(ORIBI_LOG_WARNING, "plugin '%s': %s", p->provider, TF_Message(own));
            }
        }
    }
    if (!ok && own != NULL && oribi_ok(status)) {
        oribi_status_copy(status, own);
    }
    TF_DeleteStatus(own);
    return ok;
}
