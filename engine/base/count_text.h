/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, sizes, bounds and times in messages. Each function writes into `text` and returns it. */
#ifndef MR_ENGINE_BASE_COUNT_TEXT_H
#define MR_ENGINE_BASE_COUNT_TEXT_H

#include <stdint.h>

/* "1,234,567", as the summaries write counts. */
const char *mr_count_text(uint64_t count, char text[32]);
/* "1 link", "1,234,567 links", "2 passes". */
const char *mr_count_of_text(uint64_t count, const char *noun, char text[64]);

/* "1.5 GB", "64.0 MB", "17 bytes": what lies on disk. */
const char *mr_size_text(uint64_t bytes, char text[32]);

/* Messages give memory in the units of the budget, which are those that the user gave to --memory:
 * powers of 1000 if `limit_bytes` is a multiple of 1 MB, or of 1 kB and not of 1 KiB; else powers
 * of 1024. mr_size_text_of writes "64.5 MB" or "64.5 MiB". mr_size_option writes a whole number,
 * rounded up, that works as a value of --memory: "65M" or "65Mi". */
const char *mr_size_text_of(uint64_t bytes, uint64_t limit_bytes, char text[32]);
const char *mr_size_option(uint64_t bytes, uint64_t limit_bytes, char text[32]);

/* A bound (>= 0) with two digits, such as "8.8e-11". It is rounded up, so that the printed number
 * is a bound as well. "0" for 0, and "infinite" for a bound that is not finite. */
const char *mr_bound_text(double bound, char text[32]);

/* "2026-11-26T09:00:00Z", of seconds since 1970; "?" beyond the calendar. */
const char *mr_time_text(uint64_t seconds, char text[32]);

#endif
