/* SPDX-License-Identifier: Apache-2.0 */
/* StringPiece: absl::string_view. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_STRINGPIECE_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_STRINGPIECE_H_

#include "absl/strings/string_view.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

using StringPiece = absl::string_view;
using StringPieceHasher = std::hash<absl::string_view>;

} // namespace tensorflow

#endif
