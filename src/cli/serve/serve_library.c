/* SPDX-License-Identifier: Apache-2.0 */
/* Opens libmicrohttpd; see serve_library.h. SERVE_LIBRARY_NAME comes from the build. */
#include "serve/serve_library.h"

#include <dlfcn.h>
#include <string.h>

#include "cli.h"

bool serve_library_open(serve_library *out)
{
    void *library = dlopen(SERVE_LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL); /* for as long as we are */
    if (library == NULL) {
        cli_error("serve: no libmicrohttpd (Debian: libmicrohttpd12): %s", dlerror());
        return false;
    }
#define SERVE_LIBRARY_FIND(name)                                                                   \
    {                                                                                              \
        void *symbol = dlsym(library, "MHD_" #name);                                               \
        if (symbol == NULL) {                                                                      \
            cli_error("serve: %s has no MHD_%s", SERVE_LIBRARY_NAME, #name);                       \
            return false;                                                                          \
        }                                                                                          \
        memcpy(&out->name, &symbol, sizeof symbol);                                                \
    }
    SERVE_LIBRARY_FUNCTIONS(SERVE_LIBRARY_FIND)
#undef SERVE_LIBRARY_FIND
    return true;
}
