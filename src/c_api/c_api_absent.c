/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of c_api.h: named, not implemented. What works of it is in src/binding. */
#include "c_api/absent.h"
#include "tensorflow/c/c_api.h"

/* clang-format off */

/* Imports of objects of C++ */
ABSENT(TF_ImportGraphDefResults *, TF_GraphImportGraphDefWithResultsNoSerialization, (TF_Graph
    *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options, TF_Status *status),
    status, NULL)

/* Server */
ABSENT(TF_Server *, TF_NewServer, (const void *proto, size_t proto_len, TF_Status *status), status,
    NULL)
ABSENT_VOID(TF_ServerStart, (TF_Server *server, TF_Status *status), status)
ABSENT_VOID(TF_ServerStop, (TF_Server *server, TF_Status *status), status)
ABSENT_VOID(TF_ServerJoin, (TF_Server *server, TF_Status *status), status)
ABSENT(const char *, TF_ServerTarget, (TF_Server *server), NULL, NULL)
ABSENT_VOID(TF_DeleteServer, (TF_Server *server), NULL)

/* Python-only / internal */
ABSENT_VOID(TF_RegisterFilesystemPlugin, (const char *plugin_filename, TF_Status *status), status)
/* clang-format on */
