/* SPDX-License-Identifier: Apache-2.0 */
/* millrace precedence: turns scores into precedence levels for a crawler. This file has the
 * flags and their checks; levels_file.c reads the scores, makes the levels and writes the file. */
#include <math.h>
#include <string.h>

#include "cli/levels/levels_file.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "formats/score/scores.h"
#include "library/query/precedence_rows.h"

static const struct mr_precedence_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                                    .max_unknown = MR_MAX_UNKNOWN_DEFAULT};

/* Parses percentages such as "10,20,70". */
static enum mr_status parse_percentages(const char *text, void *value, struct mr_error *err)
{
    static const struct mr_range range = {.least = 0.0, .most = 100.0, .above_least = true};
    struct mr_percentages *percentages = value;
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

#define FIELD(name) offsetof(struct mr_precedence_flags, name)
static const struct mr_option precedence_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "FILE", .file = MR_FILE_WRITE,
     .help = "Write to FILE. .gz and .zst compress. Without --crawler a .csv, .jsonl, .json or "
             ".parquet has the columns name, level and score. Default: standard output.",
     .often = true},
    {"levels", 0, MR_OPTION_COUNT, FIELD(levels), "N", .least = 1, .most = MR_PRECEDENCE_MAX_LEVELS,
     .also = "buckets", .help = "Make N levels with equally many pages each. Default 5.",
     .often = true},
    {"percentages", 0, MR_OPTION_PARSED, FIELD(percentages), "P,P,...", .parse = parse_percentages,
     .help = "Make levels with these percentages of the pages, the best pages first.",
     .often = true},
    {"log-scale", 0, MR_OPTION_FLAG, FIELD(file.logarithmic),
     .help = "Make levels of equal width on the logarithm of the score, from the best score to the "
             "lowest above 0. Levels then have different numbers of pages."},
    {"per-host", 0, MR_OPTION_FLAG, FIELD(file.per_host),
     .help = "Make levels for the pages of each host separately. The best page of each host is on "
             "level 1.",
     .often = true},
    {"crawler", 0, MR_OPTION_CHOICE, FIELD(file.format), "CRAWLER", .choices = MR_CRAWLER_CHOICES,
     .help =
         "Write the format of a crawler: heritrix (URI LEVEL), nutch (injector, nutch.score=), "
         "nutch-nodes (nodes/part-r-00000 of a WebGraph, for scoreupdater), stormcrawler "
         "(metadata), urlfrontier (items for PutURLs), frontera (0 to 1, lower first, as the "
         "queues of sqlalchemy and memory take them), frontera-hbase (higher first, HBase and "
         "Redis), scrapy (priority, higher first), commoncrawl (the format of its ranks). Default "
         "heritrix.",
     .often = true},
    {"spellings", 0, MR_OPTION_TEXT, FIELD(store), "STORE", .file = MR_FILE_READ,
     .help = "The store of the scores. If it was built with a profile, write a line for every "
             "spelling of a page, because crawlers look up a URL as they met it. Default: the "
             "store that SCORES.meta.json names, if it has a profile."},
    {"only-changed", 0, MR_OPTION_TEXT, FIELD(file.only_changed), "OLD", .file = MR_FILE_READ,
     .help = "Write only lines that OLD does not have. OLD is an earlier file of the same format.",
     .often = true},
    {"mix", 0, MR_OPTION_TEXT, FIELD(mix), "W:FILE,W:FILE,...", .file = MR_FILE_LISTED,
     .help = "Use a weighted sum of score files, instead of SCORES. Each file is divided "
             "by its best score. The pages are those of the first file; a page that another file "
             "lacks has score 0 there. With W@host:FILE or W@domain:FILE each page gets the score "
             "of its host or registered domain, by names such as www.example.org or "
             "org.example.www.",
     .often = true},
    MR_COLUMN_OPTION(FIELD(column)),
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names in --fetched or --times"),
    {0}};
#undef FIELD

static enum mr_status check_flags(const struct mr_precedence_flags *flags,
                                  const struct mr_parsed *parsed, struct mr_error *err)
{
    const bool is_for_crawler = mr_options_given(parsed, precedence_options, "crawler") != NULL;

    if (flags->percentages.n > 0 && flags->levels > 0 && flags->levels != flags->percentages.n) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--levels %u and --percentages with %u numbers contradict each other; "
                            "leave out --levels",
                            (unsigned)flags->levels, flags->percentages.n);
    }
    if (flags->common.json && !flags->common.estimate && mr_output_is_standard(flags->output)) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "precedence --json: the levels go to standard output already; say -o FILE");
    }
    const struct mr_precedence_options options = mr_precedence_options_of(flags);
    enum mr_status status = mr_precedence_check(&options, err);
    if (status == MR_OK) {
        status = mr_fetch_check(&flags->fetch, MR_FETCH_OF_SCORES, false, NULL, err);
    }
    if (status == MR_OK && is_for_crawler && flags->file.format == MR_CRAWLER_HERITRIX) {
        status = mr_scores_check_lines_path(flags->output, err); /* no table */
    }
    return status == MR_OK ? mr_crawler_check_path(flags->output, &options, err) : status;
}

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct mr_precedence_flags *flags = data;

    (void)parsed;
    mr_fetch_list_files(&flags->fetch, files);
    return flags->mix != NULL ? mr_precedence_list_mix(flags->mix, files, err) : MR_OK;
}

static enum mr_status report(struct mr_session *session, const struct mr_precedence_flags *flags,
                             const struct mr_precedence_figures *figures, struct mr_error *err)
{
    char rows[64], among[64], first[32], escaped[64], unchanged[32];
    const unsigned n_levels = mr_precedence_options_of(flags).n_levels;
    struct mr_json json;

    if (figures->escaped > 0) {
        mr_session_say(session, "note: %s had blanks or control bytes; written as %%XX",
                       mr_count_of_text(figures->escaped, "name", escaped));
    }
    mr_session_say(
        session, "%s on %s, %s of them on level 1", mr_count_of_text(figures->pages, "page", rows),
        mr_count_of_text(n_levels, "level", among), mr_count_text(figures->level_pages[0], first));
    if (flags->file.only_changed != NULL) {
        mr_session_say(session, "%s written, %s unchanged",
                       mr_count_of_text(figures->lines, "line", rows),
                       mr_count_text(figures->unchanged, unchanged));
    } else if (figures->lines > figures->pages) {
        mr_session_say(session, "%s written, one for each spelling",
                       mr_count_of_text(figures->lines, "line", rows));
    } else if (figures->lines < figures->pages) {
        mr_session_say(session, "%s written", mr_count_of_text(figures->lines, "line", rows));
    }
    if (!flags->common.json) {
        return MR_OK;
    }
    json = mr_json_create();
    json_t *levels = json_array();
    for (unsigned i = 0; i < n_levels; i++) {
        if (json_array_append_new(levels, json_integer((json_int_t)figures->level_pages[i])) != 0) {
            json.failed = true;
        }
    }
    mr_json_count(&json, "pages", figures->pages);
    mr_json_add(&json, "levels", levels);
    mr_json_count(&json, "lines", figures->lines);
    mr_json_count(&json, "unchanged", figures->unchanged);
    mr_json_count(&json, "escaped", figures->escaped);
    return mr_json_print_and_destroy(&json, err);
}

static enum mr_status run_precedence(struct mr_session *session, const void *data,
                                     const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct mr_precedence_flags *flags = data;
    struct mr_precedence_figures figures = {0};

    if ((flags->mix != NULL) == (parsed->n_operands == 1)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "precedence: needs either SCORES, a file of scores, or --mix");
    }
    enum mr_status status = check_flags(flags, parsed, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        const struct mr_rank_costs estimate = {.memory_bytes = MR_MEMORY_FLOOR_BYTES};
        return mr_session_estimate(session, &estimate, err);
    }
    (void)mr_session_publish_together(session);
    status = mr_precedence_run(session, flags, flags->mix == NULL ? parsed->operands[0] : NULL,
                               &figures, err);
    return status == MR_OK ? report(session, flags, &figures, err) : status;
}

const struct mr_command mr_command_precedence = {
    .name = "precedence",
    .summary = "turn scores into crawler precedence levels",
    .usage = "precedence SCORES -o FILE [OPTIONS]",
    .text =
        "Reads lines NAME<TAB>SCORE and writes lines NAME LEVEL for Heritrix, or the format of "
        "another crawler. Level 1 has the pages with the best scores, which are fetched first, "
        "then come levels 2 and so on. Pages with equal scores are taken in the order of the file.",
    .examples = "  millrace precedence scores.tsv -o precedence.txt\n"
                "  millrace precedence scores.tsv.gz --percentages 1,9,90 -o precedence.txt\n"
                "  millrace precedence scores.tsv --crawler nutch --spellings web.mill -o out.txt\n"
                "  millrace precedence --mix 0.7:ranks.tsv,0.3:content.tsv -o precedence.txt\n",
    .groups = {{.title = "Levels", .options = precedence_options, .base = 0},
               {.title = "Pages to fetch",
                .options = mr_fetch_options + MR_FETCH_LIST_ROWS,
                .base = offsetof(struct mr_precedence_flags, fetch)},
               MR_COMMON_GROUP},
    .min_operands = 0,
    .max_operands = 1,
    .operands = "a file of scores (- for standard input), or the directory of its parts",
    .list_files = list_files,
    MR_COMMAND_RUNS(defaults, run_precedence),
};
