/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi run --shard I/N|auto --resume`: which runs are this process's, and which of them are done.
 * A run is done when its file is there, which is written whole or not at all. A record beside the
 * files says of which model and inputs they are, so that --resume keeps no others.
 */
#ifndef ORIBI_CLI_SHARD_SHARD_H_
#define ORIBI_CLI_SHARD_SHARD_H_

#include "cli.h"

typedef struct shard {
    int64_t index, count; /* 0/1: all runs */
    bool is_asked;        /* --shard or --resume are given */
    bool resumes;
} shard;

bool shard_read(const cli_args *args, shard *out); /* false after a message */
/* Is the run one of this process that is still to be done? */
bool shard_has(const cli_args *args, const shard *s, int run);
/* Writes the record, or compares it with the one that is there. An exit code. */
int shard_begin(const cli_args *args, const shard *s, int n_runs);

#endif
