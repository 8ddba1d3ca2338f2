/* SPDX-License-Identifier: Apache-2.0 */
/* What are names of the file today? Ops that were replaced by one with the same inputs and outputs
 * and with attributes of which those that are left mean the same; outputs of ops that are made of
 * others.
 */
#include <string.h>

#include "import/tensorflow/tf_emit.h"

static const struct {
    const char *old, *today;
} rows[] = {
    {"BatchMatMul", "BatchMatMulV2"},
    {"BatchMatMulV3", "BatchMatMulV2"},
    {"BatchMatrixBandPart", "MatrixBandPart"},
    {"BatchMatrixDeterminant", "MatrixDeterminant"},
    {"BatchMatrixDiag", "MatrixDiag"},
    {"BatchMatrixDiagPart", "MatrixDiagPart"},
    {"BatchMatrixSetDiag", "MatrixSetDiag"},
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

int32_t oribi_tf_argument(void *scope, oribi_string op, oribi_string argument)
{
    oribi_tf_row row;
    const bool is_row = oribi_tf_row_of(op, &row);
    const char *at = is_row ? row.outputs : NULL;
    for (int32_t place = 0; at != NULL; place++) {
        const char *end = strchr(at, ' ');
        const oribi_string name = {at, end != NULL ? (size_t)(end - at) : strlen(at)};
        if (oribi_string_same(name, argument)) {
            return place;
        }
        at = end != NULL ? end + 1 : NULL;
    }
    return !is_row ? oribi_tf_function_output(((oribi_tf_scope *)scope)->tf, op, argument) : 0;
}
