/* SPDX-License-Identifier: Apache-2.0 */
/* Brings a device and a graph optimiser, which are for later versions. */
void SE_InitPlugin(void *params, void *status);
void TF_InitGraph(void *params, void *status);
void SE_InitPlugin(void *params, void *status)
{
    (void)params;
    (void)status;
}
void TF_InitGraph(void *params, void *status)
{
    (void)params;
    (void)status;
}
