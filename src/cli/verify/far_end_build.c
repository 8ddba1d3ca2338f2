/* SPDX-License-Identifier: Apache-2.0 */
/* A driver's far end as a shared object of this machine: built from its folder, then loaded. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "far_end.h"
#include "verify.h"

static void name_library(const driver_kind *kind, const char *folder, char *out, size_t size)
{
    snprintf(out, size, "%s%sfar_end_%s.so", folder != NULL ? folder : "",
             folder != NULL ? "/" : "", kind->name);
}

int far_end_build(const driver_kind *kind, const char *folder)
{
    verify_words *words = cli_alloc(sizeof *words);
    const char *cc = getenv("CC");
    char name[128];
    verify_words_split(words, cc != NULL && cc[0] != 0 ? cc : "cc");
    verify_words_split(words, "-std=c99 -D_GNU_SOURCE -O2 -g -fPIC -shared -Iinclude");
    driver_words_include(words, kind);
    driver_words(words, &kind->far_end.flags);
    for (int i = 0; i < kind->far_end.sources.n; i++) {
        driver_words_path(words, "", kind, kind->far_end.sources.at[i]);
    }
    verify_words_split(words, "-o");
    name_library(kind, NULL, name, sizeof name);
    verify_words_add(words, name);
    driver_words(words, &kind->far_end.link);
    const int code = verify_tool_run(words, folder, "gcc", "the far end");
    free(words);
    return code;
}

static far_end_function *find(const far_end *end, const char *name)
{
    far_end_function *function;
    void *symbol = dlsym(end->library, name);
    if (symbol == NULL) {
        cli_error("%s/driver.json: kinds.%s.far_end: its sources define no function '%s'",
                  end->kind->folder, end->kind->name, name);
    }
    memcpy(&function, &symbol, sizeof function); /* C has no other way from one to the other */
    return function;
}

bool far_end_load(far_end *end, const driver_kind *kind, const char *folder)
{
    const size_t size = strlen(folder) + 128;
    char *path = cli_alloc(size);
    name_library(kind, folder, path, size);
    end->kind = kind;
    end->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (end->library == NULL) {
        cli_error("the far end of '%s' cannot be loaded: %s", kind->name, dlerror());
    }
    free(path);
    if (end->library == NULL) {
        return false;
    }
    end->serve = find(end, kind->far_end.serve);
    end->prepare = kind->far_end.prepare != NULL ? find(end, kind->far_end.prepare) : NULL;
    return end->serve != NULL && (end->prepare != NULL || kind->far_end.prepare == NULL);
}

void far_end_unload(far_end *end)
{
    if (end->library != NULL) {
        (void)dlclose(end->library);
        end->library = NULL;
    }
}
