/* SPDX-License-Identifier: Apache-2.0 */
/* The pools of memory that a model may use, in the order in which they are preferred: those of
 * --pool name=sram,size=64k, or one without limit that is called "workspace".
 */
#include <string.h>

#include "compile/compile_internal.h"
#include "tensor/status.h"

/* The value of `key` in "name=sram,size=64k"; NULL: no memory or no such key. */
static char *value_of(oribi_arena *arena, const char *text, const char *key)
{
    const size_t length = strlen(key);
    while (*text != 0) {
        const size_t n = strcspn(text, ",");
        if (n > length && memcmp(text, key, length) == 0 && text[length] == '=') {
            return oribi_arena_strndup(arena, text + length + 1, n - length - 1);
        }
        text += n + (text[n] == ',');
    }
    return NULL;
}

static bool add_pool(oribi_compile *c, const char *name, uint64_t bytes, TF_Status *status)
{
    for (int32_t i = 0; name != NULL && i < c->n_pools; i++) {
        if (strcmp(c->pools[i].name, name) == 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "two pools are called '%s'", name);
        }
    }
    if (c->n_pools == ORIBI_POOLS) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "there may be %d pools at most",
                          ORIBI_POOLS);
    }
    char *macro = name == NULL ? NULL : oribi_compile_upper(&c->arena, name);
    if (macro == NULL) {
        return oribi_fail_memory(status);
    }
    c->pools[c->n_pools++] = (oribi_pool){.name = name, .macro = macro, .max_bytes = bytes};
    c->pools_are_limited = c->pools_are_limited || bytes > 0;
    return true;
}

/* Names that emitted functions use for something else. */
static bool is_taken(const char *name)
{
    static const char *const taken[] = {"weights", "state", "inputs",         "outputs",
                                        "index",   "args",  "from",           "to",
                                        "devices", "code",  "workspace_pools"};
    bool is = false;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        is = is || strcmp(name, taken[i]) == 0;
    }
    return is;
}

bool oribi_compile_is_pool(const char *text, const char **out_wanted)
{
    oribi_arena arena = {0};
    int32_t n_good = 0, n_parts = 0;
    *out_wanted = "name=NAME[,size=BYTES], a name of letters, digits and '_', no word of C "
                  "and none that the C uses itself";
    for (const char *at = text; at[0] != 0;
         at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        n_parts++;
    }
    const char *name = value_of(&arena, text, "name"), *size = value_of(&arena, text, "size");
    uint64_t bytes;
    if (name != NULL) {
        const char *identifier = oribi_compile_identifier(&arena, name);
        n_good += identifier != NULL && strcmp(identifier, name) == 0 && !is_taken(name);
    }
    n_good += size != NULL && oribi_option_size(size, &bytes);
    const bool is_good = name != NULL && n_good == n_parts;
    oribi_arena_destroy(&arena);
    return is_good;
}

bool oribi_compile_pools(oribi_compile *c, TF_Status *status)
{
    const oribi_option_list *list = &c->options.pools;
    for (int32_t i = 0; i < list->n; i++) {
        const char *size = value_of(&c->arena, list->items[i], "size");
        uint64_t bytes = 0;
        if (size != NULL) {
            (void)oribi_option_size(size, &bytes);
        }
        ORIBI_TRY(add_pool(c, value_of(&c->arena, list->items[i], "name"), bytes, status));
    }
    return list->n > 0 || add_pool(c, "workspace", 0, status);
}
