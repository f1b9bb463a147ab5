/* Google Benchmark for C: register functions, loop, say how much one iteration handled.
 *
 *     static void run(struct bench_state *state, const void *data)
 *     {
 *         while (bench_next(state)) {
 *             ... one iteration ...
 *         }
 *         bench_set_items(state, n_keys);
 *     }
 *
 * Every benchmark is repeated; the console gets one line for each with the median of the time per item
 * and its extremes, and --benchmark_out=FILE --benchmark_out_format=json gets everything. The other
 * flags are Google Benchmark's. One thread, CPU time: micro benchmarks measure one core. */
#ifndef MR_BENCH_SHIM_H
#define MR_BENCH_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bench_state; /* of one running benchmark; valid during its call */

typedef void (*bench_function)(struct bench_state *state, const void *data);

/* Add a benchmark: "group/variant". `name` is copied, `data` is the caller's and outlives bench_run. */
void bench_register(const char *name, bench_function function, const void *data);

/* True as long as there is another iteration to run. Make one of them take microseconds at least: the
 * call costs a few nanoseconds. */
bool bench_next(struct bench_state *state);

/* After the loop: what one iteration handled, and figures of one's own. */
void bench_set_items(struct bench_state *state, uint64_t items);
void bench_set_bytes(struct bench_state *state, uint64_t bytes);
void bench_set_counter(struct bench_state *state, const char *name, double value);

/* Give up with a message, before the loop or inside it; bench_run then returns 1. */
void bench_fail(struct bench_state *state, const char *message);

/* Make the compiler believe that somebody reads all memory reachable from `pointer`. */
void bench_keep(const void *pointer);

/* Run what the flags select of everything registered; `item` names what is counted ("key"). Returns
 * an exit code. Call it once. */
int bench_run(int argc, char **argv, const char *item);

#ifdef __cplusplus
}
#endif

#endif
