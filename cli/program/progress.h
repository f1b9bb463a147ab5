/* Progress on standard error: a bar on a terminal, a line every 30 seconds elsewhere.
 *
 * The bar shows the share done, passes, error bound, edges/s, MB/s and the time left. It is redrawn
 * at most ten times a second and taken away before any other message. */
#ifndef MR_CLI_PROGRAM_PROGRESS_H
#define MR_CLI_PROGRAM_PROGRESS_H

#include <pthread.h>
#include <stdio.h>

#include "engine/base/context.h"

enum mr_meter_style {
    MR_METER_NONE,
    MR_METER_LINES, /* one line per 30 seconds */
    MR_METER_BAR /* one line, redrawn */
};

/* Where the meter stands. Plain data: initialise with mr_meter_init. */
struct mr_meter {
    FILE *out;
    enum mr_meter_style style;
    bool color;
    unsigned columns; /* width of the terminal */
    /* Of a ranking, where the share done is not that of the stage: */
    double goal; /* error bound wanted, or 0 */
    uint64_t rounds; /* passes wanted, or 0 */
    char stage[32]; /* of the latest report */
    uint64_t edges, bytes; /* of the latest report */
    double counted_at; /* when they changed last */
    double stage_began; /* seconds on the caller's clock */
    double last_shown; /* < 0: nothing shown yet */
    double first_bound; /* the stage's first error bound, < 0 before there is one, */
    double first_bound_at; /* and when it came */
    struct mr_progress rank; /* the latest report of a solver, which those of its passes add to */
    char detail[64]; /* what rank.detail points to, if anything */
    bool line_open; /* the bar stands on the last line */
    pthread_mutex_t mutex; /* a note may come from any thread */
};

/* The style for `out`: NONE when `quiet`, BAR on a terminal that can move its cursor (TERM is set
 * and not "dumb"), else LINES. Colour only with BAR and without NO_COLOR. */
void mr_meter_init(struct mr_meter *meter, FILE *out, bool quiet);

/* Take a report at `now` seconds of any steady clock, and show it when it is time to. A solver's
 * reports (stage "rank", one per pass) and those of its passes (stage "pass", bands done) come in
 * turn and are shown as one. */
void mr_meter_update(struct mr_meter *meter, const struct mr_progress *report, double now);

/* Print `text` as a line of its own, the bar out of the way. Works with MR_METER_NONE too. */
void mr_meter_print(struct mr_meter *meter, const char *text);

/* Take the bar away. */
void mr_meter_clear(struct mr_meter *meter);

/* The report as text, without escape sequences: "rank 43%, ETA 1:05, 12 passes, bound 3.2e-05, ...".
 * `share` done and seconds `left`, < 0 where unknown; edges and bytes were counted over `rated`
 * seconds. Returns `text`. */
const char *mr_meter_text(const struct mr_progress *progress, double share, double left,
                          double rated, char *text, size_t text_bytes);

#endif
