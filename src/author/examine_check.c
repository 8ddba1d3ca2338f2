/* SPDX-License-Identifier: Apache-2.0 */
/* Judgement of a plugin's file: what would stop it on another machine or in another host. One
 * function for each question; each finding says what to do about it. Contract: examine.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/examine.h"

enum {
#define RULE(number, severity, name, what, why, remedy) number,
#include "author/rules.inc"
#undef RULE
    N_RULES
};

static const struct {
    const char *number, *severity, *name, *what, *why, *remedy;
} rules[] = {
#define RULE(number, severity, name, what, why, remedy)                                            \
    {#number, severity, name, what, why, remedy},
#include "author/rules.inc"
#undef RULE
};

typedef struct judge {
    oribi_json *json;
    const oribi_elf *elf;
    int n_errors;
} judge;

static void say(judge *j, int rule, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void say(judge *j, int rule, const char *format, ...)
{
    oribi_text message = {0};
    va_list args;
    va_start(args, format);
    oribi_text_vprintf(&message, format, args);
    va_end(args);
    j->n_errors += strcmp(rules[rule].severity, "error") == 0;
    oribi_json_open(j->json, '{');
    oribi_json_put_string(j->json, "rule", rules[rule].number);
    oribi_json_put_string(j->json, "severity", rules[rule].severity);
    oribi_json_put_string(j->json, "name", rules[rule].name);
    oribi_json_put_string(j->json, "message", oribi_text_string(&message));
    oribi_json_close(j->json, '}');
    oribi_text_destroy(&message);
}

static bool begins(const char *text, const char *const *prefixes)
{
    for (; *prefixes; prefixes++) {
        if (strncmp(text, *prefixes, strlen(*prefixes)) == 0) {
            return true;
        }
    }
    return false;
}

static void judge_entries(judge *j)
{
    size_t n_entries = 0;
    oribi_text more = {0};
    for (int e = 0; e < ORIBI_N_ENTRIES; e++) {
        n_entries += j->elf->has_entry[e];
    }
    if (n_entries == 0) {
        say(j, P001, "exports none of " ORIBI_ENTRY_POINTS_TEXT);
    }
    const size_t n_more = j->elf->exports.count - n_entries;
    for (size_t i = 0, listed = 0; i < j->elf->exports.count && listed < 5; i++) {
        const char *const entries[] = {"SE_InitPlugin", "TF_Init", "InitPlugin",
                                       "RegisterCustomOps", NULL};
        if (!begins(j->elf->exports.items[i], entries)) {
            oribi_text_printf(&more, "%s%s", listed++ ? ", " : "", j->elf->exports.items[i]);
        }
    }
    if (more.length) {
        say(j, P002,
            "exports %zu symbols besides its entry points (%s%s), which may meet those of other "
            "plugins; compile with -fvisibility=hidden",
            n_more, oribi_text_string(&more), n_more > 5 ? ", ..." : "");
    }
    oribi_text_destroy(&more);
}

static void judge_contract(judge *j)
{
    const oribi_elf_note *note = &j->elf->note;
    oribi_text missing = {0};
    oribi__own_list_missing(j->elf, &missing);
    if (missing.length && note->is_present && note->contract > ORIBI_CONTRACT_VERSION) {
        say(j, P003, "built for contract %u.%u, this Oribi has %d.%d, missing %s",
            note->contract / 100, note->contract % 100, ORIBI_CONTRACT_VERSION / 100,
            ORIBI_CONTRACT_VERSION % 100, oribi_text_string(&missing));
    } else if (missing.length) {
        say(j, P004, "needs %s, which the contract of this Oribi %s lacks",
            oribi_text_string(&missing), ORIBI_VERSION_TEXT);
    }
    if (!note->is_present && !j->elf->has_entry[ORIBI_ENTRY_REGISTER_CUSTOM_OPS]) {
        say(j, P005,
            "has no note; write ORIBI_PLUGIN(name, version, licence) of "
            "tensorflow/c/plugin_note.h in one of its files");
    }
    oribi_text_destroy(&missing);
}

static void judge_libraries(judge *j)
{
    static const char *const system[] = {"libc.so",  "libm.so",  "libpthread.so", "libdl.so",
                                         "librt.so", "ld-linux", "libgcc_s.so",   NULL};
    static const char *const cxx[] = {"libstdc++.so", "libc++", NULL};
    static const char *const own[] = {"liboribi.so", NULL};
    static const char *const tensorflow[] = {"libtensorflow", "_pywrap_tensorflow", NULL};
    for (size_t i = 0; i < j->elf->needed.count; i++) {
        const char *name = j->elf->needed.items[i];
        if (begins(name, tensorflow)) {
            say(j, P006,
                "needs %s; link against nothing, functions of the contract "
                "are found in whichever host loads the plugin",
                name);
        } else if (begins(name, own)) {
            say(j, P007, "needs %s, which no plugin has to", name);
        } else if (begins(name, cxx)) {
            say(j, P008, "needs the C++ runtime %s", name);
        } else if (!begins(name, system)) {
            say(j, P009,
                "needs %s, which must be on each user's machine; link it "
                "statically or ship it",
                name);
        }
    }
}

/* Names of the C++ runtime: they stay. Anything else mangled is another library's inside. Read as
 * the ABI of C++ has it: what stands before the name (tables, guards, thunks), qualifiers of a
 * member function, then `std` or one of its abbreviations, or a namespace of the compiler's.
 */
static bool is_runtime_name(const char *name)
{
    static const char *const always[] = {"_Zn", "_Zd", NULL}; /* operators new and delete */
    static const char *const before[] = {"TV", "TT", "TI", "TS", "GV", "GR", "TC", NULL};
    static const char *const spaces[] = {"10__cxxabiv1", "9__gnu_cxx", NULL};
    const char *at = name + 2; /* "_Z" */
    if (begins(name, always)) {
        return true;
    }
    if (at[0] == 'T' && (at[1] == 'h' || at[1] == 'v')) { /* thunks: _ZThn16_N, _ZTv0_n24_N */
        at += 1 + strcspn(at + 1, "_");
        at += *at == '_' && at[1] == 'n' ? 1 + strcspn(at + 1, "_") : 0;
        at += *at == '_';
    } else if (begins(at, before)) {
        at += 2;
        const char *plain = at + strspn(at, "PK"); /* int, char *: types of the language */
        if (plain[0] >= 'a' && plain[0] <= 'z' && plain[1] == '\0') {
            return true;
        }
    }
    at += *at == 'Z'; /* inside a function */
    at += *at == 'N';
    at += strspn(at, "rVKRO");
    return (at[0] == 'S' && at[1] != '\0' && strchr("tabsiod", at[1]) != NULL) ||
           begins(at, spaces);
}

/* Where the dry run found them they come with libraries that the plugin needs anyhow. */
static void judge_cxx(judge *j, bool is_loaded)
{
    size_t n = 0;
    oribi_text names = {0};
    for (size_t i = 0; i < j->elf->others.count; i++) {
        const char *name = j->elf->others.items[i];
        if (strncmp(name, "_Z", 2) == 0 && !is_runtime_name(name) && n++ < 3) {
            oribi_text_printf(&names, "%s%s", n > 1 ? ", " : "", name);
        }
    }
    if (n > 0) {
        say(j, is_loaded ? P011 : P010,
            "needs %zu C++ symbols of another library (%s%s), which change with that library; %s",
            n, oribi_text_string(&names), n > 3 ? ", ..." : "",
            is_loaded ? "ship the one that it was built with" : "use the contract's functions");
    }
    oribi_text_destroy(&names);
}

static void judge_paths(judge *j)
{
    const char *path = j->elf->runpath ? j->elf->runpath : j->elf->rpath;
    if (path && strncmp(path, "$ORIGIN", 7) != 0) {
        say(j, P012,
            "has the library search path '%s', which is of the machine that "
            "built it; leave it out or begin it with $ORIGIN",
            path);
    } else if (path) {
        say(j, P013, "has the library search path '%s'", path);
    }
}

static void judge_glibc(judge *j)
{
    unsigned high[2] = {0, 0};
    for (size_t i = 0; i < j->elf->versions.count; i++) {
        unsigned version[2] = {0, 0};
        const char *name = j->elf->versions.items[i];
        if (strncmp(name, "GLIBC_", 6) == 0) {
            char *end = NULL;
            version[0] = (unsigned)strtoul(name + 6, &end, 10);
            version[1] = *end == '.' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
        }
        if (version[0] > high[0] || (version[0] == high[0] && version[1] > high[1])) {
            memcpy(high, version, sizeof(high));
        }
    }
    if (high[0] > 0) {
        say(j, P014, "needs glibc %u.%u or newer", high[0], high[1]);
    }
}

static void judge_code(judge *j)
{
    if (j->elf->is_stack_executable) {
        say(j, P015,
            "asks for an executable stack, which makes every thread's stack "
            "executable or the load fail; link with -Wl,-z,noexecstack");
    } else if (!j->elf->has_stack_mark) {
        say(j, P016,
            "does not say which stack it needs; link with "
            "-Wl,-z,noexecstack");
    }
    if (j->elf->has_text_relocations) {
        say(j, P017, "its code is changed at load; compile with -fPIC");
    }
    /* One entry is the compiler's own. */
    if (j->elf->n_init_functions > 1) {
        say(j, P018, "runs %zu constructors at load, before its init; do the work in TF_InitKernel",
            (size_t)j->elf->n_init_functions - 1);
    }
}

void oribi__examine_findings(const oribi_examination *seen, oribi_json *json)
{
    judge j = {.json = json, .elf = seen->elf};
    oribi_json_key(json, "findings");
    oribi_json_open(json, '[');
    judge_entries(&j);
    judge_contract(&j);
    judge_libraries(&j);
    judge_cxx(&j, oribi_ok(seen->dry_run));
    judge_paths(&j);
    judge_glibc(&j);
    judge_code(&j);
    if (!oribi_ok(seen->dry_run)) {
        const TF_Code code = TF_GetCode(seen->dry_run);
        say(&j,
            code == TF_ABORTED             ? P020
            : code == TF_DEADLINE_EXCEEDED ? P021
                                           : P019,
            "%s", TF_Message(seen->dry_run));
    }
    oribi_json_close(json, ']');
    oribi_json_put_int(json, "errors", j.n_errors);
}

bool oribi__examine_rules(const char *number, oribi_json *json)
{
    bool is_found = number[0] == '\0';
    oribi_json_key(json, "rules");
    oribi_json_open(json, '[');
    for (int i = 0; i < N_RULES; i++) {
        if (number[0] != '\0' && strcmp(number, rules[i].number) != 0) {
            continue;
        }
        is_found = true;
        oribi_json_open(json, '{');
        oribi_json_put_string(json, "rule", rules[i].number);
        oribi_json_put_string(json, "severity", rules[i].severity);
        oribi_json_put_string(json, "name", rules[i].name);
        oribi_json_put_string(json, "what", rules[i].what);
        oribi_json_put_string(json, "why", rules[i].why);
        oribi_json_put_string(json, "remedy", rules[i].remedy);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, ']');
    return is_found;
}
