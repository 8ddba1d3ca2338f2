/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of growing size on one thread, on the pool, in one block for each thread on the pool, and
 * on OpenMP, back to back: the median and the best of seven rounds each, in microseconds a loop.
 *
 *   oribi-bench-pool [THREADS]
 */
#include <stdio.h>
#include <stdlib.h>

#include <omp.h>

#include "base/thread.h"
#include "device/pool.h"

enum { UNITS = 64, ROUNDS = 7, WAYS = 4 };

static oribi_pool *pools[2]; /* of one thread, of many */
static int n_threads;

__attribute__((noinline)) static void work(void *object, int64_t begin, int64_t end, int worker)
{
    const int64_t cycles = *(const int64_t *)object;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        for (int64_t k = 0; k < cycles; k++) {
            __asm__ volatile("");
        }
    }
}

static void run_loop(int way, int64_t cycles)
{
    if (way < 2) {
        oribi_pool_parallel_for(pools[way], UNITS, cycles, work, &cycles, NULL);
    } else if (way == 2) {
        oribi_pool_parallel_blocks(pools[1], UNITS, (UNITS + n_threads - 1) / n_threads, work,
                                   &cycles, NULL);
    } else {
#pragma omp parallel num_threads(n_threads)
        {
            int64_t id = omp_get_thread_num();
            int64_t n = omp_get_num_threads();
            work(&cycles, UNITS * id / n, UNITS * (id + 1) / n, (int)id);
        }
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    TF_Status *status = TF_NewStatus();
    n_threads = argc > 1 ? atoi(argv[1]) : 2;
    pools[0] = oribi_pool_create(1, status);
    pools[1] = oribi_pool_create(n_threads, status);
    if (!pools[0] || !pools[1]) {
        fprintf(stderr, "%s\n", TF_Message(status));
        return 1;
    }
    printf("%d threads, us a loop, median (best)\n%10s %20s %20s %20s %20s\n", n_threads, "cycles",
           "one thread", "pool", "pool, static", "openmp");
    for (int64_t cycles = 10; cycles < 200000; cycles *= 4) {
        int64_t loops = 8000000 / (cycles * UNITS);
        loops = loops < 20 ? 20 : loops > 5000 ? 5000 : loops;
        printf("%10lld", (long long)cycles * UNITS);
        for (int way = 0; way < WAYS; way++) {
            double us[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                uint64_t begin = oribi_now_ns();
                for (int64_t i = 0; i < loops; i++) {
                    run_loop(way, cycles);
                }
                us[round] = (double)(oribi_now_ns() - begin) / 1e3 / (double)loops;
            }
            qsort(us, ROUNDS, sizeof(us[0]), compare);
            printf(" %10.2f (%7.2f)", us[ROUNDS / 2], us[0]);
        }
        printf("\n");
    }
    oribi_pool_release(pools[0]);
    oribi_pool_release(pools[1]);
    TF_DeleteStatus(status);
    return 0;
}
