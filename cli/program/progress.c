/* SPDX-License-Identifier: Apache-2.0 */
/* Shows progress on standard error. The library reports through context->progress, and session.c
 * passes the reports on to the meter. The meter decides what to show and how often, so that the
 * library need not know about terminals or time. A caller gives the clock, so that tests need
 * not wait. */
#include "cli/program/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/program/json.h"

#define BAR_INTERVAL_S   0.1
#define LINE_INTERVAL_S  30.0
#define JSON_INTERVAL_S  60.0
#define SHORTEST_RATED_S 0.2 /* rates over a shorter time mean nothing */

enum { MOST_CELLS = 20, FEWEST_CELLS = 5, DEFAULT_COLUMNS = 80, MAX_LINE = 256 };

void mr_meter_init(struct mr_meter *meter, FILE *out, int wanted)
{
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    const int fd = fileno(out);
    struct winsize size;

    *meter = (struct mr_meter){.out = out,
                               .style = MR_METER_LINES,
                               .columns = DEFAULT_COLUMNS,
                               .last_shown = -1.0,
                               .first_bound = -1.0,
                               .mutex = PTHREAD_MUTEX_INITIALIZER};
    if (wanted == MR_PROGRESS_NEVER) {
        meter->style = MR_METER_NONE;
    } else if (wanted == MR_PROGRESS_JSON) {
        meter->style = MR_METER_JSON;
    } else if (wanted == MR_PROGRESS_AUTO && isatty(fd) && term != NULL && term[0] != '\0' &&
               strcmp(term, "dumb") != 0) {
        meter->style = MR_METER_BAR;
        meter->color = no_color == NULL || no_color[0] == '\0';
        if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) {
            meter->columns = size.ws_col;
        }
    }
}

/* ---- Text ---- */

struct progress_line {
    char *text;
    size_t bytes;
    size_t used;
};

static void append(struct progress_line *line, const char *format, ...) MR_PRINTF(2, 3);

static void append(struct progress_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int wrote =
        vsnprintf(line->text + line->used, line->bytes - line->used, format, arguments);
    va_end(arguments);
    if (wrote > 0) {
        line->used += (size_t)wrote;
    }
    if (line->used >= line->bytes) {
        line->used = line->bytes - 1;
    }
}

/* 12345678 -> ", 12.3 M edges/s". */
static void append_rate(struct progress_line *line, double rate, const char *unit)
{
    static const char prefixes[] = " kMGT";
    size_t prefix = 0;
    while (rate >= 999.5 && prefixes[prefix + 1] != '\0') {
        rate /= 1000.0;
        prefix++;
    }
    const int decimals = prefix == 0 || rate >= 99.95 ? 0 : rate >= 9.995 ? 1 : 2;
    append(line, ", %.*f %.*s%s%s/s", decimals, rate, prefix == 0 ? 0 : 1, &prefixes[prefix],
           prefix == 0 || unit[0] == 'B' ? "" : " ", unit);
}

static void append_time_left(struct progress_line *line, double left)
{
    if (left >= 0x1p40) {
        return;
    }
    const unsigned long long s = (unsigned long long)(left + 0.5);
    if (s >= 3600) {
        append(line, ", ETA %llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
    } else {
        append(line, ", ETA %llu:%02llu", s / 60, s % 60);
    }
}

const char *mr_meter_text(const struct mr_progress *progress, double share, double left,
                          double rated, char *text, size_t text_bytes)
{
    struct progress_line line = {.text = text, .bytes = text_bytes};

    append(&line, "%s", progress->stage);
    if (share >= 0.0) {
        append(&line, " %d%%", (int)(100.0 * share));
    } else if (progress->total > 0) {
        append(&line, " %d%% of pass %u", (int)(100 * progress->done / progress->total),
               progress->passes + 1);
    } else if (progress->done > 0) {
        append(&line, " %llu %s", (unsigned long long)progress->done, progress->unit);
    }
    if (left >= 0.0) {
        append_time_left(&line, left);
    }
    if (progress->passes > 0) {
        append(&line, ", %u pass%s", progress->passes, progress->passes == 1 ? "" : "es");
    }
    if (progress->error_bound > 0.0) {
        append(&line, ", bound %.1e", progress->error_bound);
    }
    if (progress->detail != NULL) {
        append(&line, ", %s", progress->detail);
    }
    if (rated >= SHORTEST_RATED_S && progress->edges > 0) {
        append_rate(&line, (double)progress->edges / rated, "edges");
    }
    if (rated >= SHORTEST_RATED_S && progress->bytes > 0) {
        append_rate(&line, (double)progress->bytes / rated, "B");
    }
    return text;
}

/* ---- How far, how long ---- */

/* Rounds and a goal apply to the solver only, not to a build before it. */
static bool has_rounds(const struct mr_meter *meter)
{
    return meter->rounds > 0 && strcmp(meter->stage, "rank") == 0;
}

static bool has_goal(const struct mr_meter *meter)
{
    return meter->goal > 0.0 && strcmp(meter->stage, "rank") == 0;
}

/* Returns the share done in [0, 1], or < 0 where it is unknown. With a goal, the share is
 * measured on the logarithm of the error bound, because every pass divides the bound by about
 * the same factor. */
static double share_done(const struct mr_meter *meter, const struct mr_progress *progress)
{
    const double of_stage =
        progress->total > 0 ? (double)progress->done / (double)progress->total : 0.0;
    double share = -1.0;

    if (has_rounds(meter)) {
        share = (progress->passes + of_stage) / (double)meter->rounds;
    } else if (has_goal(meter)) {
        if (meter->first_bound > meter->goal && progress->error_bound > 0.0) {
            share = log(meter->first_bound / progress->error_bound) /
                    log(meter->first_bound / meter->goal);
            share = fmax(share, 0.0);
        }
    } else if (progress->total > 0) {
        share = of_stage;
    }
    return fmin(share, 1.0);
}

static double seconds_left(const struct mr_meter *meter, double share, double now)
{
    const double began =
        has_goal(meter) && !has_rounds(meter) ? meter->first_bound_at : meter->stage_began;
    const double seconds = now - began;
    if (share <= 0.01 || seconds < 1.0) {
        return -1.0;
    }
    return seconds * (1.0 - share) / share;
}

/* Returns the width of the bar, which gets the room that the text leaves. The width changes in
 * large steps, so that the bar does not flicker. */
static int bar_cells(int room, const char *text)
{
    int cells = MOST_CELLS;
    while (cells >= FEWEST_CELLS && cells + 3 + (int)strlen(text) > room) {
        cells /= 2;
    }
    return cells >= FEWEST_CELLS ? cells : 0;
}

/* Bytes of the text that fit into the room: whole parts, because a number that is cut is another
 * one. The first part may be cut. */
static int whole_parts(const char *text, int room)
{
    int fits = 0;

    for (int at = 0; text[at] != '\0';) {
        at += 1 + (int)strcspn(text + at + 1, ",");
        fits = at <= room ? at : fits;
    }
    return fits > 0 ? fits : room;
}

static void draw_bar(struct mr_meter *meter, double share, const char *text)
{
    char bar[MOST_CELLS + 4] = "";
    /* The last column stays empty, because some terminals wrap after a write to it. */
    const int room = (int)meter->columns - 1;
    const int cells = bar_cells(room, text);

    if (cells > 0) {
        char *end = bar;
        *end++ = '[';
        for (int i = 0; i < cells; i++) {
            *end++ = i < (int)(share * cells) ? '#' : '.';
        }
        memcpy(end, "] ", 3);
    }
    (void)fprintf(meter->out, "\r\033[K%s%s%.*s%s", meter->color ? "\033[36m" : "", bar,
                  whole_parts(text, room - (int)strlen(bar)), text, meter->color ? "\033[0m" : "");
    (void)fflush(meter->out);
    meter->line_open = true;
}

/* ---- JSON ---- */

static void add_if(struct mr_json *json, const char *key, double value, bool is_known)
{
    if (is_known) {
        mr_json_real(json, key, value);
    }
}

static void print_object(const struct mr_meter *meter, const struct mr_progress *progress,
                         double share, double left, double now)
{
    struct mr_json json = mr_json_create_event("progress");

    mr_json_text(&json, "stage", progress->stage);
    add_if(&json, "share", share, share >= 0.0);
    mr_json_real(&json, "seconds", now - meter->began);
    add_if(&json, "seconds_left", left, left >= 0.0);
    mr_json_count(&json, "passes", progress->passes);
    add_if(&json, "error_bound", progress->error_bound, progress->error_bound > 0.0);
    mr_json_count(&json, "edges", progress->edges);
    mr_json_count(&json, "bytes", progress->bytes);
    if (progress->detail != NULL) {
        mr_json_text(&json, "detail", progress->detail);
    }
    mr_json_line_and_destroy(&json, meter->out);
}

/* ---- Reports ---- */

static void note_stage(struct mr_meter *meter, const struct mr_progress *progress, double now)
{
    const bool same = strncmp(meter->stage, progress->stage, sizeof meter->stage - 1) == 0;

    if (!same || progress->edges < meter->edges) {
        meter->stage_began = now;
        if (!same) {
            meter->first_bound = -1.0;
        }
        (void)snprintf(meter->stage, sizeof meter->stage, "%s", progress->stage);
    }
    if (progress->edges != meter->edges || progress->bytes != meter->bytes) {
        meter->counted_at = now;
    }
    meter->edges = progress->edges;
    meter->bytes = progress->bytes;
    if (meter->first_bound < 0.0 && progress->error_bound > 0.0) {
        meter->first_bound = progress->error_bound;
        meter->first_bound_at = now;
    }
    if (meter->last_shown < 0.0) {
        meter->last_shown = now;
    }
}

/* Joins the report of a pass with the latest report of its solver. */
static struct mr_progress join(struct mr_meter *meter, const struct mr_progress *progress)
{
    struct mr_progress joined = *progress;

    if (strcmp(progress->stage, "rank") == 0) {
        meter->rank = *progress;
        meter->rank.detail = NULL;
        if (progress->detail != NULL) {
            (void)snprintf(meter->detail, sizeof meter->detail, "%s", progress->detail);
            meter->rank.detail = meter->detail;
        }
    } else if (strcmp(progress->stage, "pass") == 0) {
        joined.stage = "rank";
        joined.edges = meter->rank.edges;
        joined.bytes = meter->rank.bytes;
        joined.error_bound = meter->rank.error_bound;
        joined.detail = meter->rank.detail;
    }
    return joined;
}

static void take_bar_away(struct mr_meter *meter)
{
    if (meter->line_open) {
        (void)fputs("\r\033[K", meter->out);
        (void)fflush(meter->out);
        meter->line_open = false;
    }
}

void mr_meter_ask(struct mr_meter *meter)
{
    (void)pthread_mutex_lock(&meter->mutex);
    meter->asked = true;
    (void)pthread_mutex_unlock(&meter->mutex);
}

void mr_meter_update(struct mr_meter *meter, const struct mr_progress *report, double now)
{
    char text[MAX_LINE];
    const double interval = meter->style == MR_METER_BAR    ? BAR_INTERVAL_S
                            : meter->style == MR_METER_JSON ? JSON_INTERVAL_S
                                                            : LINE_INTERVAL_S;

    (void)pthread_mutex_lock(&meter->mutex);
    const struct mr_progress joined = join(meter, report);
    const struct mr_progress *progress = &joined;
    note_stage(meter, progress, now);
    const bool asked = meter->asked;
    meter->asked = false;
    if (asked || (meter->style != MR_METER_NONE && now - meter->last_shown >= interval)) {
        const double share = share_done(meter, progress);
        const double left = seconds_left(meter, share, now);
        (void)mr_meter_text(progress, share, left, meter->counted_at - meter->stage_began, text,
                            sizeof text);
        if (meter->style == MR_METER_JSON) {
            print_object(meter, progress, share, left, now);
        } else if (meter->style == MR_METER_BAR && !asked) {
            draw_bar(meter, share, text);
        } else {
            take_bar_away(meter);
            (void)fprintf(meter->out, "millrace: %s\n", text);
        }
        meter->last_shown = now;
    }
    (void)pthread_mutex_unlock(&meter->mutex);
}

void mr_meter_print(struct mr_meter *meter, const char *text)
{
    (void)pthread_mutex_lock(&meter->mutex);
    take_bar_away(meter);
    (void)fprintf(meter->out, "%s\n", text);
    (void)pthread_mutex_unlock(&meter->mutex);
}

void mr_meter_clear(struct mr_meter *meter)
{
    (void)pthread_mutex_lock(&meter->mutex);
    take_bar_away(meter);
    (void)pthread_mutex_unlock(&meter->mutex);
}
