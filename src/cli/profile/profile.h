/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi profile` and `oribi bench --profile`: where a run's time goes, step by step, and the forms
 * in which that is told. Read next: profile_measure.c.
 */
#ifndef ORIBI_CLI_PROFILE_PROFILE_H_
#define ORIBI_CLI_PROFILE_PROFILE_H_

#include "cli.h"

typedef struct profile_row {
    char *name;        /* of the node; NULL: all steps of an op */
    const char *op;    /* of the session's report; "?": not in it */
    bool is_inside;    /* of a graph whose node has a row that counts this time, too */
    double now, least; /* seconds: of this run, of the best one */
    double operations, bytes;
    int count; /* of steps, in a row of an op; of the calls of a step in this run */
} profile_row;

typedef struct profile {
    profile_row *rows, *ops; /* the slowest first */
    int n, n_ops;
    int next;               /* where the following event's row most probably is */
    double total;           /* seconds: the sum of the steps */
    double peak, bandwidth; /* of the roof: operations and bytes a second */
    const char *model, *isa;
    int threads, runs;
    cli_json graph; /* owns the names of ops */
} profile;

/* profile_measure.c. Runs so often; an exit code. The roof is that of the threads and the
 * instruction set that the options name. */
int profile_take(const cli_args *args, const cli_session *s, oribi_run *run, int runs,
                 profile *out);
void profile_free(profile *p);
double profile_roof_share(const profile *p, const profile_row *r);

/* profile_baseline.c: a profile that was saved, beside this one. */
typedef struct profile_change {
    const profile_row *row;
    double before; /* seconds */
} profile_change;
typedef struct profile_baseline {
    const char *path;
    double total;            /* seconds */
    double tolerance;        /* 0.1: ten per cent */
    bool is_slower;          /* in all, by more than the tolerance */
    profile_change *changes; /* steps that are slower by more than that, the worst first */
    int n_changes, n_new, n_gone;
} profile_baseline;
/* An exit code: CLI_OK too when it is slower. */
int profile_baseline_read(const profile *p, const char *path, double tolerance,
                          profile_baseline *out);
void profile_baseline_print(const profile *p, const profile_baseline *b);
void profile_baseline_free(profile_baseline *b);

/* profile_print.c; baseline NULL: none */
void profile_print(const profile *p);
void profile_put_json(oribi_json *json, const profile *p, const profile_baseline *baseline);
void profile_put_csv(oribi_text *text, const profile *p);
/* profile_html.c */
void profile_put_html(oribi_text *text, const profile *p, const profile_baseline *baseline);

#endif
