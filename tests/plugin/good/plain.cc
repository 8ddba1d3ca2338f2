// SPDX-License-Identifier: Apache-2.0
// A C++ plugin that uses the C headers alone.
#include "add_one.h"
