#include "cli/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_INTERVAL_S   0.1
#define LINE_INTERVAL_S  30.0
#define SHORTEST_RATED_S 0.2 /* below it rates say nothing */

enum { BAR_CELLS = 20, DEFAULT_COLUMNS = 80, MAX_LINE = 256 };

void mr_meter_init(struct mr_meter *meter, FILE *out, bool quiet)
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
    if (quiet) {
        meter->style = MR_METER_NONE;
    } else if (isatty(fd) && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0) {
        meter->style = MR_METER_BAR;
        meter->color = no_color == NULL || no_color[0] == '\0';
        if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) {
            meter->columns = size.ws_col;
        }
    }
}

/* ---- Text ---- */

struct line {
    char *text;
    size_t bytes;
    size_t used;
};

static void append(struct line *line, const char *format, ...) MR_PRINTF(2, 3);

static void append(struct line *line, const char *format, ...)
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

/* 12345678 -> "12.3 M". */
static void append_rate(struct line *line, double rate, const char *unit)
{
    static const char prefixes[] = " kMGT";
    size_t prefix = 0;
    while (rate >= 999.95 && prefixes[prefix + 1] != '\0') {
        rate /= 1000.0;
        prefix++;
    }
    if (prefix == 0) {
        append(line, ", %.0f %s/s", rate, unit);
    } else {
        append(line, ", %.1f %c%s%s/s", rate, prefixes[prefix], unit[0] == 'B' ? "" : " ", unit);
    }
}

static void append_time_left(struct line *line, double left)
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

const char *mr_meter_text(const struct mr_progress *progress, double share, double seconds,
                          double left, char *text, size_t text_bytes)
{
    struct line line = {.text = text, .bytes = text_bytes};

    append(&line, "%s", progress->stage);
    if (share >= 0.0) {
        append(&line, " %d%%", (int)(100.0 * share));
    } else if (progress->total > 0) {
        append(&line, " %d%% of pass %u", (int)(100 * progress->done / progress->total),
               progress->passes + 1);
    } else if (progress->done > 0) {
        append(&line, " %llu %s", (unsigned long long)progress->done, progress->unit);
    }
    if (progress->passes > 0) {
        append(&line, ", %u pass%s", progress->passes, progress->passes == 1 ? "" : "es");
    }
    if (progress->error_bound > 0.0) {
        append(&line, ", error bound %.1e", progress->error_bound);
    }
    if (seconds >= SHORTEST_RATED_S && progress->edges > 0) {
        append_rate(&line, (double)progress->edges / seconds, "edges");
    }
    if (seconds >= SHORTEST_RATED_S && progress->bytes > 0) {
        append_rate(&line, (double)progress->bytes / seconds, "B");
    }
    if (left >= 0.0) {
        append_time_left(&line, left);
    }
    return text;
}

/* ---- How far, how long ---- */

/* The share done in [0, 1], or < 0 where nobody knows. With a goal: on the logarithm of the error
 * bound, which falls by about the same factor in every pass. */
static double share_done(const struct mr_meter *meter, const struct mr_progress *progress)
{
    const double of_stage =
        progress->total > 0 ? (double)progress->done / (double)progress->total : 0.0;
    double share = -1.0;

    if (meter->rounds > 0) {
        share = (progress->passes + of_stage) / (double)meter->rounds;
    } else if (meter->goal > 0.0) {
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
    const double began = meter->goal > 0.0 ? meter->first_bound_at : meter->stage_began;
    const double seconds = now - began;
    if (share <= 0.01 || seconds < 1.0) {
        return -1.0;
    }
    return seconds * (1.0 - share) / share;
}

static void draw_bar(struct mr_meter *meter, double share, const char *text)
{
    char bar[BAR_CELLS + 1];
    char line[MAX_LINE + BAR_CELLS + 4];
    const int full = share < 0.0 ? 0 : (int)(share * BAR_CELLS);
    /* The last column stays free: writing to it makes some terminals wrap. */
    const int room = (int)(meter->columns < MAX_LINE ? meter->columns : MAX_LINE) - 1;

    for (int i = 0; i < BAR_CELLS; i++) {
        bar[i] = i < full ? '#' : '.';
    }
    bar[BAR_CELLS] = '\0';
    (void)snprintf(line, sizeof line, "[%s] %s", bar, text);
    (void)fprintf(meter->out, "\r\033[K%s%.*s%s", meter->color ? "\033[36m" : "", room, line,
                  meter->color ? "\033[0m" : "");
    (void)fflush(meter->out);
    meter->line_open = true;
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
    meter->edges = progress->edges;
    if (meter->first_bound < 0.0 && progress->error_bound > 0.0) {
        meter->first_bound = progress->error_bound;
        meter->first_bound_at = now;
    }
    if (meter->last_shown < 0.0) {
        meter->last_shown = now;
    }
}

/* One report out of a solver's and those of its passes. */
static struct mr_progress join(struct mr_meter *meter, const struct mr_progress *progress)
{
    struct mr_progress joined = *progress;

    if (strcmp(progress->stage, "rank") == 0) {
        meter->rank = *progress;
    } else if (strcmp(progress->stage, "pass") == 0) {
        joined.stage = "rank";
        joined.edges = meter->rank.edges;
        joined.bytes = meter->rank.bytes;
        joined.error_bound = meter->rank.error_bound;
    }
    return joined;
}

void mr_meter_update(struct mr_meter *meter, const struct mr_progress *report, double now)
{
    char text[MAX_LINE];
    const double interval = meter->style == MR_METER_BAR ? BAR_INTERVAL_S : LINE_INTERVAL_S;

    if (meter->style == MR_METER_NONE) {
        return;
    }
    (void)pthread_mutex_lock(&meter->mutex);
    const struct mr_progress joined = join(meter, report);
    const struct mr_progress *progress = &joined;
    note_stage(meter, progress, now);
    if (now - meter->last_shown >= interval) {
        const double share = share_done(meter, progress);
        (void)mr_meter_text(progress, share, now - meter->stage_began,
                            seconds_left(meter, share, now), text, sizeof text);
        if (meter->style == MR_METER_BAR) {
            draw_bar(meter, share, text);
        } else {
            (void)fprintf(meter->out, "millrace: %s\n", text);
        }
        meter->last_shown = now;
    }
    (void)pthread_mutex_unlock(&meter->mutex);
}

static void take_bar_away(struct mr_meter *meter)
{
    if (meter->line_open) {
        (void)fputs("\r\033[K", meter->out);
        (void)fflush(meter->out);
        meter->line_open = false;
    }
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
