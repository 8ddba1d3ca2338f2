/* SPDX-License-Identifier: Apache-2.0 */
/* Padding: how windows meet the border; read from attributes. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_PADDING_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_PADDING_H_

#include "tensorflow/core/platform/errors.h"

namespace tensorflow ORIBI_HIDDEN
{

enum Padding { VALID = 1, SAME = 2, EXPLICIT = 3 };

inline Status GetPaddingFromString(StringPiece text, Padding *value)
{
    if (text == "SAME" || text == "VALID" || text == "EXPLICIT") {
        *value = text == "SAME" ? SAME : text == "VALID" ? VALID : EXPLICIT;
        return Status();
    }
    return errors::NotFound(text, " is not an allowed padding type");
}
inline string GetPaddingAttrString()
{
    return "padding: {'SAME', 'VALID'}";
}

} // namespace tensorflow

#endif
