// SPDX-License-Identifier: Apache-2.0
// A plugin of which a part is in a library beside it; unoptimised code of the C++ library in it.
#include <sstream>

#include "add_one.h"

namespace vendor
{
int answer();
}

extern "C" __attribute__((visibility("default"))) const char *vendor_text();

const char *vendor_text()
{
    static std::string text;
    std::ostringstream out;
    out << vendor::answer();
    text = out.str();
    return text.c_str();
}
