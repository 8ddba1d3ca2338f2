/* SPDX-License-Identifier: Apache-2.0 */
/* port::kLittleEndian. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_BYTE_ORDER_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_BYTE_ORDER_H_

#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace port
{

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

} // namespace port
} // namespace tensorflow

#endif
