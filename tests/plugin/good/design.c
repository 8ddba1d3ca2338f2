/* SPDX-License-Identifier: Apache-2.0 */
/* As the design writes a plugin: its one entry point is InitPlugin. With TF_InitKernel beside it
 * that one counts, and InitPlugin is a function like any other.
 */
#include "add_one.h"

EXPORT void InitPlugin(void);

static void add(const char *name)
{
    TF_Status *status = TF_NewStatus();
    if (status) {
        register_add_one(name, status);
    }
    TF_DeleteStatus(status);
}

EXPORT void InitPlugin(void)
{
#ifdef WITH_INIT_KERNEL
    add("TestDesignNever");
#else
    add("TestDesign");
#endif
}

#ifdef WITH_INIT_KERNEL
EXPORT void TF_InitKernel(void)
{
    add("TestDesignOwn");
}
#endif
