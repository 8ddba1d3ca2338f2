/* SPDX-License-Identifier: Apache-2.0 */
/* CurrentStackTrace: the addresses that lead here. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_STACKTRACE_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_STACKTRACE_H_

#include <execinfo.h>
#include <cstdlib>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

inline string CurrentStackTrace()
{
    void *places[64];
    const int n = ::backtrace(places, 64);
    char **names = ::backtrace_symbols(places, n);
    string out;
    for (int i = 0; names != nullptr && i < n; i++) {
        out += string(names[i]) + "\n";
    }
    std::free(names);
    return out;
}

} // namespace tensorflow

#endif
