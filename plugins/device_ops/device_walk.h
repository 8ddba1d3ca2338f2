/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over dense tensors with strides: the shapes that kernels of elements and moves take. */
#ifndef ORIBI_PLUGINS_DEVICE_OPS_WALK_H_
#define ORIBI_PLUGINS_DEVICE_OPS_WALK_H_

#include "device_ops/device_op.h"

/* Elements from one to the next along each dimension, OP_MAX_RANK at most; 0 along those of size 1.
 */
void walk_strides(const oribi_dims *dims, int32_t *strides);
/* For a number from 1 on. */
op_divisor walk_divisor(int32_t value);
/* Makes w over these dims of the output, OP_MAX_RANK at most; its strides are the caller's to set
 * before. Drops dimensions of size 1, joins those that lie behind each other in both operands,
 * fills n.
 */
void walk_close(op_walk *w, const oribi_dims *dims);
/* Allocates the output of x and y by the rules of broadcasting, and makes the walk. */
bool walk_broadcast(op_request *r, op_walk *w);

#endif
