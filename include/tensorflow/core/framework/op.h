/* SPDX-License-Identifier: Apache-2.0 */
/* REGISTER_OP, OpRegistry. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_H_
#include "tensorflow/core/framework/op_def_builder.h"
#include "tensorflow/core/framework/op_registry.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/platform/macros.h"
#endif
