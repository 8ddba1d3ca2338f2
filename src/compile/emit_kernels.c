/* SPDX-License-Identifier: Apache-2.0 */
/* micro/: the kernels that the calls use and what those include, nothing else. Our own text, given
 * under the licence of the output. */
#include <stdio.h>
#include <string.h>

#include "compile/compile_internal.h"
#include "compile/kernel_texts.h"
#include "tensor/status.h"

enum { MAX_TEXTS = 512 };
static const char device_header[] = "tvm/runtime/device.h";

typedef struct emitter {
    oribi_compile *c;
    bool wanted[MAX_TEXTS];
} emitter;

/* The file of that name, of `length` letters, the last of which is `kind`; -1: there is none. */
static int32_t find(const char *name, size_t length, char kind)
{
    for (int32_t i = 0; i < MAX_TEXTS && oribi_kernel_texts[i].name != NULL; i++) {
        const char *found = oribi_kernel_texts[i].name;
        if (strlen(found) == length && memcmp(found, name, length - 1) == 0 &&
            found[length - 1] == kind) {
            return i;
        }
    }
    return -1;
}

static void want(emitter *e, const char *name, size_t length, char kind);

/* What the text includes. */
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
    want_included(e, (const char *)oribi_kernel_texts[index].text);
    if (kind == 'h') {
        want(e, name, length, 'c');
    }
}

/* Copies the text with the licence of the output, symbols that carry the model's name, so that
 * models compiled apart link together, and headers found beside the file. */
static void rewrite(const char *text, const char *model, oribi_text *out)
{
    static const struct {
        const char *from;
        const char *to; /* NULL: tvmgen_<model>_micro_ */
    } changes[] = {{"SPDX-License-Identifier: Apache-2.0", "SPDX-License-Identifier: 0BSD"},
                   {"#include \"micro/", "#include \""},
                   {"oribi_micro_", NULL}};
    while (*text != 0) {
        size_t changed = 0;
        for (size_t i = 0; i < sizeof changes / sizeof changes[0] && changed == 0; i++) {
            const size_t length = strlen(changes[i].from);
            if (strncmp(text, changes[i].from, length) != 0) {
                continue;
            }
            changed = length;
            if (changes[i].to != NULL) {
                oribi_text_append(out, changes[i].to);
            } else {
                oribi_text_printf(out, "tvmgen_%s_micro_", model);
            }
        }
        if (changed == 0) {
            oribi_text_append_n(out, text, 1);
        }
        text += changed > 0 ? changed : 1;
    }
}

/* An instance's two files. Models that want the same one share it. */
static bool add_instance(emitter *e, const oribi_instance *instance, TF_Status *status)
{
    for (int32_t i = 0; i < 2; i++) {
        oribi_text text = {0}, copy = {0};
        char *name = oribi_arena_printf(&e->c->arena, "micro/%s.%c", instance->name, "hc"[i]);
        bool is_there = false;
        for (int32_t k = 0; name != NULL && k < e->c->n_files; k++) {
            is_there = is_there || strcmp(e->c->files[k].name, name) == 0;
        }
        if (is_there) {
            continue;
        }
        if (i == 0) {
            oribi_instance_header(instance, &text);
        } else {
            oribi_instance_source(instance, &text);
        }
        rewrite(oribi_text_string(&text), e->c->models[0]->name, &copy);
        want_included(e, oribi_text_string(&text));
        copy.failed = copy.failed || text.failed;
        oribi_text_destroy(&text);
        ORIBI_TRY(oribi_compile_add_file(e->c, name, &copy, status));
    }
    return true;
}

static bool add(emitter *e, int32_t index, TF_Status *status)
{
    oribi_text copy = {0};
    const char *text = oribi_kernel_texts[index].name;
    char *name = oribi_arena_printf(&e->c->arena, "%s%s",
                                    strcmp(text, device_header) == 0 ? "" : "micro/", text);
    rewrite((const char *)oribi_kernel_texts[index].text, e->c->models[0]->name, &copy);
    return oribi_compile_add_file(e->c, name, &copy, status);
}

static bool want_kernels(emitter *e, const oribi_compile *model, TF_Status *status)
{
    for (int32_t i = 0; i < model->n_calls; i++) {
        char name[80];
        if (model->calls[i].kernel == NULL) {
            continue;
        }
        if (model->calls[i].instance != NULL) {
            ORIBI_TRY(add_instance(e, model->calls[i].instance, status));
            continue;
        }
        const int length = snprintf(name, sizeof name, "%s.c", model->calls[i].kernel);
        if (length < 3 || length >= (int)sizeof name || find(name, (size_t)length, 'c') < 0) {
            return oribi_fail(status, TF_INTERNAL, "the library carries no kernel '%s'", name);
        }
        want(e, name, (size_t)length, 'c');
    }
    return true;
}

bool oribi_emit_kernels(oribi_compile *all, TF_Status *status)
{
    emitter e = {.c = all};
    want(&e, "port.h", strlen("port.h"), 'h');
    want(&e, "memory.h", strlen("memory.h"), 'h');
    for (int32_t i = 0; i < all->n_models; i++) {
        if (all->models[i]->devices.partition.n_devices > 0) {
            want(&e, device_header, strlen(device_header), 'h');
        }
        ORIBI_TRY(want_kernels(&e, all->models[i], status));
    }
    for (int32_t i = 0; i < MAX_TEXTS && oribi_kernel_texts[i].name != NULL; i++) {
        if (e.wanted[i]) {
            ORIBI_TRY(add(&e, i, status));
        }
    }
    return true;
}
