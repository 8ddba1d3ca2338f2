/* SPDX-License-Identifier: Apache-2.0 */
/* MirrorPadMode, which attributes name. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_MIRROR_PAD_MODE_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_MIRROR_PAD_MODE_H_

#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

enum class MirrorPadMode { REFLECT = 1, SYMMETRIC = 2 };

/* ctx->GetAttr("mode", &mode). */
inline Status AttrFromText(StringPiece text, MirrorPadMode *out)
{
    if (text != "REFLECT" && text != "SYMMETRIC") {
        return errors::NotFound(text, " is not an allowed padding mode");
    }
    *out = text == "REFLECT" ? MirrorPadMode::REFLECT : MirrorPadMode::SYMMETRIC;
    return Status();
}
inline string GetMirrorPadModeAttrString()
{
    return "mode: {'REFLECT', 'SYMMETRIC'}";
}

} // namespace tensorflow

#endif
