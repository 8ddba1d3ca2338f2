/* SPDX-License-Identifier: Apache-2.0 */
/* Session room, as the rest of the house sees it; applications use include/oribi/oribi.h. */
#ifndef ORIBI_SESSION_SESSION_H_
#define ORIBI_SESSION_SESSION_H_

#include "import/open.h"
#include "oribi/oribi.h"

/* Session over a graph made by hand. Takes the graph over, also when it fails. */
oribi_session *oribi_session_from_graph(oribi_graph *graph, const oribi_options *options,
                                        TF_Status *status);
/* Model of a TensorFlow graph of which `ends` says what is given and wanted; they must outlive it
 * and its sessions. Takes the file over, also when it fails. */
oribi_model *oribi_model_between(oribi_model_file *file, const oribi_import_ends *ends,
                                 const oribi_options *options, TF_Status *status);

#endif
