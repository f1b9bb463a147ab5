/* millrace precedence: scores to crawler precedence. */
#include <math.h>
#include <string.h>

#include "algorithms/precedence.h"
#include "cli/command.h"
#include "engine/io.h"
#include "engine/memory.h"
#include "formats/precedence_file.h"

struct percentages {
    unsigned n; /* 0: not given */
    double values[MR_PRECEDENCE_MAX_LEVELS];
};

struct precedence_flags {
    struct mr_common_flags common;
    const char *output;
    const char *column;
    uint64_t levels; /* 0: not given */
    struct percentages percentages;
};

static const struct precedence_flags defaults = {.common = MR_COMMON_DEFAULTS};

/* "10,20,70". */
static enum mr_status parse_percentages(const char *text, void *value, struct mr_error *err)
{
    static const struct mr_range range = {.least = 0.0, .most = 100.0, .above_least = true};
    struct percentages *percentages = value;
    double sum = 0.0;

    percentages->n = 0;
    for (;;) {
        char number[32];
        struct mr_error reason = {0};
        const size_t length = strcspn(text, ",");

        if (percentages->n == MR_PRECEDENCE_MAX_LEVELS) {
            return mr_error_set(err, MR_ERROR_USAGE, "more than %d levels",
                                MR_PRECEDENCE_MAX_LEVELS);
        }
        (void)snprintf(number, sizeof number, "%.*s", (int)length, text);
        double *percentage = &percentages->values[percentages->n];
        if (length >= sizeof number ||
            mr_value_real(number, &range, percentage, &reason) != MR_OK) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "must be numbers above 0 with commas between, such as 10,20,70");
        }
        sum += *percentage;
        percentages->n++;
        if (text[length] == '\0') {
            break;
        }
        text += length + 1;
    }
    if (fabs(sum - 100.0) > 1e-6) {
        return mr_error_set(err, MR_ERROR_USAGE, "must add up to 100, not %.10g", sum);
    }
    return MR_OK;
}

#define FIELD(name) offsetof(struct precedence_flags, name)
static const struct mr_option precedence_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "FILE",
     .help = "Where to write; .gz and .zst compress. Default: standard output."},
    {.name = "levels",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(levels),
     .value = "N",
     .least = 1,
     .most = MR_PRECEDENCE_MAX_LEVELS,
     .help = "N levels with equally many pages each. Default 5."},
    {.name = "percentages",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(percentages),
     .value = "P,P,...",
     .parse = parse_percentages,
     .help = "Levels with that many percent of the pages each, the best first."},
    {.name = "column",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(column),
     .value = "NAME|K",
     .help = "Of several scores per line: the K-th (from 1), or the one that the header line calls "
             "NAME. Default: the last."},
    {0}};
#undef FIELD

static enum mr_status check_flags(struct mr_session *session, const struct precedence_flags *flags,
                                  struct mr_error *err)
{
    if (flags->percentages.n > 0 && flags->levels > 0 && flags->levels != flags->percentages.n) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--levels %u and --percentages with %u numbers contradict each other; "
                            "leave out --levels",
                            (unsigned)flags->levels, flags->percentages.n);
    }
    if (flags->common.json && !flags->common.estimate && mr_is_standard_output(flags->output)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "precedence --json: standard output is taken by the levels; say -o "
                            "FILE");
    }
    return mr_session_check_output(session, flags->output, err);
}

static unsigned level_count(const struct precedence_flags *flags)
{
    if (flags->percentages.n > 0) {
        return flags->percentages.n;
    }
    return flags->levels > 0 ? (unsigned)flags->levels : 5;
}

static enum mr_status report(struct mr_session *session, const struct precedence_flags *flags,
                             const uint64_t *counts, const struct mr_precedence_summary *summary,
                             struct mr_error *err)
{
    char rows[32], first[32], escaped[32];
    const unsigned n_levels = level_count(flags);
    struct mr_json json;
    enum mr_status status;

    if (summary->escaped > 0) {
        mr_session_say(session, "note: %s names had blanks or control bytes; written as %%XX",
                       mr_count_text(summary->escaped, escaped));
    }
    mr_session_say(session, "%s pages on %u level%s, %s of them on level 1",
                   mr_count_text(summary->rows, rows), n_levels, n_levels == 1 ? "" : "s",
                   mr_count_text(counts[0], first));
    if (!flags->common.json) {
        return MR_OK;
    }
    json = mr_json_create();
    json_t *levels = json_array();
    for (unsigned i = 0; i < n_levels; i++) {
        if (json_array_append_new(levels, json_integer((json_int_t)counts[i])) != 0) {
            json.failed = true;
        }
    }
    mr_json_count(&json, "pages", summary->rows);
    mr_json_add(&json, "levels", levels);
    mr_json_count(&json, "escaped", summary->escaped);
    status = mr_json_print(&json, stdout, err);
    mr_json_destroy(&json);
    return status;
}

/* Levels of an opened score file, written out. */
static enum mr_status assign(struct mr_session *session, const struct precedence_flags *flags,
                             struct mr_score_file *file, struct mr_error *err)
{
    const struct mr_context *context = &session->context;
    const struct mr_precedence_options options = {
        .struct_size = sizeof options,
        .n_levels = level_count(flags),
        .percentages = flags->percentages.n > 0 ? flags->percentages.values : NULL};
    uint64_t counts[MR_PRECEDENCE_MAX_LEVELS] = {0};
    struct mr_precedence_summary summary = {0};
    uint64_t n_scores = 0;
    void *levels = NULL;

    const double *scores = mr_score_file_scores(file, &n_scores);
    enum mr_status status =
        mr_memory_alloc(context->memory, "precedence levels", n_scores + 1, &levels, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_precedence_levels(context, scores, n_scores, &options, levels, counts, err);
    if (status == MR_OK) {
        mr_session_leave_terminal(session, flags->output);
        status = mr_precedence_write(file, levels, n_scores, flags->output, flags->common.force,
                                     &summary, err);
    }
    mr_memory_free(context->memory, levels);
    return status == MR_OK ? report(session, flags, counts, &summary, err) : status;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct precedence_flags *flags = data;
    struct mr_score_file *file = NULL;

    enum mr_status status = check_flags(session, flags, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        const struct mr_estimate estimate = {.memory_bytes = MR_MEMORY_FLOOR_BYTES};
        return mr_session_estimate(session, &estimate, err);
    }
    status = mr_score_file_open(&session->context, parsed->operands[0], flags->column, &file, err);
    if (status != MR_OK) {
        return status;
    }
    status = assign(session, flags, file, err);
    mr_score_file_close(file);
    return status;
}

const struct mr_command mr_command_precedence = {
    .name = "precedence",
    .summary = "turn scores into crawler precedence levels",
    .usage = "precedence SCORES -o FILE [OPTIONS]",
    .text = "Reads lines NAME<TAB>SCORE and writes lines NAME LEVEL, which Heritrix reads: level 1 "
            "for the pages with the best scores, to be fetched first, then 2 and so on. Pages with "
            "equal scores are taken in the order of the file.",
    .examples = "  millrace precedence scores.tsv -o precedence.txt\n"
                "  millrace precedence scores.tsv.gz --percentages 1,9,90 -o precedence.txt\n",
    .groups = {{.title = "Levels", .options = precedence_options, .base = 0}, MR_COMMON_GROUP},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a file of scores (- for standard input)",
    .run = run,
};
