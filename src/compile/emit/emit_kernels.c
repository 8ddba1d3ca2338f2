/* SPDX-License-Identifier: Apache-2.0 */
/* micro/: the kernels that the calls use and what those include, nothing else. Our own text is
 * given under the licence of the output; that of plugins (emit_own.c) under theirs. */
#include <stdio.h>
#include <string.h>

#include "compile/emit/emit_parts.h"
#include "compile/common/kernel_texts.h"
#include "tensor/status.h"

enum { MAX_TEXTS = 512 };
static const char device_header[] = "tvm/runtime/device.h";

typedef struct emitter {
    const oribi_compile *all;
    oribi_files *files;
    bool wanted[MAX_TEXTS];
} emitter;

/* The file of that name, of `length` letters, the last of which is `kind`; -1: there is none. */
static int32_t find(const char *name, size_t length, char kind)
{
    for (int32_t i = 0; i < MAX_TEXTS && oribi_kernel_texts()[i].name != NULL; i++) {
        const char *found = oribi_kernel_texts()[i].name;
        if (strlen(found) == length && memcmp(found, name, length - 1) == 0 &&
            found[length - 1] == kind) {
            return i;
        }
    }
    return -1;
}

const char *oribi_emit_kernel_header(const oribi_call *call)
{
    char own[80];
    if (call->kernel == NULL || call->instance != NULL || call->own != NULL) {
        return call->kernel;
    }
    const int length = snprintf(own, sizeof own, "%s.h", call->kernel);
    const bool has_own = length < (int)sizeof own && find(own, (size_t)length, 'h') >= 0;
    return has_own ? call->kernel : call->args->header;
}

static void want(emitter *e, const char *name, size_t length, char kind);

/* Marks what the text includes. */
static void want_included(emitter *e, const char *text)
{
    static const char mark[] = "#include \"micro/";
    while ((text = strstr(text, mark)) != NULL) {
        text += sizeof mark - 1;
        const size_t length = strcspn(text, "\"");
        if (length > 0) {
            want(e, text, length, text[length - 1]);
        }
    }
}

/* Marks the file and, through its #include lines, what it needs; a header brings its .c file. */
static void want(emitter *e, const char *name, size_t length, char kind)
{
    const int32_t index = find(name, length, kind);
    if (index < 0 || e->wanted[index]) {
        return;
    }
    e->wanted[index] = true;
    want_included(e, (const char *)oribi_kernel_texts()[index].text);
    if (kind == 'h') {
        want(e, name, length, 'c');
    }
}

/* Copies the text with the licence of the output. */
static void rewrite(const char *text, const char *model, oribi_text *out)
{
    static const char ours[] = "SPDX-License-Identifier: Apache-2.0";
    for (const char *at = strstr(text, ours); at != NULL; at = strstr(text, ours)) {
        oribi_emit_rename(text, (size_t)(at - text), model, NULL, out);
        oribi_text_append(out, "SPDX-License-Identifier: 0BSD");
        text = at + sizeof ours - 1;
    }
    oribi_emit_rename(text, strlen(text), model, NULL, out);
}

/* An instance's two files. Models that want the same one share it. */
static bool add_instance(emitter *e, const oribi_instance *instance, TF_Status *status)
{
    for (int32_t i = 0; i < 2; i++) {
        oribi_text text = {0}, copy = {0};
        char *name = oribi_arena_printf(&e->files->arena, "micro/%s.%c", instance->name, "hc"[i]);
        bool is_there = false;
        for (int32_t k = 0; name != NULL && k < e->files->n; k++) {
            is_there = is_there || strcmp(e->files->items[k].name, name) == 0;
        }
        if (is_there) {
            continue;
        }
        if (i == 0) {
            oribi_instance_header(instance, &text);
        } else {
            oribi_instance_source(instance, &text);
        }
        rewrite(oribi_text_string(&text), e->all->programs[0]->name, &copy);
        want_included(e, oribi_text_string(&text));
        copy.failed = copy.failed || text.failed;
        oribi_text_destroy(&text);
        ORIBI_TRY(oribi_files_add(e->files, &copy, status, "micro/%s.%c", instance->name, "hc"[i]));
    }
    return true;
}

/* The files of a plugin's kernel, and what they include of micro/. */
static bool add_own(emitter *e, const oribi_target_kernel *kernel, TF_Status *status)
{
    for (int32_t i = 0; i < kernel->n_sources; i++) {
        const char *source = kernel->sources[i];
        oribi_target_file file;
        while (oribi_target_next_file(&source, &file)) {
            oribi_text text = {0}, copy = {0};
            oribi_emit_own_file(kernel, &file, &text);
            want_included(e, oribi_text_string(&text));
            oribi_emit_rename(oribi_text_string(&text), text.length, e->all->programs[0]->name,
                              kernel->prefix, &copy);
            copy.failed = copy.failed || text.failed;
            oribi_text_destroy(&text);
            ORIBI_TRY(oribi_emit_own_add(e->files, kernel, file.name, &copy, status));
        }
    }
    return true;
}

static const char no_general[] = "/* No layer of these models has pairs that are general. "
                                 "*/\n#define ORIBI_MICRO_HAS_GENERAL 0\n";

/* Has some layer channels that need the general arithmetic (micro/lanes_s8.h)? */
static bool has_general(const oribi_compile *all)
{
    bool has = false;
    for (int32_t i = 0; i < all->n_programs; i++) {
        const oribi_program *model = all->programs[i];
        for (int32_t k = 0; k < model->n_calls; k++) {
            for (int32_t p = 0; p < oribi_call_n_parts(&model->calls[k]); p++) {
                const oribi_call *call = oribi_call_part(&model->calls[k], p);
                const size_t n =
                    call->args != NULL && call->own == NULL ? call->args->n_members : 0;
                for (size_t m = 0; m < n; m++) {
                    const char *member =
                        strstr(oribi_args_name(call->args, m), "output.has_general");
                    has = has || (member != NULL && oribi_args_integer(&call->args->members[m],
                                                                       call->arguments, 0) != 0);
                }
            }
        }
    }
    return has;
}

static bool add(emitter *e, int32_t index, TF_Status *status)
{
    oribi_text copy = {0};
    const char *text = oribi_kernel_texts()[index].name;
    if (strcmp(text, "lanes_s8.h") == 0 && !has_general(e->all)) {
        oribi_emit_rename(no_general, sizeof no_general - 1, e->all->programs[0]->name, NULL,
                          &copy);
    }
    rewrite((const char *)oribi_kernel_texts()[index].text, e->all->programs[0]->name, &copy);
    return oribi_files_add(e->files, &copy, status, "%s%s",
                           strcmp(text, device_header) == 0 ? "" : "micro/", text);
}

static bool want_kernel(emitter *e, const oribi_call *call, TF_Status *status)
{
    char name[80];
    if (call->blocks != NULL) {
        want(e, "nibbles.h", strlen("nibbles.h"), 'h');
    }
    if (call->kernel == NULL) {
        return true;
    }
    if (call->own != NULL) {
        return add_own(e, call->own, status);
    }
    if (call->instance != NULL) {
        return add_instance(e, call->instance, status);
    }
    const int length = snprintf(name, sizeof name, "%s.c", call->kernel);
    if (length < 3 || length >= (int)sizeof name || find(name, (size_t)length, 'c') < 0) {
        return oribi_fail(status, TF_INTERNAL, "the library carries no kernel '%s'", name);
    }
    want(e, name, (size_t)length, 'c');
    return true;
}

static bool want_kernels(emitter *e, const oribi_program *model, TF_Status *status)
{
    for (int32_t i = 0; i < model->n_calls; i++) {
        if (model->calls[i].rings != NULL) {
            want(e, "ring.h", strlen("ring.h"), 'h');
        }
        for (int32_t p = 0; p < oribi_call_n_parts(&model->calls[i]); p++) {
            ORIBI_TRY(want_kernel(e, oribi_call_part(&model->calls[i], p), status));
        }
    }
    return true;
}

bool oribi_emit_kernels(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    emitter e = {.all = all, .files = files};
    ORIBI_TRY(oribi_kernel_texts_check(status));
    want(&e, "port.h", strlen("port.h"), 'h');
    want(&e, "memory.h", strlen("memory.h"), 'h');
    for (int32_t i = 0; i < all->n_programs; i++) {
        if (all->programs[i]->devices.partition.n_devices > 0) {
            want(&e, device_header, strlen(device_header), 'h');
        }
        ORIBI_TRY(want_kernels(&e, all->programs[i], status));
    }
    for (int32_t i = 0; i < MAX_TEXTS && oribi_kernel_texts()[i].name != NULL; i++) {
        if (e.wanted[i]) {
            ORIBI_TRY(add(&e, i, status));
        }
    }
    return true;
}
