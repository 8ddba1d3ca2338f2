/* SPDX-License-Identifier: Apache-2.0 */
/* May a tensor of one type stand for one of another? NumPy's arrays are float64 and int64 unless
 * somebody says otherwise, and models want float32 and int32. Whole numbers must arrive as they
 * are; a float may be rounded to a narrower one, but not to an infinity.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static bool is_real(TF_DataType type)
{
    return type == TF_FLOAT || type == TF_DOUBLE || type == TF_HALF || type == TF_BFLOAT16;
}

static bool is_whole(TF_DataType type)
{
    switch ((int)type) {
    case TF_INT8:
    case TF_INT16:
    case TF_INT32:
    case TF_INT64:
    case TF_UINT8:
    case TF_UINT16:
    case TF_UINT32:
    case TF_UINT64:
    case TF_BOOL:
        return true;
    default:
        return false;
    }
}

/* Whole numbers go through text, which is exact in both directions (element.c). A real that is a
 * whole number has no digits behind its point there, so that it can become one. */
static bool cast_element(const TF_Tensor *from, TF_Tensor *to, int64_t i)
{
    const TF_DataType type = TF_TensorType(to);
    char text[64];

    if (is_real(TF_TensorType(from)) && type == TF_DOUBLE) {
        ((double *)TF_TensorData(to))[i] = cli_element(from, i);
        return true;
    }
    if (is_real(TF_TensorType(from)) && type == TF_FLOAT) {
        const double value = cli_element(from, i);
        const float narrow = (float)value;
        ((float *)TF_TensorData(to))[i] = narrow;
        return isfinite(narrow) || !isfinite(value);
    }

    cli_element_format(from, i, text, sizeof text);
    const char *end = cli_element_parse(to, i, text);
    if (end == NULL || *end != 0) {
        return false;
    }
    /* a whole number that a real cannot hold would come back as another */
    return !is_whole(TF_TensorType(from)) || !is_real(type) ||
           cli_element(to, i) == cli_element(from, i);
}

TF_Tensor *cli_tensor_cast(TF_Tensor *tensor, TF_DataType type, const char *what)
{
    const TF_DataType from = TF_TensorType(tensor);
    cli_dims dims = {0};

    if (from == type || !(is_real(from) || is_whole(from)) || !(is_real(type) || is_whole(type))) {
        return tensor; /* the session says what does not fit */
    }
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        (void)cli_dims_add(&dims, TF_Dim(tensor, i));
    }
    TF_Tensor *out = cli_tensor(type, &dims);
    for (int64_t i = 0; out != NULL && i < TF_TensorElementCount(tensor); i++) {
        char text[64];
        if (!cast_element(tensor, out, i)) {
            cli_element_format(tensor, i, text, sizeof text);
            cli_error("%s: element %lld is %s, which is no %s; the file has %s", what, (long long)i,
                      text, cli_type_name(type), cli_type_name(from));
            TF_DeleteTensor(out);
            out = NULL;
        }
    }
    TF_DeleteTensor(tensor);
    return out;
}
