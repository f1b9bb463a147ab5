/* SPDX-License-Identifier: Apache-2.0 */
/* Google Benchmark for C: register functions, loop, report what one iteration handled.
 *
 *     static void run(struct bench_state *state, const void *data)
 *     {
 *         while (bench_next(state)) {
 *             ... one iteration ...
 *         }
 *         bench_set_items(state, n_keys);
 *     }
 *
 * Every benchmark is repeated. The console gets one line for each, with the median, the least and
 * the largest time per item. --benchmark_out=FILE --benchmark_out_format=json writes everything.
 * The other flags are those of Google Benchmark. Micro benchmarks measure the processor time of one
 * thread. */
#ifndef MR_BENCH_SHIM_H
#define MR_BENCH_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bench_state; /* of the running benchmark; valid during its call */

typedef void (*bench_function)(struct bench_state *state, const void *data);

/* Add a benchmark: "group/variant". `name` is copied. The caller keeps `data` until bench_run
 * returns. */
void bench_register(const char *name, bench_function function, const void *data);

/* Returns true while another iteration is to run. One iteration should take microseconds at least,
 * because the call costs a few nanoseconds. */
bool bench_next(struct bench_state *state);

/* Call them after the loop: what one iteration handled, and additional figures. */
void bench_set_items(struct bench_state *state, uint64_t items);
void bench_set_bytes(struct bench_state *state, uint64_t bytes);
void bench_set_counter(struct bench_state *state, const char *name, double value);

/* Give up with a message, before the loop or inside it. bench_run then returns 1. */
void bench_fail(struct bench_state *state, const char *message);

/* Make the compiler assume that all memory reachable from `pointer` is read. */
void bench_keep(const void *pointer);

/* Run those registered benchmarks that the flags select. `item` is the name of what is counted
 * ("key"). Returns an exit code. Call it once. */
int bench_run(int argc, char **argv, const char *item);

#ifdef __cplusplus
}
#endif

#endif
