/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a child behind in the probe, which holds the pipes open and notes its number in the file
 * that the option `pid` names; harmless elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tensorflow/c/kernels_extension.h"

void TF_InitKernel(void);
void TF_InitKernel(void)
{
    const char *probe = getenv("ORIBI_PLUGIN_PROBE");
    if (!probe || probe[0]) {
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    const char *path = TF_PluginOption("pid");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%d", (int)child);
        fclose(file);
    }
}
