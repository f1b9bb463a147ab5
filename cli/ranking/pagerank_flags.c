/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of options of `millrace pagerank`, and the parser of --until. cmd_pagerank.c and
 * pagerank_run.c check how the flags go together. */
#include "cli/ranking/pagerank_flags.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algorithms/pagerank/pagerank.h"
#include "algorithms/scores/precedence.h"
#include "cli/program/option_table.h"

#define DEFAULT_SHARE 0.001 /* share of the pages, for --until levels */

static_assert((int)MR_DANGLING_TELEPORT == 0 && (int)MR_DANGLING_UNIFORM == 1 &&
                  (int)MR_DANGLING_NONE == 2,
              "--dangling's choices are in the order of enum mr_dangling");
static_assert((int)MR_PRECISION_DOUBLE == 0 && (int)MR_PRECISION_SINGLE == 1,
              "--precision's choices are in the order of enum mr_precision");

const struct mr_pagerank_flags mr_pagerank_flag_defaults = {.common = MR_COMMON_DEFAULTS,
                                                            .import = MR_IMPORT_DEFAULTS,
                                                            .damping = 0.85,
                                                            .max_unknown = MR_MAX_UNKNOWN_DEFAULT,
                                                            .acceleration =
                                                                MR_PAGERANK_ACCELERATION_BY_RULE};

/* Parses the number of levels or pages before the next colon. `*rest` is the text after the
 * colon, or NULL without one. */
static enum mr_status parse_head(const char *text, uint64_t most, uint64_t *count,
                                 const char **rest, struct mr_error *err)
{
    char head[24];
    const char *colon = strchr(text, ':');
    const size_t bytes = colon != NULL ? (size_t)(colon - text) : strlen(text);
    *rest = colon != NULL ? colon + 1 : NULL;
    if (bytes >= sizeof head) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be order:K or levels:N[:SHARE]");
    }
    memcpy(head, text, bytes);
    head[bytes] = '\0';
    return mr_value_count(head, 1, most, count, err);
}

static enum mr_status parse_until(const char *text, void *value, struct mr_error *err)
{
    static const struct mr_range shares = {.least = 0.0, .most = 1.0, .below_most = true};
    struct mr_until_flag *until = value;
    const char *rest = NULL;
    enum mr_status status;
    *until = (struct mr_until_flag){.share = DEFAULT_SHARE};
    if (strncmp(text, "order:", 6) == 0) {
        until->kind = MR_UNTIL_ORDER;
        status = parse_head(text + 6, UINT32_MAX, &until->count, &rest, err);
        if (status == MR_OK && rest == NULL) {
            return MR_OK;
        }
    } else if (strncmp(text, "levels:", 7) == 0) {
        until->kind = MR_UNTIL_LEVELS;
        status = parse_head(text + 7, MR_PRECEDENCE_MAX_LEVELS, &until->count, &rest, err);
        return status == MR_OK && rest != NULL ? mr_value_real(rest, &shares, &until->share, err)
                                               : status;
    } else {
        status = MR_OK;
    }
    return status != MR_OK
               ? status
               : mr_error_set(err, MR_ERROR_USAGE, "must be order:K or levels:N[:SHARE]");
}

#define FIELD(name) offsetof(struct mr_pagerank_flags, name)
const struct mr_option mr_pagerank_ranking_options[] = {
    MR_LINKS_OPTION(FIELD(import.links.links)),
    MR_LARGEST_OPTION(FIELD(import.largest)),
    MR_LINK_WEIGHTS_OPTIONS(FIELD(import.links.internal_weight),
                            FIELD(import.links.external_weight)),
    MR_DAMPING_OPTION(FIELD(damping)),
    MR_TOLERANCE_OPTION(FIELD(tolerance), "Stop when the sum of all scores' errors is proven to be "
                                          "at most T. Default 1e-9, with --precision single 1e-5."),
    {.name = "until",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(until),
     .value = "WHAT",
     .parse = parse_until,
     .help = "Stop earlier, when WHAT is proven. order:K: the order of the K best pages. "
             "levels:N[:SHARE]: at most SHARE of the pages (default 0.001) can be on another of N "
             "precedence levels. Pages with the same in-links are tied and may be in any order. If "
             "the tolerance is reached first, the run stops and says that WHAT is not proven."},
    {.name = "start",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(start),
     .value = "SCORES",
     .file = MR_FILE_READ,
     .help = "Start from the scores in FILE, such as those of the last crawl. Pages are matched by "
             "name (.npy: by position); pages that are not in FILE start from 1/n. The run needs "
             "fewer passes and gives the same certificate."},
    {.name = "checkpoint",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(checkpoint),
     .value = "FILE",
     .file = MR_FILE_UPDATED,
     .help = "Save the state to FILE every minute and at an interruption. A finished run removes "
             "it. Default: OUTPUT.checkpoint, only at an interruption after 10 seconds."},
    {.name = "resume",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(resume),
     .help = "Continue from the checkpoint of an interrupted run with the same store and "
             "parameters. The scores are the same, bit by bit."},
    {.name = "iterations",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(iterations),
     .value = "N",
     .least = 1,
     .most = UINT32_MAX,
     .help = "Make N rounds of plain power iteration from 1/n, with no tolerance."},
    {.name = "max-passes",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(max_passes),
     .value = "N",
     .least = 1,
     .most = UINT32_MAX,
     .help = "Stop after N passes over the links, with exit code 6 and the scores so far. Default "
             "10000."},
    {.name = "dangling",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(dangling),
     .choices = "teleport|uniform|none",
     .help = "Where the score of pages without links goes: to the pages of the teleport, to all "
             "pages evenly, or nowhere (the scores then do not add up to 1). Default teleport."},
    MR_RANK_WEIGHTS_OPTION(FIELD(weights)),
    {.name = "heritrix",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(heritrix),
     .help =
         "Compute the numbers of Heritrix's offline PageRank: --iterations N rounds (default 10) "
         "of 0.15 + 0.85 * sum, from 1 for each page, or from --start. With --tolerance T: rounds "
         "until the bound is T, which is a sum over all pages. Leave out pages without a link to "
         "them, then links of a page to itself. Repeated links of an input count as often as they "
         "occur."},
    {.name = "heritrix-file",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(heritrix_file),
     .value = "FILE",
     .file = MR_FILE_WRITE,
     .help = "With --heritrix: also write the file that Heritrix's job passes from round to round, "
             "lines PAGE SCORE O:TARGET,TARGET. It is an input for build, and for --start."},
    {.name = "teleport",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(teleport),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Teleport to pages in proportion to the weights in FILE, lines NAME WEIGHT. Default: "
             "to all pages evenly."},
    {.name = "seeds",
     .type = MR_OPTION_TEXTS,
     .offset = FIELD(seeds),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Teleport to the pages in FILE evenly (TrustRank). One name per line."},
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names in --teleport or --seeds"),
    MR_PRECISION_OPTION(FIELD(precision)),
    {.name = "inner",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(inner),
     .value = "K",
     .least = 1,
     .most = 1000,
     .help = "Apply the links inside a band of pages K times per pass, while they are in cache. "
             "Default: 2 where at least half of the links stay inside bands, else 1."},
    {.name = "acceleration",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(acceleration),
     .value = "M",
     .least = 0,
     .most = 8,
     .help = "Depth of the Anderson acceleration. Each step of depth needs 4 bytes per page, and 4 "
             "more if M is not 0. Default: 5, or less if --memory has no room for it."},
    MR_NO_PIN_OPTION(FIELD(no_pin)),
    {0}};

const struct mr_option mr_pagerank_output_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "FILE",
     .file = MR_FILE_SCORES,
     .help = "Write all scores to FILE: lines NAME<TAB>SCORE in the order of the names. .gz and "
             ".zst compress; .csv, .jsonl and .json write these formats; .npy makes a NumPy array. "
             "FILE.meta.json says how the scores were computed. Default: standard output; a "
             "terminal gets the ten best pages."},
    MR_TOP_OPTION(FIELD(top)),
    {.name = "log",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(log),
     .value = "FILE",
     .file = MR_FILE_LISTED,
     .help = "Write a line to FILE after each pass: pass, bound, whether the bound is certified or "
             "estimated, seconds in passes, links applied, bytes read. Tabs between, with a "
             "header. 'millrace report --log FILE' draws it."},
    MR_HEADER_OPTION(FIELD(header)),
    MR_NAMES_OPTION(FIELD(names)),
    {0}};
#undef FIELD
