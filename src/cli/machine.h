/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine can do at most, measured: multiply-adds a second of one core, with the widest
 * vectors that it has, and bytes a second that one core reads. And the clock.
 */
#ifndef ORIBI_CLI_MACHINE_H_
#define ORIBI_CLI_MACHINE_H_

#include <stddef.h>

double machine_seconds(void);
/* From now on, no better vectors than those of this instruction set (a name of micro/isa_list.inc);
 * NULL: the widest. */
void machine_limit(const char *isa);
/* Best of several runs; *out_isa names the vectors used. */
double machine_peak_flops(const char **out_isa);
/* One sample of some tens of microseconds. The clock of a core wanders with its load and that of
 * its neighbours, so a share of the peak needs both taken in turn. */
double machine_peak_sample(void);
/* Seconds to read so many floats and write so many, each once, in this proportion: what a layer
 * that moves them could take at best, from whatever cache holds them after the last time. */
double machine_stream_seconds(size_t read, size_t written);
/* Reading `bytes` again and again with the same vectors, best of several passes. */
double machine_read_bandwidth(size_t bytes);

#endif
