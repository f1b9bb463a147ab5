/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of options of `millrace opic`, and the parsers of their values. cmd_opic.c checks
 * how the flags go together. The tables are in a file of their own, because the command has more
 * options than any other. */
#include "cli/opic/opic_job.h"

#include <assert.h>
#include <string.h>

#include "algorithms/opic/opic.h"

static_assert((int)MR_OPIC_CYCLIC == 0 && (int)MR_OPIC_GREEDY == 1 && (int)MR_OPIC_RANDOM == 2,
              "--policy's choices are in the order of enum mr_opic_policy");
static_assert((int)MR_OPIC_PAY_ALL == 0 && (int)MR_OPIC_PAY_UNVISITED == 1 &&
                  (int)MR_OPIC_PAY_VISITED == 2 && (int)MR_OPIC_PAY_TARGETS == 3,
              "--payout's words are in the order of enum mr_opic_payout");
static_assert((int)MR_OPIC_FETCHED_ALL == 0 && (int)MR_OPIC_FETCHED_LINKS == 1 &&
                  (int)MR_OPIC_FETCHED_LIST == 2,
              "--fetched's words are in the order of enum mr_opic_fetched");

/* ---- Values ---- */

static bool begins_with(const char *text, const char *word, const char **rest)
{
    const size_t bytes = strlen(word);
    *rest = text + bytes;
    return strncmp(text, word, bytes) == 0 && (**rest == '\0' || **rest == ':');
}

static enum mr_status parse_payout(const char *text, void *value, struct mr_error *err)
{
    static const char *const words[] = {"all", "unvisited", "visited", "targets"};
    struct mr_opic_rule *rule = value;
    for (int i = 0; i < 4; i++) {
        const char *rest;
        const bool takes_file = i == MR_OPIC_PAY_TARGETS;
        if (begins_with(text, words[i], &rest) && (rest[0] == ':') == takes_file &&
            !(takes_file && rest[1] == '\0')) {
            rule->choice = i;
            return takes_file ? mr_texts_add(rest + 1, &rule->files, err) : MR_OK;
        }
    }
    return mr_error_set(err, MR_ERROR_USAGE, "must be all, unvisited, visited or targets:FILE");
}

static enum mr_status parse_fetched(const char *text, void *value, struct mr_error *err)
{
    static const char *const words[] = {"all", "links", "list"};
    struct mr_opic_rule *rule = value;
    const char *file = text;
    int choice = MR_OPIC_FETCHED_LIST;

    for (int i = 0; i < 3; i++) {
        const char *rest;
        if (begins_with(text, words[i], &rest)) {
            choice = i;
            file = *rest == ':' ? rest + 1 : NULL;
        }
    }
    if (file == NULL ? choice == MR_OPIC_FETCHED_LIST
                     : *file == '\0' || choice == MR_OPIC_FETCHED_ALL) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be all, links, links:FILE or FILE");
    }
    if (rule->choice >= 0 &&
        (rule->choice == MR_OPIC_FETCHED_ALL) != (choice == MR_OPIC_FETCHED_ALL)) {
        return mr_error_set(err, MR_ERROR_USAGE, "all pages, or some of them?");
    }
    rule->choice = rule->choice == MR_OPIC_FETCHED_LINKS ? rule->choice : choice;
    return file != NULL ? mr_texts_add(file, &rule->files, err) : MR_OK;
}

static enum mr_status parse_tax(const char *text, void *value, struct mr_error *err)
{
    static const struct mr_range range = {.least = 0.0, .most = 1.0};
    struct mr_opic_tax *tax = value;

    tax->one_link = strcmp(text, "one-link") == 0;
    return tax->one_link ? MR_OK : mr_value_real(text, &range, &tax->share, err);
}

/* Parses "3" as cash, "90d" or "12h" as time, and "3x90d" as 3 intervals of the page itself. */
static enum mr_status parse_window(const char *text, void *value, struct mr_error *err)
{
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    const struct mr_range range = {.least = 0, .most = 0x1p32, .above_least = true};
    struct mr_window *window = value;
    const char *cross = strchr(text, 'x');
    char number[32];
    double unit = 0;

    window->intervals = 0;
    if (cross != NULL && (size_t)(cross - text) < sizeof number) {
        memcpy(number, text, (size_t)(cross - text));
        number[cross - text] = '\0';
        const enum mr_status status = mr_value_real(number, &range, &window->intervals, err);
        if (status != MR_OK) {
            return status;
        }
        text = cross + 1;
    }
    const size_t bytes = strlen(text);

    for (size_t i = 0; bytes > 0 && i < sizeof units / sizeof units[0]; i++) {
        unit = text[bytes - 1] == units[i].letter ? units[i].seconds : unit;
    }
    if (bytes >= sizeof number) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "must be a number, or a number with a unit, such as 90d");
    }
    if (window->intervals > 0 && !(unit > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "must have a unit of time behind x, such as 3x30d");
    }
    memcpy(number, text, bytes + 1);
    if (unit > 0) {
        number[bytes - 1] = '\0';
    }
    enum mr_status status = mr_value_real(number, &range, &window->value, err);
    window->is_time = unit > 0;
    window->value *= unit > 0 ? unit : 1;
    return status;
}

static enum mr_status parse_number_of_pages(const char *text, void *value, struct mr_error *err)
{
    struct mr_size *size = value;
    enum mr_status status = mr_value_size(text, size, NULL);
    if (status != MR_OK || (size->bytes == 0 && !(size->percent > 0))) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "must be a number of pages, at least 1, or a percentage of them, such as 5%%");
    }
    return MR_OK;
}

/* ---- Tables ---- */

const struct mr_opic_flags mr_opic_flag_defaults = {.ranking = MR_RANKING_DEFAULTS,
                                                    .tax = {.share = 0.15},
                                                    .fetched = {.choice = -1},
                                                    .internal_weight = 1,
                                                    .external_weight = 1};

#define FIELD(name) offsetof(struct mr_opic_flags, name)
const struct mr_option mr_opic_ranking_options[] = {
    MR_LINKS_OPTION(FIELD(ranking.links.links)),
    {"method", 0, MR_OPTION_CHOICE, FIELD(method), .choices = "auto|opic|drain",
     .help = "With drain the virtual page pays once and then keeps its income. The error bound "
             "then falls by the tax in every sweep; with opic it falls as 1/sweeps. auto is drain "
             "where nothing is kept and all pages are visited: without --state, --window, --times, "
             "--sweeps, --cash-left, --visits, and with the default --policy. Default auto.",
     .excludes = {{.names = "window", .why = "counts all cash from the start", .value = "drain"}}},
    {"tax", 0, MR_OPTION_PARSED, FIELD(tax), "X|one-link", .parse = parse_tax,
     .help = "Share of a page's cash that goes to the virtual page. 1 - X is the damping of "
             "PageRank. one-link: the virtual page is one link more of each page, as in the paper "
             "on OPIC; there is then no limit and no PageRank. Default 0.15.",
     .excludes = {{.names = "internal-weight|external-weight",
                   .why = "does not go with weights of links",
                   .value = "one-link"}}},
    {"policy", 0, MR_OPTION_CHOICE, FIELD(policy), .choices = "cyclic|greedy|random",
     .help = "Pages that a sweep visits. cyclic: all. greedy: the richest ones, which hold half of "
             "the cash, and all in every 16th sweep. random: a tenth. Default cyclic."},
    {"visits", 0, MR_OPTION_PARSED, FIELD(visits), "N|P%", .parse = parse_number_of_pages,
     .help = "Visit this many pages in each sweep. Default: as the policy says."},
    {"random-seed", 0, MR_OPTION_COUNT, FIELD(seed), "N", .most = UINT64_MAX,
     .help = "Seed of --policy random. Default 0."},
    {"payout", 0, MR_OPTION_PARSED, FIELD(payout), "WHOM", .parse = parse_payout,
     .file = MR_FILE_LISTED,
     .help =
         "Pages that the virtual page pays, each the same: all, unvisited (favours discovery), "
         "visited (favours recrawling), or targets:FILE (pages, hosts or domains listed in FILE). "
         "Default all."},
    {"fetched", 0, MR_OPTION_PARSED, FIELD(fetched), "WHICH", .parse = parse_fetched, .adds = true,
     .file = MR_FILE_LISTED,
     .help = "Pages that were fetched and may be visited. The other pages keep their cash. all: "
             "all pages. links: pages with links or fetch facts. links:FILE: also the pages in "
             "FILE. FILE or "
             "list:FILE: only the pages in FILE, which is a list of pages or hosts, crawl.log, a "
             "dump of Nutch's crawldb, CDX, CDXJ, JSON, or a status table of StormCrawler. A page "
             "with a time in --times is fetched as well. Several --fetched add up. Default all, "
             "with --next links."},
    {"ignore-self-loops", 0, MR_OPTION_FLAG, FIELD(ignore_self_loops),
     .help = "Links from a page to itself carry no cash."},
    {"internal-weight", 0, MR_OPTION_REAL, FIELD(internal_weight), "W",
     .range = {.least = 0.0, .most = 0x1p20},
     .help = "Weight of a link inside a host, or inside a registered domain if the store was built "
             "with --classes domain. A store without classes needs a temporary store of these "
             "links. Default 1."},
    {"external-weight", 0, MR_OPTION_REAL, FIELD(external_weight), "W",
     .range = {.least = 0.0, .most = 0x1p20}, .help = "Weight of any other link. Default 1."},
    MR_TOLERANCE_OPTION(
        FIELD(tolerance),
        "Stop when the error bound is at most T. The bound is on the distance to PageRank where "
        "that is defined, else on the distance to a stationary state. Default 0.01, with --method "
        "drain 1e-9 (5.6e-17 a link where there are more than 18 million links: cash is cut to "
        "whole "
        "units); not used with --sweeps, --cash-left or --times. With --window and pages that "
        "were not fetched, the default is --cash-left 0.01; with --state and such pages the run "
        "also "
        "stops at --cash-left 0.001, because cash ends with them."),
    {"sweeps", 0, MR_OPTION_COUNT, FIELD(sweeps), "N", .least = 1, .most = UINT32_MAX,
     .help = "Make at most N sweeps. With --times, divide the times into N slices."},
    {"cash-left", 0, MR_OPTION_REAL, FIELD(cash_left), "X",
     .range = {.least = 0.0, .most = 1.0, .above_least = true},
     .help = "Stop when at most this share of the cash is on fetched pages with links."},
    MR_NO_PIN_OPTION(FIELD(no_pin)),
    {0}};

const struct mr_option mr_opic_crawl_options[] = {
    {"state", 0, MR_OPTION_TEXT, FIELD(state), "FILE", .file = MR_FILE_UPDATED,
     .help = "Continue from the cash and history in FILE if it exists, with pages matched by name. "
             "After links have changed the old history counts little. Write the new cash and "
             "history to FILE."},
    {"window", 0, MR_OPTION_PARSED, FIELD(window), "T", .parse = parse_window,
     .help = "Count only the income of the last T as importance. T is in units of the total cash "
             "moved, or with --times in seconds, or with a unit: 90d, 12h, 30m, 2w. 3x90d: the "
             "window of a page is 3 times its fetch interval in --times, such as a crawldb of "
             "Nutch or a third column of seconds has, and 90d without one."},
    {"times", 0, MR_OPTION_TEXTS, FIELD(times), "FILE", .file = MR_FILE_READ,
     .help = "Visit each page in FILE once, at its time. Lines are NAME<TAB>TIME, in seconds or "
             "milliseconds since 1970, 14 or 17 digits, or ISO 8601. These pages count as fetched, "
             "with --state also in later runs. Other pages were not recrawled and keep their cash. "
             "FILE can also be a crawler's own, as for --fetched.",
     .excludes = {{.names = "tolerance|visits|method=drain",
                   .why = "says which pages are visited"}}},
    MR_RETRIES_OPTION(FIELD(ranking.fetch.retries)),
    {"new-pages", 0, MR_OPTION_CHOICE, FIELD(new_pages), .choices = "auto|average|zero",
     .help = "History of new pages: average is that of the pages that came last, zero is none. "
             "auto is average with --window, else zero. Default auto."},
    MR_MAX_UNKNOWN_OPTION(FIELD(ranking.max_unknown), "names in lists"),
    {0}};

const struct mr_option mr_opic_list_options[] = {
    {"next", 0, MR_OPTION_COUNT, FIELD(ranking.fetch.next), "K", .least = 1, .most = UINT32_MAX,
     .help = "Print the K pages to fetch next, which are the richest pages not fetched, with their "
             "cash and in their spelling of the input. -o FILE gets all scores."},
    MR_FETCH_LIST_OPTIONS(FIELD(ranking.fetch.per_host), FIELD(ranking.fetch.per_domain),
                          FIELD(ranking.fetch.urls_only)),
    {"revisit", 0, MR_OPTION_FLAG, FIELD(ranking.fetch.revisit),
     .help = "With --next: print the fetched pages that are richest, which is the order in which "
             "to fetch them again. Their cash came in since their last visit.",
     .needs = {{.names = "next"}}},
    {"score-columns", 0, MR_OPTION_CHOICE, FIELD(columns), .choices = "score|all",
     .help = "all: write cash, history and last visit before the score. Cash is a share of the "
             "total. The last visit is in seconds since 1970 with --times, else in units of the "
             "total cash moved. Default score."},
    {"dump-state", 0, MR_OPTION_TEXT, FIELD(dump_state), "FILE", .file = MR_FILE_READ,
     .help = "Write the pages of this state instead of ranking a graph: lines NAME, cash, history, "
             "last visit, 1 if visited, with tabs between. --header names the columns."},
    {0}};
#undef FIELD
