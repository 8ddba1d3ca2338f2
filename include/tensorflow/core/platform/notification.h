/* SPDX-License-Identifier: Apache-2.0 */
/* Notification. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_NOTIFICATION_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_NOTIFICATION_H_

#include "absl/synchronization/notification.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

using absl::Notification;

} // namespace tensorflow

#endif
