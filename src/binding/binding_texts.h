/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text that few programs need. The archive has them in itself, the shared library in
 * oribi_kernel_texts.so, which is mapped when they are asked for.
 */
#ifndef ORIBI_BINDING_TEXTS_H_
#define ORIBI_BINDING_TEXTS_H_

typedef struct oribi_binding_texts {
    /* Each begins with its op; the last is NULL. */
    const char *const *formulas; /* of gradients */
    const char *const *made;     /* outputs of ops that others are made of */
} oribi_binding_texts;

#ifdef ORIBI_BINDING_TEXTS_HERE
extern const oribi_binding_texts oribi_binding_text_table;
#else
extern const oribi_binding_texts oribi_binding_text_table __attribute__((weak));
#endif

#define ORIBI_BINDING_TEXTS_FILE "oribi_kernel_texts.so"
/* NULL: that file is not there. */
const oribi_binding_texts *oribi_binding_texts_find(void);

#endif
