/* SPDX-License-Identifier: Apache-2.0 */
/* The construction context, shared by the construction*.c files. */
#ifndef ORIBI_KERNEL_CONSTRUCTION_INTERNAL_H_
#define ORIBI_KERNEL_CONSTRUCTION_INTERNAL_H_

#include "kernel/kernel.h"

struct TF_OpKernelConstruction {
    const oribi_node_view *node;
    const oribi_kernel_def *def;
    TF_Status *failure; /* first failure wins */
    oribi_arena arena;  /* strides of constant views; dies with the call */
    oribi_packed *packed;
};

/* Protobuf of a node and of a function attribute; NULL: no memory. Made with the C heap. */
TF_Buffer *oribi_node_def_write(const oribi_node_view *node);

#endif
