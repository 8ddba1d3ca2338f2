/* SPDX-License-Identifier: Apache-2.0 */
/* Another path of the same header. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_DEF_PB_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_DEF_PB_H_
#include "tensorflow/core/framework/op_def_builder.h"
#endif
