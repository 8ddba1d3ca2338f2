/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target without libFuzzer: on each file that is named, whole and cut short at 32
 * places. So every build compiles the targets and sees that they run; searching is libFuzzer's work
 * (run.sh).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { CUTS = 32, MOST_BYTES = 1 << 20 };

int main(int argc, char **argv)
{
    uint8_t *data = malloc(MOST_BYTES);
    if (argc < 2 || data == NULL) {
        fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        const size_t bytes = file == NULL ? 0 : fread(data, 1, MOST_BYTES, file);
        if (bytes == 0) {
            fprintf(stderr, "%s: nothing to read\n", argv[i]);
            return 1;
        }
        fclose(file);
        for (size_t cut = 1; cut <= CUTS; cut++) {
            const size_t some = bytes * cut / CUTS;
            uint8_t *copy = malloc(some > 0 ? some : 1); /* its own: reads past its end are seen */
            if (copy == NULL) {
                return 1;
            }
            memcpy(copy, data, some);
            (void)LLVMFuzzerTestOneInput(copy, some);
            free(copy);
        }
    }
    free(data);
    return 0;
}
