/* SPDX-License-Identifier: Apache-2.0 */
/* A device plugin that fills in nothing: refused by the name of the first member that is missing.
 */
void SE_InitPlugin(void *params, void *status);
void SE_InitPlugin(void *params, void *status)
{
    (void)params;
    (void)status;
}
