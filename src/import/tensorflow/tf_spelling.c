/* SPDX-License-Identifier: Apache-2.0 */
/* What are names of the file today? Ops that were replaced by one with the same inputs and outputs
 * and with attributes of which those that are left mean the same; outputs of ops that are made of
 * others.
 */
#include <string.h>

#include "import/tensorflow/tensorflow.h"

static const struct {
    const char *old, *today;
} rows[] = {
    {"BatchFFT", "FFT"},
    {"BatchFFT2D", "FFT2D"},
    {"BatchIFFT", "IFFT"},
    {"BatchIFFT2D", "IFFT2D"},
    {"BatchCholesky", "Cholesky"},
    {"BatchMatMul", "BatchMatMulV2"},
    {"BatchMatMulV3", "BatchMatMulV2"},
    {"BatchMatrixBandPart", "MatrixBandPart"},
    {"BatchMatrixDeterminant", "MatrixDeterminant"},
    {"BatchMatrixDiag", "MatrixDiag"},
    {"BatchMatrixDiagPart", "MatrixDiagPart"},
    {"BatchMatrixInverse", "MatrixInverse"},
    {"BatchMatrixSetDiag", "MatrixSetDiag"},
    {"BatchMatrixSolve", "MatrixSolve"},
    {"DebugGradientIdentity", "Identity"},
    {"FusedBatchNormV2", "FusedBatchNormV3"},
    {"HashTable", "HashTableV2"},
    {"InitializeTable", "InitializeTableV2"},
    {"InitializeTableFromTextFile", "InitializeTableFromTextFileV2"},
    {"Inv", "Reciprocal"},
    {"LookupTableFind", "LookupTableFindV2"},
    {"LookupTableImport", "LookupTableImportV2"},
    {"LookupTableSize", "LookupTableSizeV2"},
    {"MutableHashTable", "MutableHashTableV2"},
    {"ParallelDynamicStitch", "DynamicStitch"},
    {"PlaceholderV2", "Placeholder"},
    {"RefEnter", "Enter"},
    {"RefExit", "Exit"},
    {"RefIdentity", "Identity"},
    {"RefMerge", "Merge"},
    {"RefNextIteration", "NextIteration"},
    {"RefSwitch", "Switch"},
    {"StatefulPartitionedCall", "PartitionedCall"},
    {"StatelessCase", "Case"},
    {"StatelessIf", "If"},
    {"StatelessWhile", "While"},
    {"Variable", "VariableV2"},
};

oribi_string oribi_tf_spelling(oribi_string op)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (oribi_string_is(op, rows[i].old)) {
            return (oribi_string){rows[i].today, strlen(rows[i].today)};
        }
    }
    return op;
}

/* In functions outputs have names. */
static const struct {
    const char *op, *outputs;
} named[] = {
    {"Merge", "output value_index"},
    {"Switch", "output_false output_true"},
    {"TensorArrayConcatV3", "value lengths"},
    {"TensorArrayV3", "handle flow"},
    {"TensorListConcat", "tensor lengths"},
    {"TensorListConcatV2", "tensor lengths"},
    {"TensorListPopBack", "output_handle tensor"},
};

int32_t oribi_tf_argument(oribi_string op, oribi_string argument)
{
    int32_t place = 0;
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (!oribi_string_is(op, named[i].op)) {
            continue;
        }
        for (const char *at = named[i].outputs; at != NULL; place++) {
            const char *end = strchr(at, ' ');
            const oribi_string name = {at, end != NULL ? (size_t)(end - at) : strlen(at)};
            if (oribi_string_same(name, argument)) {
                return place;
            }
            at = end != NULL ? end + 1 : NULL;
        }
    }
    return 0;
}
