/* SPDX-License-Identifier: Apache-2.0 */
/* Python's library for plugins that are made as extensions of Python: they use its functions and
 * name no library that has them, since a Python interpreter has them itself. A real one is opened
 * before the plugin. Not here: Python code; nothing initialises the interpreter.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/log.h"
#include "plugin/plugin_internal.h"

static const char *find_need(const oribi_elf *elf)
{
    for (size_t i = 0; i < elf->others.count; i++) {
        const char *name = elf->others.items[i];
        const char *rest = name + (name[0] == '_');
        if (strncmp(rest, "Py", 2) == 0 && (rest[2] == '_' || (rest[2] >= 'A' && rest[2] <= 'Z'))) {
            return name;
        }
    }
    return NULL;
}

/* Is the program an interpreter, or has somebody opened its library for all? */
static bool is_visible(const char *name)
{
    oribi_dynlib *program = oribi_dynlib_open(NULL, 0, NULL);
    const bool found = oribi_dynlib_find(program, name) != NULL;
    oribi_dynlib_close(program);
    return found;
}

/* "_x.cpython-311-x86_64-linux-gnu.so" is for 3.11. */
static bool guess_name(const char *path, oribi_text *name)
{
    static const char tag[] = ".cpython-3";
    const char *at = strstr(oribi_path_name(path), tag);
    const size_t n = at ? strspn(at + sizeof tag - 1, "0123456789") : 0;
    if (n == 0) {
        return false;
    }
    oribi_text_printf(name, "libpython3.%.*s.so.1.0", (int)n, at + sizeof tag - 1);
    return true;
}

bool oribi__python_open(const char *path, const oribi_elf *elf, const oribi_plugin_options *options,
                        TF_Status *status)
{
    const char *file = oribi__plugin_option(options, "python");
    file = file ? file : getenv("ORIBI_PYTHON_LIBRARY");
    /* Of a library that is named the plugin's own imports say nothing: its siblings may need it. */
    const char *need = find_need(elf);
    need = need || !file ? need : "Py_Initialize";
    if (!need || is_visible(need)) {
        return true;
    }
    oribi_text guess = {0}, why = {0};
    if (!file && guess_name(path, &guess)) {
        file = oribi_text_string(&guess);
    }
    oribi_dynlib *python =
        file ? oribi_dynlib_open(file, ORIBI_DYNLIB_GLOBAL | ORIBI_DYNLIB_KEEP, &why) : NULL;
    oribi_dynlib_close(python);
    bool ok = python != NULL;
    if (!ok) {
        oribi_fail(status, TF_FAILED_PRECONDITION,
                   "plugin '%s': an extension of Python, it needs %s; name Python's library with "
                   "the option python=FILE or in ORIBI_PYTHON_LIBRARY%s%s%s",
                   path, need, file ? " (" : "", file ? oribi_text_string(&why) : "",
                   file ? ")" : "");
    } else {
        oribi_log(ORIBI_LOG_INFO, "plugin '%s': Python's functions come from '%s'", path, file);
    }
    oribi_text_destroy(&guess);
    oribi_text_destroy(&why);
    return ok;
}
