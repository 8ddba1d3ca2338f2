/* SPDX-License-Identifier: Apache-2.0 */
/* Graph building and import of c_api.h: named, not implemented. */
#include "c_api/absent.h"
#include "tensorflow/c/c_api.h"

/* clang-format off */

/* Graph, operation building */

/* Operation queries */

/* Operation attributes (read) */
ABSENT(TF_ImportGraphDefResults *, TF_GraphImportGraphDefWithResultsNoSerialization, (TF_Graph
    *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options, TF_Status *status),
    status, NULL)
/* clang-format on */
