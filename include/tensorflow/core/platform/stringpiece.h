/* SPDX-License-Identifier: Apache-2.0 */
/* StringPiece: absl::string_view. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_STRINGPIECE_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_STRINGPIECE_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{

using StringPiece = absl::string_view;
/* Abseil's class, where it is not the standard one, has no std::hash. */
struct StringPieceHasher {
    size_t operator()(StringPiece text) const
    {
        uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
        for (char c : text) {
            h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        }
        return static_cast<size_t>(h);
    }
};

} // namespace tensorflow

/* At the end: its tstring.h needs the above. Code expects the types of whoever includes this. */
#include "tensorflow/core/platform/types.h"

#endif
