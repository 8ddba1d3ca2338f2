/* SPDX-License-Identifier: Apache-2.0 */
/* io::JoinPath and the parts of a path. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_IO_PATH_H_
#define ORIBI_TENSORFLOW_CORE_LIB_IO_PATH_H_

#include "tensorflow/core/platform/str_util.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace io
{

inline string JoinPath(StringPiece a, StringPiece b)
{
    if (a.empty() || b.empty()) {
        return string(a.empty() ? b : a);
    }
    absl::ConsumeSuffix(&a, "/");
    absl::ConsumePrefix(&b, "/");
    return strings::StrCat(a, "/", b);
}
template <typename... R> string JoinPath(StringPiece a, StringPiece b, const R &...rest)
{
    return JoinPath(JoinPath(a, b), rest...);
}
inline StringPiece Basename(StringPiece path)
{
    const size_t at = path.rfind('/');
    return at == StringPiece::npos ? path : path.substr(at + 1);
}
inline StringPiece Dirname(StringPiece path)
{
    const size_t at = path.rfind('/');
    return at == StringPiece::npos ? StringPiece() : path.substr(0, at == 0 ? 1 : at);
}
inline StringPiece Extension(StringPiece path)
{
    const StringPiece base = Basename(path);
    const size_t at = base.rfind('.');
    return at == StringPiece::npos ? base.substr(base.size()) : base.substr(at + 1);
}

} // namespace io
} // namespace tensorflow

#endif
