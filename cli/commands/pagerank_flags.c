#include "cli/commands/pagerank_flags.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algorithms/pagerank/pagerank.h"
#include "algorithms/scores/precedence.h"
#include "cli/program/option_table.h"

#define DEFAULT_SHARE 0.001 /* of the pages, for --until levels */

static_assert((int)MR_DANGLING_TELEPORT == 0 && (int)MR_DANGLING_UNIFORM == 1 &&
                  (int)MR_DANGLING_NONE == 2,
              "--dangling's choices are in the order of enum mr_dangling");
static_assert((int)MR_PRECISION_DOUBLE == 0 && (int)MR_PRECISION_SINGLE == 1,
              "--precision's choices are in the order of enum mr_precision");

const struct mr_pagerank_flags mr_pagerank_flag_defaults = {.common = MR_COMMON_DEFAULTS,
                                                            .import = MR_IMPORT_DEFAULTS,
                                                            .damping = 0.85,
                                                            .acceleration =
                                                                MR_PAGERANK_ACCELERATION_BY_RULE};

/* The number of levels or of pages before the next colon; the rest in `*rest`, NULL without a colon. */
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
    MR_LINK_WEIGHTS_OPTIONS(FIELD(import.links.internal_weight),
                            FIELD(import.links.external_weight)),
    MR_DAMPING_OPTION(FIELD(damping)),
    MR_TOLERANCE_OPTION(
        FIELD(tolerance),
        "Go on until the sum of all scores' errors is proven to be at most T. Default 1e-9, "
        "with --precision single 1e-5."),
    {.name = "until",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(until),
     .value = "WHAT",
     .parse = parse_until,
     .help =
         "End earlier, when WHAT is proven: order:K, the order of the K best pages; "
         "levels:N[:SHARE], that at most SHARE of the pages (default 0.001) can be on another of N "
         "precedence levels. Pages with the same in-links are tied and may stand in any order. "
         "Where the tolerance comes first, the run ends there and says that WHAT is not proven."},
    {.name = "start",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(start),
     .value = "SCORES",
     .file = MR_FILE_READ,
     .help = "Start from these scores, by name (.npy: by position), those of yesterday's graph for "
             "example; pages that are not in the file start from 1/n. Fewer passes, the same "
             "certificate."},
    {.name = "checkpoint",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(checkpoint),
     .value = "FILE",
     .file = MR_FILE_KEPT,
     .help = "Keep the state there between passes: every minute and when interrupted; removed in "
             "the end. Default: OUTPUT.checkpoint, only when interrupted after 10 seconds."},
    {.name = "resume",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(resume),
     .help = "Go on from the checkpoint of an interrupted run of the same store and parameters, to "
             "the same scores, bit by bit."},
    {.name = "iterations",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(iterations),
     .value = "N",
     .least = 1,
     .most = UINT32_MAX,
     .help = "Instead of a tolerance: the textbook power iteration from 1/n, N rounds of it."},
    {.name = "max-passes",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(max_passes),
     .value = "N",
     .least = 1,
     .most = UINT32_MAX,
     .help = "Give up after N readings of the links, with exit code 6 and the scores so far. "
             "Default 10000."},
    {.name = "dangling",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(dangling),
     .choices = "teleport|uniform|none",
     .help = "Where pages without links pass their score on to: like a teleport, evenly to all "
             "pages, or nowhere (then scores do not add up to 1). Default teleport."},
    MR_RANK_WEIGHTS_OPTION(FIELD(weights)),
    {.name = "heritrix",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(heritrix),
     .help = "The numbers of Heritrix's offline PageRank: 0.15 + 0.85 * sum, from 1 each, "
             "--iterations N rounds (default 10). Pages without a link to them are left out, and "
             "then links of a page to itself; an input's repeated links count as often."},
    {.name = "teleport",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(teleport),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Teleport to pages in proportion to weights: lines NAME WEIGHT. Default: to all "
             "pages alike."},
    {.name = "seeds",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(seeds),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Teleport to the pages listed, one name per line, each alike (TrustRank)."},
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names in --teleport or --seeds"),
    MR_PRECISION_OPTION(FIELD(precision)),
    {.name = "inner",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(inner),
     .value = "K",
     .least = 1,
     .most = 1000,
     .help = "Go band by band, and apply the links inside a band K times per pass, while they are "
             "in cache. Default: 4; of up to 4 million links and half a million pages, the links "
             "are kept in memory and swept there."},
    {.name = "acceleration",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(acceleration),
     .value = "M",
     .least = 0,
     .most = 8,
     .help =
         "Depth of the Anderson acceleration; each costs 8 bytes per vertex, and 4 more if M is "
         "not 0. Default: 5 up to 2^20 vertices, 2 above; 3 where links are kept in memory."},
    MR_NO_PIN_OPTION(FIELD(no_pin)),
    {0}};

const struct mr_option mr_pagerank_output_options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = FIELD(output),
     .value = "FILE",
     .file = MR_FILE_SCORES,
     .help =
         "All scores, as lines NAME<TAB>SCORE in the order of the names; .gz and .zst compress, "
         ".csv, .jsonl and .json write so, .npy makes a NumPy array. FILE.meta.json tells how they "
         "came about. Default: "
         "standard output."},
    MR_TOP_OPTION(FIELD(top)),
    {.name = "log",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(log),
     .value = "FILE",
     .file = MR_FILE_LISTED,
     .help = "One line per pass, as it ends: pass, bound, whether it is certified or foretold, "
             "seconds in passes, links applied, bytes read; tab-separated, with a header."},
    MR_HEADER_OPTION(FIELD(header)),
    MR_NAMES_OPTION(FIELD(names)),
    {0}};
#undef FIELD
