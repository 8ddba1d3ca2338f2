/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of a node. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_UTIL_H_
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/op_kernel.h"
#endif
