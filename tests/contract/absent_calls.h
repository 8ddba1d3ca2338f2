/* SPDX-License-Identifier: Apache-2.0 */
/* Made by tests/contract/list.py: one call of each function that is only named. A returns nothing,
 * B a value; the name is followed by 1 where the function has a status.
 */
/* clang-format off */
A(TF_CoordinationServiceDeleteKeyValue, 1, TF_CoordinationServiceDeleteKeyValue(NULL, NULL, status))
B(TF_CoordinationServiceGetKeyValue, 1, TF_CoordinationServiceGetKeyValue(NULL, NULL, status))
B(TF_CoordinationServiceGetKeyValueWithTimeout, 1,
    TF_CoordinationServiceGetKeyValueWithTimeout(NULL, 0, NULL, status))
A(TF_CoordinationServiceInsertKeyValue, 1, TF_CoordinationServiceInsertKeyValue(NULL, NULL, NULL,
    status))
B(TF_CoordinationServiceTryGetKeyValue, 1, TF_CoordinationServiceTryGetKeyValue(NULL, NULL, status))
A(TF_CreateAndSetPjRtCApiClient, 1, TF_CreateAndSetPjRtCApiClient(NULL, status, NULL, 0))
A(TF_CreatePjRtBuffer, 1, TF_CreatePjRtBuffer(NULL, NULL, NULL, status))
A(TF_DeleteServer, 0, TF_DeleteServer(NULL))
B(TF_GetPjRtCBuffer, 1, TF_GetPjRtCBuffer(NULL, status))
B(TF_GetPjRtCClient, 1, TF_GetPjRtCClient(NULL, status))
B(TF_GraphImportGraphDefWithResultsNoSerialization, 1,
    TF_GraphImportGraphDefWithResultsNoSerialization(NULL, NULL, NULL, status))
B(TF_NewServer, 1, TF_NewServer(NULL, 0, status))
A(TF_RegisterFilesystemPlugin, 1, TF_RegisterFilesystemPlugin(NULL, status))
A(TF_ResetPjRtCClient, 1, TF_ResetPjRtCClient(NULL, status))
A(TF_ServerJoin, 1, TF_ServerJoin(NULL, status))
A(TF_ServerStart, 1, TF_ServerStart(NULL, status))
A(TF_ServerStop, 1, TF_ServerStop(NULL, status))
B(TF_ServerTarget, 0, TF_ServerTarget(NULL))
/* clang-format on */
