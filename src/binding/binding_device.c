/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that sessions have: one, the host's processors. Devices of plugins are chosen by options
 * of oribi.h, which these functions do not have.
 */
#include "base/alloc.h"
#include "base/thread.h"
#include "binding/binding.h"
#include "binding/binding_device.h"

struct TF_DeviceList {
    int count;
};

TF_DeviceList *oribi_binding_list_devices(TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    TF_DeviceList *list = oribi_alloc_zero(1, sizeof *list);
    if (list == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    list->count = 1;
    return list;
}

TF_DeviceList *TF_SessionListDevices(TF_Session *session, TF_Status *status)
{
    (void)session;
    return oribi_binding_list_devices(status);
}

void TF_DeleteDeviceList(TF_DeviceList *list)
{
    oribi_free(list);
}

int TF_DeviceListCount(const TF_DeviceList *list)
{
    return list->count;
}

static bool has(const TF_DeviceList *list, int index, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    return (index >= 0 && index < list->count) ||
           oribi_fail(status, TF_INVALID_ARGUMENT, "index out of bounds: %d of %d devices", index,
                      list->count);
}

const char *TF_DeviceListName(const TF_DeviceList *list, int index, TF_Status *status)
{
    return has(list, index, status) ? ORIBI_BINDING_CPU : NULL;
}

const char *TF_DeviceListType(const TF_DeviceList *list, int index, TF_Status *status)
{
    return has(list, index, status) ? "CPU" : NULL;
}

int64_t TF_DeviceListMemoryBytes(const TF_DeviceList *list, int index, TF_Status *status)
{
    return has(list, index, status) ? (int64_t)oribi_memory_limit_bytes() : -1;
}

uint64_t TF_DeviceListIncarnation(const TF_DeviceList *list, int index, TF_Status *status)
{
    return has(list, index, status) ? 1 : 0;
}
