/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a model, its devices and pools as C sees them: what --rename says, and that no two are
 * the same in one place. Not here: which characters C takes (ports.c).
 */
#ifndef ORIBI_COMPILE_NAMES_H_
#define ORIBI_COMPILE_NAMES_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/tf_status.h"

struct oribi_compile;

enum oribi_name_kind {
    ORIBI_NAME_INPUT,
    ORIBI_NAME_OUTPUT,
    ORIBI_NAME_VARIABLE,
    ORIBI_NAME_POOL,
    ORIBI_NAME_DEVICE
};

/* Is it a word of C or C++? Also: a macro, type or function of a header? (words.c) */
bool oribi_compile_is_keyword(const char *name);
bool oribi_compile_is_word(const char *name);
/* Do functions of the emitted C call something of their own so? */
bool oribi_compile_is_own_word(const char *name);

/* The new name that --rename gives `name`, or `name`. "NAME=NEW" is of whatever is called so,
 * "output:NAME=NEW" of one kind; the latter goes first. */
const char *oribi_compile_renamed(const struct oribi_compile *compile, enum oribi_name_kind kind,
                                  const char *name);
/* After ports, pools and devices are known. INVALID_ARGUMENT when two have one name in C, which
 * offers the --rename that helps; NOT_FOUND for a --rename of nothing. */
bool oribi_compile_check_names(const struct oribi_compile *compile, TF_Status *status);

#endif
