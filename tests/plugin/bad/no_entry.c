/* SPDX-License-Identifier: Apache-2.0 */
/* A library, but no plugin. */
int acme_answer(void);
int acme_answer(void)
{
    return 42;
}
