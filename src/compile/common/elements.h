/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of tensors as emitted C has them. */
#ifndef ORIBI_COMPILE_COMMON_ELEMENTS_H_
#define ORIBI_COMPILE_COMMON_ELEMENTS_H_

#include <stdint.h>

#include "tensorflow/c/tf_datatype.h"

enum oribi_element_kind {
    ORIBI_ELEMENT_S8,
    ORIBI_ELEMENT_U8,
    ORIBI_ELEMENT_S16,
    ORIBI_ELEMENT_S32,
    ORIBI_ELEMENT_F32,
    ORIBI_ELEMENT_S64,
    ORIBI_ELEMENT_F64,
    ORIBI_ELEMENT_U32, /* these two are moved, and read by kernels that are for them alone */
    ORIBI_ELEMENT_U64
};
const char *oribi_element_c_type(int32_t kind);
int64_t oribi_element_bytes(int32_t kind);
int32_t oribi_element_kind_of(TF_DataType type); /* -1: none */
/* The same of numbers that kernels of any kind read: element.h has them. */
int32_t oribi_element_number_of(TF_DataType type);

#endif
