/* SPDX-License-Identifier: Apache-2.0 */
/* Stream executors by their names alone, for code that includes them for GPUs and is built for the
 * CPU: the classes are not there. Status and StatusOr are the face's. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_STREAM_EXECUTOR_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_STREAM_EXECUTOR_H_

#include "tensorflow/core/platform/status.h"

namespace stream_executor ORIBI_HIDDEN
{

class DeviceMemoryBase;
class Stream;
class StreamExecutor;
namespace port
{
using tensorflow::Status;
using tensorflow::StatusOr;
} // namespace port

} // namespace stream_executor

namespace tensorflow
{
namespace se = ::stream_executor;
}
namespace perftools
{
namespace gputools = ::stream_executor;
}

#endif
