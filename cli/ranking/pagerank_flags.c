/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of options of `millrace pagerank`, and the parser of --until. cmd_pagerank.c and
 * pagerank_run.c check how the flags go together. */
#include "cli/ranking/pagerank_flags.h"

#include <string.h>

#include "millrace/levels.h"

#define DEFAULT_SHARE 0.001 /* share of the pages, for --until levels */

const struct mr_pagerank_flags mr_pagerank_flag_defaults = {.ranking = MR_RANKING_DEFAULTS,
                                                            .solver = MR_PAGERANK_OPTIONS_INIT};
MR_BEGINS_WITH_SOLVER(struct mr_pagerank_flags);

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
    struct mr_pagerank_options *options = value;
    const char *rest = NULL;
    enum mr_status status;
    options->until_share = DEFAULT_SHARE;
    if (strncmp(text, "order:", 6) == 0) {
        options->until = MR_UNTIL_ORDER;
        status = parse_head(text + 6, UINT32_MAX, &options->until_count, &rest, err);
        if (status == MR_OK && rest == NULL) {
            return MR_OK;
        }
    } else if (strncmp(text, "levels:", 7) == 0) {
        options->until = MR_UNTIL_LEVELS;
        status = parse_head(text + 7, MR_PRECEDENCE_MAX_LEVELS, &options->until_count, &rest, err);
        return status == MR_OK && rest != NULL
                   ? mr_value_real(rest, &shares, &options->until_share, err)
                   : status;
    } else {
        status = MR_OK;
    }
    return status != MR_OK
               ? status
               : mr_error_set(err, MR_ERROR_USAGE, "must be order:K or levels:N[:SHARE]");
}

#define FIELD(name) offsetof(struct mr_pagerank_flags, name)
const struct mr_option mr_pagerank_options[] = {
    {"until", 0, MR_OPTION_PARSED, FIELD(solver), "WHAT", .parse = parse_until,
     .help = "Stop earlier, when WHAT is proven. order:K: the order of the K best pages. "
             "levels:N[:SHARE]: at most SHARE of the pages (default 0.001) can be on another of N "
             "precedence levels. Pages with the same in-links are tied and may be in any order. If "
             "the tolerance is reached first, the run stops and says that WHAT is not proven."},
    {"start", 0, MR_OPTION_TEXT, FIELD(start), "SCORES", .file = MR_FILE_READ,
     .help = "Start from the scores in FILE, such as those of the last crawl. Pages are matched by "
             "name (.npy: by position); pages that are not in FILE start from 1/n. The run needs "
             "fewer passes and gives the same certificate."},
    {"checkpoint", 0, MR_OPTION_TEXT, FIELD(checkpoint), "FILE", .file = MR_FILE_UPDATED,
     .help = "Save the state to FILE every minute and at an interruption. A finished run removes "
             "it. Default: OUTPUT.checkpoint, only at an interruption after 10 seconds."},
    {"resume", 0, MR_OPTION_CHOICE, FIELD(resume), .may_be_alone = true, .choices = "no|yes|auto",
     .help = "yes, or --resume alone: continue from the checkpoint of an interrupted run with the "
             "same store and parameters. The scores are the same, bit by bit. auto: continue if "
             "there is a checkpoint, else begin. Default no."},
    {"iterations", 0, MR_OPTION_NUMBER, FIELD(solver.iterations), "N", .least = 1,
     .most = UINT32_MAX,
     .help = "Make N rounds of plain power iteration from 1/n, with no tolerance."},
    {"heritrix", 0, MR_OPTION_FLAG, FIELD(solver.heritrix),
     .help =
         "Compute the numbers of Heritrix's offline PageRank: --iterations N rounds (default 10) "
         "of 0.15 + 0.85 * sum, from 1 for each page, or from --start. With --tolerance T: rounds "
         "until the bound is T, which is a sum over all pages. Leave out pages without a link to "
         "them, then links of a page to itself. Repeated links of an input count as often as they "
         "occur."},
    {"heritrix-file", 0, MR_OPTION_TEXT, FIELD(heritrix_file), "FILE", .file = MR_FILE_WRITE,
     .help = "With --heritrix: also write the file that Heritrix's job passes from round to round, "
             "lines PAGE SCORE O:TARGET,TARGET. It is an input for build, and for --start."},
    {"teleport", 0, MR_OPTION_TEXT, FIELD(teleport), "FILE", .file = MR_FILE_READ,
     .help = "Teleport to pages in proportion to the weights in FILE, lines NAME WEIGHT. Default: "
             "to all pages evenly."},
    {"seeds", 0, MR_OPTION_TEXTS, FIELD(seeds), "FILE", .file = MR_FILE_READ, .also = "seed",
     .help = "Teleport to the pages in FILE evenly, one a line. For one page: ppr --seed PAGE."},
    {"log", 0, MR_OPTION_TEXT, FIELD(log), "FILE", .file = MR_FILE_LISTED,
     .help = "Write a line to FILE after each pass: pass, bound, whether the bound is certified or "
             "estimated, seconds in passes, links applied, bytes read. Tabs between, with a "
             "header. 'millrace report --log FILE' draws it."},
    {0}};
#undef FIELD
