/* SPDX-License-Identifier: Apache-2.0 */
/* Progress on standard error: a bar on a terminal, a line every 30 seconds elsewhere, or an object
 * of JSON every minute.
 *
 * The bar shows the share done, passes, error bound, edges/s, MB/s and the time left. The meter
 * redraws it at most ten times a second and removes it before any other message. */
#ifndef MR_CLI_PROGRAM_PROGRESS_H
#define MR_CLI_PROGRAM_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "millrace/context.h"

enum mr_progress_wanted {
    MR_PROGRESS_AUTO,
    MR_PROGRESS_ALWAYS,
    MR_PROGRESS_NEVER,
    MR_PROGRESS_JSON
};

enum mr_meter_style {
    MR_METER_NONE,
    MR_METER_LINES, /* one line per 30 seconds */
    MR_METER_BAR, /* one line, redrawn */
    MR_METER_JSON /* one object per minute, each on a line */
};

/* State of the meter. Plain data: mr_meter_init initialises it, and nothing needs freeing. */
struct mr_meter {
    FILE *out;
    enum mr_meter_style style;
    bool color;
    unsigned columns; /* width of the terminal */
    /* For a ranking, whose share done is more than the share of its stage: */
    double goal; /* error bound wanted, or 0 */
    uint64_t rounds; /* passes wanted, or 0 */
    char stage[32]; /* of the latest report */
    uint64_t edges, bytes; /* of the latest report */
    double began; /* seconds on the caller's clock */
    double counted_at; /* when edges or bytes changed last */
    double stage_began;
    double last_shown; /* < 0: no report yet */
    double first_bound; /* the stage's first error bound, < 0 before the first one */
    double first_bound_at; /* when first_bound came */
    struct mr_progress rank; /* latest report of a solver; reports of its passes are added to it */
    char detail[64]; /* rank.detail points here, or is NULL */
    bool line_open; /* the bar is on the last line */
    bool asked; /* the next report is shown as a line, in any style */
    pthread_mutex_t mutex; /* a note may come from any thread */
};

/* Chooses the style for `out`: NONE for NEVER, LINES for ALWAYS, JSON for JSON; for AUTO (enum
 * mr_progress_wanted) BAR on a terminal that can move its cursor (TERM is set and not "dumb"), else
 * LINES. Uses colour only with BAR and where NO_COLOR is not set. */
void mr_meter_init(struct mr_meter *meter, FILE *out, int wanted);

/* Takes a report at `now` seconds of any steady clock, and shows it when the interval is over. A
 * solver reports once per pass (stage "rank"); each of its passes reports finished bands (stage
 * "pass"). The meter shows both as one line. Thread-safe. */
void mr_meter_update(struct mr_meter *meter, const struct mr_progress *report, double now);

/* The next report is shown at once, as a line of its own, also with MR_METER_NONE. */
void mr_meter_ask(struct mr_meter *meter);

/* Removes the bar and prints `text` as a line of its own, also with MR_METER_NONE. Thread-safe. */
void mr_meter_print(struct mr_meter *meter, const char *text);

/* Removes the bar. Thread-safe. */
void mr_meter_clear(struct mr_meter *meter);

/* Writes the report as text without escape sequences: "rank 43%, ETA 1:05, 12 passes, bound
 * 3.2e-05, ...". `share` is the share done, `left` the seconds left; both are < 0 where unknown.
 * `rated` is the seconds over which edges and bytes were counted. Returns `text`. */
const char *mr_meter_text(const struct mr_progress *progress, double share, double left,
                          double rated, char *text, size_t text_bytes);

#endif
