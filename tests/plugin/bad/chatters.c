/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a megabyte to each stream in the probe, verdict lines among it. */
#include <stdio.h>
#include <stdlib.h>

void TF_InitKernel(void);
void TF_InitKernel(void)
{
    const char *probe = getenv("ORIBI_PLUGIN_PROBE");
    for (int i = 0; probe && !probe[0] && i < 40000; i++) {
        puts("verdict 13 this is not a verdict");
        fputs("all work and no play makes\n", stderr);
    }
}
