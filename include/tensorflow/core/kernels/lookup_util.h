/* SPDX-License-Identifier: Apache-2.0 */
/* lookup::GetLookupTable: the table that an input names; its types. */
#ifndef ORIBI_TENSORFLOW_CORE_KERNELS_LOOKUP_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_KERNELS_LOOKUP_UTIL_H_

#include "tensorflow/core/resource/lookup_interface.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace lookup
{

/* *table carries a reference for the caller. The handle is that of this plugin's own table. */
inline Status GetResourceLookupTable(StringPiece input, OpKernelContext *ctx,
                                     LookupInterface **table)
{
    ResourceHandle handle;
    TF_RETURN_IF_ERROR(HandleFromInput(ctx, input, &handle));
    return LookupResource(ctx, handle, table);
}
inline Status GetLookupTable(StringPiece input, OpKernelContext *ctx, LookupInterface **table)
{
    return GetResourceFromContext(ctx, string(input), table);
}
inline Status CheckTableDataTypes(const LookupInterface &table, DataType key, DataType value,
                                  const string &name)
{
    return table.key_dtype() == key && table.value_dtype() == value
               ? Status()
               : errors::InvalidArgument("Conflicting key/value dtypes ", DataTypeString(key), "->",
                                         DataTypeString(value), " with ",
                                         DataTypeString(table.key_dtype()), "-",
                                         DataTypeString(table.value_dtype()), " for table ", name);
}

} // namespace lookup
} // namespace tensorflow

#endif
