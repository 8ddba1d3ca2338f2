/* SPDX-License-Identifier: Apache-2.0 */
/* Padding: how windows meet the border; read from attributes. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_PADDING_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_PADDING_H_

#include <vector>

#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/util/tensor_format.h"

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
/* ctx->GetAttr("padding", &padding). */
inline Status AttrFromText(StringPiece text, Padding *out)
{
    return GetPaddingFromString(text, out);
}
/* Whether the pairs in the attribute explicit_paddings fit the kind of padding: one for each
 * dimension, none below 0, and 0 for those over which no window goes. */
inline Status CheckValidPadding(Padding padding, const std::vector<int64> &pairs, int dims,
                                TensorFormat format)
{
    if (padding != EXPLICIT) {
        return pairs.empty() ? Status()
                             : errors::InvalidArgument("explicit_paddings attribute must be empty "
                                                       "if the padding attribute is not EXPLICIT");
    }
    if (static_cast<int>(pairs.size()) != 2 * dims) {
        return errors::InvalidArgument("explicit_paddings attribute must contain ", 2 * dims,
                                       " values, but got: ", pairs.size());
    }
    for (int64 pad : pairs) {
        if (pad < 0) {
            return errors::InvalidArgument(
                "All elements of explicit_paddings must be nonnegative, not ", pad);
        }
    }
    for (int at : {GetTensorBatchDimIndex(dims, format), GetTensorFeatureDimIndex(dims, format)}) {
        if (pairs[static_cast<size_t>(2 * at)] != 0 ||
            pairs[static_cast<size_t>(2 * at + 1)] != 0) {
            return errors::InvalidArgument(
                "Nonzero explicit padding in the batch or depth dimensions is not supported");
        }
    }
    return Status();
}
inline string GetPaddingAttrString()
{
    return "padding: {'SAME', 'VALID'}";
}
inline string GetPaddingAttrStringWithExplicit()
{
    return "padding: {'SAME', 'VALID', 'EXPLICIT'}";
}
inline string GetExplicitPaddingsAttrString()
{
    return "explicit_paddings: list(int) = []";
}

} // namespace tensorflow

#endif
