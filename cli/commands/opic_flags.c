#include "cli/commands/opic_flags.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algorithms/opic/opic.h"
#include "cli/program/option_table.h"

static_assert((int)MR_OPIC_CYCLIC == 0 && (int)MR_OPIC_GREEDY == 1 && (int)MR_OPIC_RANDOM == 2,
              "--policy's choices are in the order of enum mr_opic_policy");
static_assert((int)MR_OPIC_PAY_ALL == 0 && (int)MR_OPIC_PAY_UNVISITED == 1 &&
                  (int)MR_OPIC_PAY_VISITED == 2 && (int)MR_OPIC_PAY_TARGETS == 3,
              "--payout's words are in the order of enum mr_opic_payout");
static_assert((int)MR_OPIC_FETCHED_ALL == 0 && (int)MR_OPIC_FETCHED_LINKS == 1 &&
                  (int)MR_OPIC_FETCHED_LIST == 2,
              "--fetched's words are in the order of enum mr_opic_fetched");

/* ---- Values of our own ---- */

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
            *rule = (struct mr_opic_rule){.choice = i, .file = takes_file ? rest + 1 : NULL};
            return MR_OK;
        }
    }
    return mr_error_set(err, MR_ERROR_USAGE, "must be all, unvisited, visited or targets:FILE");
}

static enum mr_status parse_fetched(const char *text, void *value, struct mr_error *err)
{
    static const char *const words[] = {"all", "links", "list"};
    struct mr_opic_rule *rule = value;
    for (int i = 0; i < 3; i++) {
        const char *rest;
        if (!begins_with(text, words[i], &rest)) {
            continue;
        }
        const bool has_file = rest[0] == ':' && rest[1] != '\0';
        if ((i == MR_OPIC_FETCHED_LIST && !has_file) ||
            (i == MR_OPIC_FETCHED_ALL && *rest != '\0') || (*rest == ':' && !has_file)) {
            break;
        }
        *rule = (struct mr_opic_rule){.choice = i, .file = has_file ? rest + 1 : NULL};
        return MR_OK;
    }
    return mr_error_set(err, MR_ERROR_USAGE, "must be all, links, links:FILE or list:FILE");
}

/* "3", of cash; "90d", "12h", of time. */
static enum mr_status parse_window(const char *text, void *value, struct mr_error *err)
{
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    const struct mr_range range = {.least = 0, .most = 0x1p32, .above_least = true};
    struct mr_window *window = value;
    const size_t bytes = strlen(text);
    char number[32];
    double unit = 0;

    for (size_t i = 0; bytes > 0 && i < sizeof units / sizeof units[0]; i++) {
        unit = text[bytes - 1] == units[i].letter ? units[i].seconds : unit;
    }
    if (bytes >= sizeof number) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be a number, or one with a unit: 90d");
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
        return mr_error_set(err, MR_ERROR_USAGE,
                            "must be a number of pages, at least 1, or a share of them: 5%%");
    }
    return MR_OK;
}

/* ---- Tables ---- */

const struct mr_opic_flags mr_opic_flag_defaults = {.common = MR_COMMON_DEFAULTS,
                                                    .import = MR_IMPORT_DEFAULTS,
                                                    .tax = 0.15,
                                                    .fetched = {.choice = -1},
                                                    .internal_weight = 1,
                                                    .external_weight = 1,
                                                    .budget = {.percent = 2}};

#define FIELD(name) offsetof(struct mr_opic_flags, name)
const struct mr_option mr_opic_ranking_options[] = {
    MR_LINKS_OPTION(FIELD(import.links.links)),
    {.name = "method",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(method),
     .choices = "opic|drain",
     .help =
         "drain: the virtual page pays once and then keeps what it gets, so that the bound falls "
         "by the tax in every sweep, not as 1/sweeps. Default opic."},
    {.name = "tax",
     .type = MR_OPTION_REAL,
     .offset = FIELD(tax),
     .value = "X",
     .range = {.least = 0.0, .most = 1.0},
     .help = "Share of a page's cash that goes to the virtual page; 1 - X is PageRank's damping. "
             "Default 0.15."},
    {.name = "policy",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(policy),
     .choices = "cyclic|greedy|random",
     .help =
         "Which pages a sweep visits: all; those richest in cash, which hold half of it (and all "
         "every 16th sweep); or a tenth at random. Default cyclic."},
    {.name = "visits",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(visits),
     .value = "N|P%",
     .parse = parse_number_of_pages,
     .help = "Visit so many pages in each sweep. Default: by the policy."},
    {.name = "seed",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(seed),
     .value = "N",
     .most = UINT64_MAX,
     .help = "Of the random policy. Default 0."},
    {.name = "payout",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(payout),
     .value = "WHOM",
     .parse = parse_payout,
     .file = MR_FILE_LISTED,
     .help =
         "Whom the virtual page pays, each the same: all, unvisited (favours discovery), visited "
         "(favours recrawling), or targets:FILE, pages or hosts listed there. Default all."},
    {.name = "fetched",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(fetched),
     .value = "WHICH",
     .parse = parse_fetched,
     .file = MR_FILE_LISTED,
     .help = "Which pages were fetched and may be visited; the others keep their cash. all; links: "
             "those with out-links; links:FILE: and those listed; list:FILE: those listed. A page "
             "that has a time in --times is fetched as well. Default all, with --next links."},
    {.name = "self-loops",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(self_loops),
     .choices = "keep|ignore",
     .help = "ignore: links from a page to itself carry nothing. Default keep."},
    {.name = "internal-weight",
     .type = MR_OPTION_REAL,
     .offset = FIELD(internal_weight),
     .value = "W",
     .range = {.least = 0.0, .most = 0x1p20},
     .help = "Weight of a link inside a host, or inside a registered domain where the store was "
             "built with --classes domain. Takes a temporary store of these links where the store "
             "has no classes. Default 1."},
    {.name = "external-weight",
     .type = MR_OPTION_REAL,
     .offset = FIELD(external_weight),
     .value = "W",
     .range = {.least = 0.0, .most = 0x1p20},
     .help = "Weight of any other link. Default 1."},
    MR_TOLERANCE_OPTION(
        FIELD(tolerance),
        "Go on until the error bound is at most T: of the distance to PageRank where there is "
        "one to be near to, else of being stationary. Default 0.01, with --method drain 1e-9, "
        "unless --sweeps, --cash-left or --times says when to stop; with --window and pages "
        "that were not fetched, --cash-left 0.01 instead."),
    {.name = "sweeps",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(sweeps),
     .value = "N",
     .least = 1,
     .most = UINT32_MAX,
     .help = "Make at most N sweeps. With --times: cut the times into N slices."},
    {.name = "cash-left",
     .type = MR_OPTION_REAL,
     .offset = FIELD(cash_left),
     .value = "X",
     .range = {.least = 0.0, .most = 1.0, .above_least = true},
     .help = "Stop when at most this share of the cash is on fetched pages with links."},
    MR_NO_PIN_OPTION(FIELD(no_pin)),
    {0}};

const struct mr_option mr_opic_crawl_options[] = {
    {.name = "state",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(state),
     .value = "FILE",
     .file = MR_FILE_KEPT,
     .help = "Go on from the cash and history in FILE, if it is there, matching pages by name, and "
             "leave the new ones in it."},
    {.name = "window",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(window),
     .value = "T",
     .parse = parse_window,
     .help = "Adaptive: importance is what came in during the last T, in units of the total cash "
             "moved, or with --times in seconds; 90d, 12h, 30m, 2w are understood."},
    {.name = "times",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(times),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help =
         "Visit the pages listed, once, at their times: lines NAME TIME, in seconds or "
         "milliseconds "
         "since 1970, 14 or 17 digits, or ISO 8601. They count as fetched, with --state in later "
         "runs too. Others were not recrawled and keep what they have."},
    {.name = "new-pages",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(new_pages),
     .choices = "auto|average|zero",
     .help = "History that new pages begin with: the average of the pages that came last, or none. "
             "Default auto: average with --window, else zero."},
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names in lists"),
    {0}};

const struct mr_option mr_opic_simulation_options[] = {
    {.name = "simulate",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(simulate),
     .help = "Replay a crawl of the graph by four policies (random, breadth-first, greedy by cash, "
             "by PageRank) and print the share of all importance that each has fetched, and when."},
    {.name = "budget",
     .type = MR_OPTION_PARSED,
     .offset = FIELD(budget),
     .value = "N|P%",
     .parse = parse_number_of_pages,
     .help = "Pages fetched per step of the simulation. Default 2%."},
    {.name = "seeds",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(seeds),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help =
         "Pages or hosts that the simulated crawl begins with. Default: the page of most links."},
    {.name = "plot",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(plot),
     .value = "FILE.svg",
     .file = MR_FILE_WRITE,
     .help = "Draw what the simulation prints."},
    {0}};

const struct mr_option mr_opic_output_options[] = {
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
         "standard output. With --simulate: the table."},
    MR_TOP_OPTION(FIELD(top)),
    {.name = "next",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(next),
     .value = "K",
     .least = 1,
     .most = UINT32_MAX,
     .help = "Print the K pages to be fetched next, the richest of those not fetched, with their "
             "cash, and as they were spelled in the input; -o FILE still gets all scores."},
    MR_HEADER_OPTION(FIELD(header)),
    MR_NAMES_OPTION(FIELD(names)),
    {0}};
#undef FIELD
