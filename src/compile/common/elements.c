/* SPDX-License-Identifier: Apache-2.0 */
/* What is an element called in C, and how large is it? */
#include "compile/common/elements.h"

const char *oribi_element_c_type(int32_t kind)
{
    static const char *const names[] = {"int8_t",  "uint8_t", "int16_t",  "int32_t", "float",
                                        "int64_t", "double",  "uint32_t", "uint64_t"};
    return names[kind];
}

int64_t oribi_element_bytes(int32_t kind)
{
    static const int64_t bytes[] = {1, 1, 2, 4, 4, 8, 8, 4, 8};
    return bytes[kind];
}

int32_t oribi_element_kind_of(TF_DataType type)
{
    switch (type) {
    case TF_INT8:
        return ORIBI_ELEMENT_S8;
    case TF_UINT8:
    case TF_BOOL: /* 0 or 1 */
        return ORIBI_ELEMENT_U8;
    case TF_INT16:
        return ORIBI_ELEMENT_S16;
    case TF_INT32:
        return ORIBI_ELEMENT_S32;
    case TF_FLOAT:
        return ORIBI_ELEMENT_F32;
    case TF_INT64:
        return ORIBI_ELEMENT_S64;
    case TF_DOUBLE:
        return ORIBI_ELEMENT_F64;
    case TF_UINT32:
        return ORIBI_ELEMENT_U32;
    case TF_UINT64:
        return ORIBI_ELEMENT_U64;
    default:
        return -1;
    }
}

int32_t oribi_element_number_of(TF_DataType type)
{
    const int32_t kind = oribi_element_kind_of(type);
    return kind <= ORIBI_ELEMENT_F64 ? kind : -1;
}
