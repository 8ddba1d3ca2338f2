/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a model brings beside itself: external data, checkpoints, vocabularies. */
#ifndef ORIBI_IMPORT_BESIDE_H_
#define ORIBI_IMPORT_BESIDE_H_

#include "import/import.h"

/* The bytes of a file of options->folder, mapped or read as the options say. A link out of the
 * folder is followed only with the caller's consent: who unpacked an archive does not know of it,
 * and a model shows what it reads. NULL: status set. */
oribi_source *oribi_import_open_beside(oribi_graph *graph, const oribi_import_options *options,
                                       const char *location, const uint8_t **out_data,
                                       size_t *out_bytes, TF_Status *status);

#endif
