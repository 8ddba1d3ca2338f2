/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by examine.c, examine_check.c and trial_*.c: a plugin's file under the author's tools. */
#ifndef ORIBI_PLUGIN_EXAMINE_H_
#define ORIBI_PLUGIN_EXAMINE_H_

#include "format/json.h"
#include "plugin/plugin_internal.h"

/* Moves the text into an empty buffer; false: no memory. */
bool oribi__json_give(oribi_text *text, TF_Buffer *buffer, TF_Status *status);

typedef struct oribi_examination {
    const char *path; /* real */
    const oribi_elf *elf;
    oribi_text described;     /* JSON of the helper; "" when the dry run failed */
    const TF_Status *dry_run; /* its end */
} oribi_examination;

/* Adds "findings" and "errors" to the open object. */
void oribi__examine_findings(const oribi_examination *seen, oribi_json *json);
/* Adds "rules": all of them, or the one of that number. False: there is none. */
bool oribi__examine_rules(const char *number, oribi_json *json);

#endif
