/* SPDX-License-Identifier: Apache-2.0 */
/* Counts in messages. */
#ifndef MR_ENGINE_BASE_COUNT_TEXT_H
#define MR_ENGINE_BASE_COUNT_TEXT_H

#include <stdint.h>

/* "1,234,567", as the summaries write counts. Returns `text`. */
const char *mr_count_text(uint64_t count, char text[32]);

#endif
