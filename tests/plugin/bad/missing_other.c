/* SPDX-License-Identifier: Apache-2.0 */
/* Needs a function of a library that it forgot to name. */
void acme_start_engine(void);
void TF_InitKernel(void);
void TF_InitKernel(void)
{
    acme_start_engine();
}
