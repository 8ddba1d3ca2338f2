/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a model, its devices and pools as C sees them: what --rename says, and that no two are
 * the same in one place. Not here: which characters C takes (../common/c_names.c).
 */
#ifndef ORIBI_COMPILE_NAMES_H_
#define ORIBI_COMPILE_NAMES_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/c/tf_status.h"

struct oribi_program;

enum oribi_name_kind {
    ORIBI_NAME_INPUT,
    ORIBI_NAME_OUTPUT,
    ORIBI_NAME_VARIABLE,
    ORIBI_NAME_POOL,
    ORIBI_NAME_DEVICE
};

/* The new name that --rename gives `name`, or `name`. "NAME=NEW" is of whatever is called so,
 * "output:NAME=NEW" of one kind; the latter goes first. */
const char *oribi_program_renamed(const struct oribi_program *program, enum oribi_name_kind kind,
                                  const char *name);
/* After ports, pools and devices are known. INVALID_ARGUMENT when two have one name in C, which
 * offers the --rename that helps; NOT_FOUND for a --rename of nothing. */
bool oribi_program_check_names(const struct oribi_program *program, TF_Status *status);

#endif
