/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices do sessions and contexts have? */
#ifndef ORIBI_BINDING_BINDING_DEVICE_H_
#define ORIBI_BINDING_BINDING_DEVICE_H_

#include "tensorflow/c/c_api.h"

#define ORIBI_BINDING_CPU "/job:localhost/replica:0/task:0/device:CPU:0"

/* The caller deletes it; NULL: no memory, status set. */
TF_DeviceList *oribi_binding_list_devices(TF_Status *status);

#endif
