/* SPDX-License-Identifier: Apache-2.0 */
/* What a loop over the pool costs, beside libgomp and pthreadpool in one run, as ratios:
 *
 *     oribi-bench-fork-join [THREADS]
 *
 * - back to back: loops of some microseconds without a pause;
 * - with gaps: the same with a millisecond of sleep between two, libgomp in its passive mode;
 * - idle: processor time that the pool takes in two seconds after a loop;
 * - busy: loops on two threads over the same on one, beside two processes that never sleep.
 *
 * libgomp reads its waiting policy when it starts, so each peer is a process of its own: this
 * program again, with the name of the peer. Rounds of all peers alternate; a figure is the median
 * of theirs.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <omp.h>
#ifdef HAVE_PTHREADPOOL
#include <pthreadpool.h>
#endif

#include "base/thread.h"
#include "device/pool.h"

enum {
    ROUNDS = 15,
    MOST_PEERS = 4,
    BACK_TO_BACK_LOOPS = 2000,
    GAP_LOOPS = 60,
    WARM_UP_NS = 20000000 /* beyond the first 10 ms, in which threads may share a processor */
};

static int n_threads = 2;
static int64_t cycles; /* of one unit */
static oribi_pool *pool;
#ifdef HAVE_PTHREADPOOL
static pthreadpool_t peer_pool;
#endif

static void spin(int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        __asm__ volatile("");
    }
}

static void block(void *object, int64_t begin, int64_t end, int worker)
{
    (void)object;
    (void)worker;
    spin((end - begin) * cycles);
}

#ifdef HAVE_PTHREADPOOL
static void unit(void *object, size_t index)
{
    (void)object;
    (void)index;
    spin(cycles);
}
#endif

/* One loop with as many units as threads. */
static void loop(const char *peer)
{
    if (strcmp(peer, "oribi") == 0) {
        oribi_pool_parallel_blocks(pool, n_threads, 1, block, NULL, NULL);
    } else if (strcmp(peer, "one") == 0) {
        spin(n_threads * cycles);
#ifdef HAVE_PTHREADPOOL
    } else if (strcmp(peer, "pthreadpool") == 0) {
        pthreadpool_parallelize_1d(peer_pool, unit, NULL, (size_t)n_threads, 0);
#endif
    } else {
#pragma omp parallel num_threads(n_threads)
        spin(cycles);
    }
}

static void pause_us(long us)
{
    const struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

/* Microseconds a loop, without the gap. */
static double measure(const char *peer, int n_loops, long gap_us)
{
    uint64_t sum_ns = 0;
    for (int i = 0; i < n_loops; i++) {
        if (gap_us > 0) {
            pause_us(gap_us);
        }
        const uint64_t begin = oribi_now_ns();
        loop(peer);
        sum_ns += oribi_now_ns() - begin;
    }
    return (double)sum_ns / 1e3 / n_loops;
}

static double processor_ms(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}

/* Returns when the other threads of this process sleep, so that they do not take a processor from
 * the peer that is measured next: pthreadpool's spin for more than ten milliseconds. */
static void settle(void)
{
    double used = 1;
    for (int i = 0; i < 200 && used > 0.1; i++) {
        const double before = processor_ms();
        pause_us(5000);
        used = processor_ms() - before;
    }
}

/* --- A peer's process: answers each line "loops gap cycles" with a number -----------------------
 */

static int serve(const char *peer)
{
    TF_Status *status = TF_NewStatus();
    int n_loops;
    long gap_us;
    long long unit_cycles;
    pool = oribi_pool_create(strcmp(peer, "oribi") == 0 ? n_threads : 1, status);
#ifdef HAVE_PTHREADPOOL
    peer_pool = strcmp(peer, "pthreadpool") == 0 ? pthreadpool_create((size_t)n_threads) : NULL;
#endif
    while (scanf("%d %ld %lld", &n_loops, &gap_us, &unit_cycles) == 3) {
        double answer;
        cycles = unit_cycles;
        if (n_loops == 0) { /* idle, after some loops */
            (void)measure(peer, 100, 0);
            const double before = processor_ms();
            pause_us(2000000);
            answer = processor_ms() - before;
        } else {
            const uint64_t begin = oribi_now_ns();
            while (oribi_now_ns() - begin < WARM_UP_NS) {
                (void)measure(peer, 10, gap_us);
            }
            answer = measure(peer, n_loops, gap_us);
            settle();
        }
        printf("%.9g\n", answer);
        fflush(stdout);
    }
    TF_DeleteStatus(status);
    return 0;
}

typedef struct peer_process {
    const char *name;
    FILE *to, *from;
    pid_t pid;
} peer_process;

static peer_process start(const char *program, const char *name, const char *policy)
{
    int down[2], up[2];
    peer_process peer = {.name = name};
    char threads[16];
    snprintf(threads, sizeof threads, "%d", n_threads);
    if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0 || (peer.pid = fork()) < 0) {
        perror("oribi-bench-fork-join");
        exit(1);
    }
    if (peer.pid == 0) {
        dup2(down[0], 0);
        dup2(up[1], 1);
        if (policy != NULL) {
            setenv("OMP_WAIT_POLICY", policy, 1);
        }
        execl(program, program, threads, name, (char *)NULL);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    peer.to = fdopen(down[1], "w");
    peer.from = fdopen(up[0], "r");
    return peer;
}

static double ask(const peer_process *peer, int n_loops, long gap_us, int64_t unit_cycles)
{
    double answer = 0;
    fprintf(peer->to, "%d %ld %lld\n", n_loops, gap_us, (long long)unit_cycles);
    fflush(peer->to);
    if (fscanf(peer->from, "%lf", &answer) != 1) {
        fprintf(stderr, "oribi-bench-fork-join: %s does not answer\n", peer->name);
        exit(1);
    }
    return answer;
}

static void stop(const peer_process *peer)
{
    fclose(peer->to);
    fclose(peer->from);
    waitpid(peer->pid, NULL, 0);
}

/* --- The tables ---------------------------------------------------------------------------------
 */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof values[0], compare);
    return values[ROUNDS / 2];
}

static const char *const columns[] = {"libgomp", "pthreadpool", "libgomp-passive", "one"};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static void head(void)
{
    printf("| loops | cycles of each thread | us a loop |");
    for (int c = 0; c < N_COLUMNS; c++) {
        printf(" over %s |", columns[c]);
    }
    printf("\n|---|---:|---:|---:|---:|---:|---:|\n");
}

/* A row for each size: microseconds a loop of the first peer, and that over each other's. */
static void table(const char *title, const peer_process *peers, int n_peers, int n_loops,
                  long gap_us)
{
    for (int64_t unit = 1000; unit <= 64000; unit *= 4) {
        double us[MOST_PEERS][ROUNDS];
        double middle[MOST_PEERS];
        for (int round = 0; round < ROUNDS; round++) {
            for (int p = 0; p < n_peers; p++) {
                us[p][round] = ask(&peers[p], n_loops, gap_us, unit);
            }
        }
        for (int p = 0; p < n_peers; p++) {
            middle[p] = median(us[p]);
        }
        printf("| %s | %lld | %.2f |", title, (long long)unit, middle[0]);
        for (int c = 0; c < N_COLUMNS; c++) {
            int p = 1;
            while (p < n_peers && strcmp(peers[p].name, columns[c]) != 0) {
                p++;
            }
            if (p < n_peers) {
                printf(" %.2f", middle[0] / middle[p]);
            }
            printf(" |");
        }
        printf("\n");
        fflush(stdout);
    }
}

static pid_t be_busy(void)
{
    const pid_t pid = fork();
    while (pid == 0) {
        spin(1000000);
    }
    return pid;
}

static void busy_table(const peer_process *two, const peer_process *one)
{
    pid_t neighbours[2] = {be_busy(), be_busy()};
    const peer_process peers[2] = {*two, *one};
    table("beside two busy processes", peers, 2, BACK_TO_BACK_LOOPS / 10, 0);
    for (int i = 0; i < 2; i++) {
        kill(neighbours[i], 9);
        waitpid(neighbours[i], NULL, 0);
    }
}

int main(int argc, char **argv)
{
    n_threads = argc > 1 ? atoi(argv[1]) : 2;
    if (n_threads < 2) {
        fprintf(stderr, "oribi-bench-fork-join: at least 2 threads\n");
        return 2;
    }
    if (argc > 2) {
        return serve(argv[2]);
    }
    peer_process peers[MOST_PEERS];
    int n_peers = 0;
    peers[n_peers++] = start("/proc/self/exe", "oribi", NULL);
    peers[n_peers++] = start("/proc/self/exe", "libgomp", NULL);
#ifdef HAVE_PTHREADPOOL
    peers[n_peers++] = start("/proc/self/exe", "pthreadpool", NULL);
#endif
    const peer_process passive = start("/proc/self/exe", "libgomp-passive", "passive");
    const peer_process one = start("/proc/self/exe", "one", NULL);

    printf("%d threads, medians of %d rounds\n\n", n_threads, ROUNDS);
    head();
    table("back to back", peers, n_peers, BACK_TO_BACK_LOOPS, 0);
    const peer_process gap[2] = {peers[0], passive};
    table("after 1 ms of sleep", gap, 2, GAP_LOOPS, 1000);
    busy_table(&peers[0], &one);
    printf("\nidle for 2 s: %.2f ms of processor time\n", ask(&peers[0], 0, 0, 1000));
    for (int p = 0; p < n_peers; p++) {
        stop(&peers[p]);
    }
    stop(&passive);
    stop(&one);
    return 0;
}
