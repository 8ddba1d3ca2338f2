/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs in C, for python_call.py: binds two inputs, runs, takes an output, in processor
 * time of this thread. Prints nanoseconds, the least of many rounds.
 *     python_call MODEL ROUNDS CALLS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "oribi/oribi.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const int64_t dims[1] = {16};
    double least = 1e18;
    TF_Status *status = TF_NewStatus();
    oribi_options *options = oribi_options_create(status);
    oribi_options_set_threads(options, 1);
    oribi_model *model = oribi_model_open(argc > 3 ? argv[1] : "", options, status);
    oribi_session *session = model != NULL ? oribi_session_create(model, options, status) : NULL;
    oribi_run *run = session != NULL ? oribi_run_create(session, status) : NULL;
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, dims, 1, 64);
    TF_Tensor *y = TF_AllocateTensor(TF_FLOAT, dims, 1, 64);
    for (int round = 0; run != NULL && round < atoi(argv[2]); round++) {
        const int calls = atoi(argv[3]);
        const double start = now();
        for (int i = 0; i < calls && TF_GetCode(status) == TF_OK; i++) {
            oribi_run_set_input(run, 0, x, status);
            oribi_run_set_input(run, 1, y, status);
            oribi_run_execute(run, status);
            TF_DeleteTensor(oribi_run_output(run, 0, status));
        }
        const double took = (now() - start) / calls;
        least = took < least ? took : least;
    }
    if (run == NULL || TF_GetCode(status) != TF_OK) {
        fprintf(stderr, "%s\n", TF_Message(status));
        return 1;
    }
    printf("%.1f\n", least);
    return 0;
}
