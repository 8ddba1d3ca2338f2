// SPDX-License-Identifier: Apache-2.0
// The library that a vendor's plugin brings along: it needs TensorFlow's, and shows C++ names.
#include "tensorflow/c/tf_status.h"

namespace vendor
{
__attribute__((visibility("default"))) int answer();

int answer()
{
    TF_Status *status = TF_NewStatus();
    const int code = static_cast<int>(TF_GetCode(status));
    TF_DeleteStatus(status);
    return code + 1;
}
} // namespace vendor
