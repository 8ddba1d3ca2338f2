/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi plugin test TARGET.so --driver DIR`: a target and its driver on random models. Read next:
 * regions_test.c. */
#ifndef ORIBI_CLI_REGIONS_H_
#define ORIBI_CLI_REGIONS_H_

#include "cli.h"

/* regions_model.c: an ONNX model of one to five operators in the domain org.tensorflow, where every
 * op has its own name, of one type; `what` says which. The same seed makes the same model. With
 * `only`, half of its operators are that one; a name that no recipe has is one of a tensor to one
 * like it. */
void regions_model(uint64_t seed, const char *only, oribi_text *model, oribi_text *what);
uint64_t regions_draw(uint64_t *state, uint64_t n); /* 0 .. n - 1 */

/* regions_test.c: an exit code. */
int regions_test(const cli_args *args, const char *plugin, uint64_t seed, int n_cases);

#endif
