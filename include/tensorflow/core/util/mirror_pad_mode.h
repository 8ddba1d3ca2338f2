/* SPDX-License-Identifier: Apache-2.0 */
/* MirrorPadMode. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_MIRROR_PAD_MODE_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_MIRROR_PAD_MODE_H_

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

enum class MirrorPadMode { REFLECT = 1, SYMMETRIC = 2 };

inline string GetMirrorPadModeAttrString()
{
    return "mode: {'REFLECT', 'SYMMETRIC'}";
}

} // namespace tensorflow

#endif
