/* SPDX-License-Identifier: Apache-2.0 */
/* OPIC, the on-line computation of page importance (Abiteboul, Preda, Cobena 2003; docs/opic.md):
 * from the cash that pages pass on, and from crawl to crawl by a state. The sweeps are in
 * algorithms/opic; here are the options, what follows from them, and the files. */
#include "algorithms/opic/opic.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "library/rank/opic_run.h"

extern const struct mr_ranking_kind mr_kind_opic;

enum { AUTO, OPIC, DRAIN }; /* --method */

struct opic_options {
    struct mr_opic_options opic; /* but `drain`, and what the fields below say */
    int method, columns;
    const char *visits, *window, *state;
    struct mr_rank_fetched fetched;
};

#define IS_ARRAY(items, count)                                                                     \
    static_assert(offsetof(struct mr_opic_options, count) -                                        \
                          offsetof(struct mr_opic_options, items) ==                               \
                      offsetof(struct mr_rank_array, n),                                           \
                  "a list of the options is a struct mr_rank_array")
IS_ARRAY(targets, n_targets);
IS_ARRAY(times, n_times);
IS_ARRAY(intervals, n_intervals);

/* ---- Values ---- */

/* Reads a number of `bytes` at `text`, above 0 and at most `most`. */
static bool read_number(const char *text, size_t bytes, double most, double *value)
{
    char number[32], *end = number;

    if (bytes == 0 || bytes >= sizeof number || strspn(text, "0123456789+-.eE") < bytes) {
        return false;
    }
    memcpy(number, text, bytes);
    number[bytes] = '\0';
    *value = strtod(number, &end);
    return *end == '\0' && *value > 0 && *value <= most;
}

/* Reads "3" as cash, "90d" or "12h" as time, and "3x90d" as 3 intervals of the page itself. A time
 * is in seconds. */
static enum mr_status read_window(const char *text, struct mr_opic_options *options, bool *is_time,
                                  struct mr_error *err)
{
    static const char letters[] = "smhdw";
    static const double seconds[] = {1, 60, 3600, 86400, 604800};
    const char *cross = text != NULL ? strchr(text, 'x') : NULL, *length = text, *unit;

    *is_time = false;
    if (text == NULL) {
        return MR_OK;
    }
    if (cross != NULL) {
        length = read_number(text, (size_t)(cross - text), 0x1p32, &options->window_intervals)
                     ? cross + 1
                     : "";
    }
    const size_t bytes = strlen(length);
    unit = bytes > 0 ? strchr(letters, length[bytes - 1]) : NULL;
    *is_time = unit != NULL;
    if (!read_number(length, bytes - *is_time, 0x1p32, &options->window)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--window %s: must be above 0, and a number, a time such as 90d, or "
                            "intervals and a time such as 3x30d",
                            text);
    }
    options->window *= *is_time ? seconds[unit - letters] : 1;
    return cross == NULL || *is_time
               ? MR_OK
               : mr_error_set(err, MR_ERROR_USAGE,
                              "--window %s: must have a unit of time behind x, such as 3x30d",
                              text);
}

/* Reads "N" or "P%" of the pages, as a number of pages; 0 for NULL. */
static enum mr_status read_visits(const char *text, uint64_t n_vertices, uint64_t *visits,
                                  struct mr_error *err)
{
    const size_t bytes = text != NULL ? strlen(text) : 0;
    const bool is_share = bytes > 0 && text[bytes - 1] == '%';
    double value = 0;

    if (text != NULL && (!read_number(text, bytes - is_share, is_share ? 100 : 0x1p53, &value) ||
                         (!is_share && value != floor(value)))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--visits %s: must be a number of pages, at least 1, or a percentage "
                            "of them, such as 5%%",
                            text);
    }
    const double pages = is_share ? value / 100 * (double)n_vertices : value;
    *visits = text == NULL ? 0 : pages < 1 ? 1 : (uint64_t)pages;
    return MR_OK;
}

/* ---- Options ---- */

static bool gives(const struct mr_ranking_job *job, const char *names)
{
    return mr_rank_gives(&mr_kind_opic, job->given, names);
}

static enum mr_opic_payout payout_of(const struct mr_ranking_job *job)
{
    const struct opic_options *o = job->options;
    return gives(job, "targets") ? MR_OPIC_PAY_TARGETS : o->opic.payout;
}

static bool has_limit(const struct mr_ranking_job *job)
{
    const struct opic_options *o = job->options;
    const enum mr_opic_payout payout = payout_of(job);

    return o->opic.tax > 0.0 && !o->opic.tax_one_link &&
           (payout == MR_OPIC_PAY_ALL || payout == MR_OPIC_PAY_TARGETS);
}

/* Where nothing is kept for a next run, draining gives the same scores in fewer sweeps. */
static bool drains(const struct mr_ranking_job *job)
{
    const struct opic_options *o = job->options;

    return o->method == DRAIN || (o->method == AUTO && has_limit(job) &&
                                  !gives(job, "state|window|sweeps|cash-left|times|policy|visits"));
}

/* What options say about each other, beyond their rows. */
static enum mr_status check(const struct mr_ranking_job *job, struct mr_error *err)
{
    const struct opic_options *o = job->options;
    const bool is_drain = o->method == DRAIN;
    uint64_t visits;
    struct mr_opic_options options = o->opic;
    bool is_time;
    enum mr_status status = read_window(o->window, &options, &is_time, err);

    const struct {
        bool is_wrong;
        const char *why;
    } rules[] = {
        {is_drain && gives(job, "window"),
         "--method drain counts all cash from the start; leave out --window"},
        {is_drain && gives(job, "times"),
         "--times says which pages are visited; leave out --method drain"},
        {is_drain && !has_limit(job),
         "--method drain needs --tax above 0, and --payout all or --targets FILE"},
        {options.internal_weight + options.external_weight <= 0.0,
         "--internal-weight and --external-weight must not both be 0"},
        {is_time && !gives(job, "times"),
         "--window with a unit of time needs --times; without --times it is a number, in units of "
         "the total cash moved"},
        {options.window_intervals > 0 && !gives(job, "intervals"),
         "--window with x needs --intervals, a file with intervals of pages"},
        {o->window != NULL && !has_limit(job) && !gives(job, "sweeps|cash-left|times"),
         "--window has no error bound with this payout or tax; say --sweeps N"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0] && status == MR_OK; i++) {
        if (rules[i].is_wrong) {
            status = mr_error_set(err, MR_ERROR_USAGE, "%s", rules[i].why);
        }
    }
    if (status == MR_OK) {
        status = read_visits(o->visits, job->info->n_vertices, &visits, err);
    }
    return status == MR_OK && o->state != NULL ? mr_opic_state_check(job->context, o->state, err)
                                               : status;
}

/* Sets the limits of a run that are not given. */
static void set_limits(const struct mr_ranking_job *job, struct mr_opic_options *options)
{
    const double lost = 256.0 * 0x1p-62 * (double)job->info->n_edges;
    const bool is_window = options->window > 0.0;

    if (gives(job, "tolerance|sweeps|cash-left|times")) {
        return;
    }
    /* A link loses up to a unit of cash, 2^-62 of all, in each sweep. What is lost stays in the
     * bound, so that on large graphs no number of sweeps reaches 1e-9. */
    options->tolerance = options->drain ? fmax(1e-9, lost) : 0.01;
    if ((is_window || gives(job, "state")) && options->fetched_rule != MR_OPIC_FETCHED_ALL) {
        /* The cash ends up on pages that are not fetched. The flow then ends, and the window with
         * it, so the run stops by the cash that is left. */
        options->tolerance = is_window ? 0.0 : options->tolerance;
        options->cash_left = is_window ? 0.01 : 1e-3;
    }
}

/* The options of the algorithm. The values were checked. */
static struct mr_opic_options options_of(const struct mr_ranking_job *job)
{
    const struct opic_options *o = job->options;
    struct mr_opic_options options = o->opic;
    bool is_time;

    if (read_window(o->window, &options, &is_time, NULL) != MR_OK ||
        read_visits(o->visits, job->info->n_vertices, &options.visits, NULL) != MR_OK) {
        assert(false);
    }
    options.drain = drains(job);
    options.payout = payout_of(job);
    options.fetched_rule = (enum mr_opic_fetched)o->fetched.word;
    options.fetched = o->fetched.pages.items;
    options.n_fetched = o->fetched.pages.n;
    set_limits(job, &options);
    return options;
}

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    struct mr_opic_options options = options_of(job);
    const double tax = options.tax, damping = 1.0 - tax;
    double sweeps = 1.0;

    if (options.tolerance > 0.0 && options.drain) {
        sweeps = log(options.tolerance * tax / 2.0) / log(damping);
    } else if (options.tolerance > 0.0) {
        sweeps = 2.0 * damping / ((tax > 0.0 ? tax : 1.0) * options.tolerance);
    }
    plan->passes = options.sweeps > 0 ? (double)options.sweeps : ceil(fmax(sweeps, 1.0));
    plan->goal = options.tolerance;
    plan->rounds = options.tolerance > 0.0 ? 0 : options.sweeps;
    if (job->store != NULL) {
        const uint64_t columns =
            gives(job, "score-columns") ? 3 * sizeof(double) * job->info->n_vertices : 0;
        uint64_t before = 0;
        if (mr_opic_weighs(&options)) {
            options.internal = job->store; /* the edges inside hosts take no more than all */
            before = mr_opic_internal_memory(job->store, options.ignore_self_loops);
        }
        const uint64_t result = mr_opic_result_memory(job->info, &options) + columns;
        const uint64_t run = mr_max_u64(mr_opic_memory(job->info, &options), result);
        plan->least_bytes = mr_rank_least_memory(job, mr_max_u64(before, run), result);
        plan->memory_bytes =
            plan->least_bytes + (options.no_pinning ? 0 : mr_pass_pinned_memory(job->store, false));
    }
}

static enum mr_status run_opic(struct mr_ranking_job *job, struct mr_error *err)
{
    const struct opic_options *o = job->options;
    const struct mr_opic_options options = options_of(job);

    return mr_opic_rank(job, &options, o->state, gives(job, "score-columns"), err);
}

static void say(const void *figures, char *text, size_t text_bytes)
{
    const struct mr_opic_result *result = &((const struct mr_opic_figures *)figures)->result;
    char bound[32], first[128] = "";

    (void)mr_bound_text(result->error_bound, bound);
    if (result->bound_kind == MR_OPIC_NO_BOUND) {
        (void)snprintf(first, sizeof first, "no error bound with this window; ");
    } else if (result->converged) {
        (void)snprintf(first, sizeof first, "error bound %s%s%s after ", bound,
                       result->bound_kind == MR_OPIC_STATIONARITY ? " on stationarity" : "",
                       result->measured ? " (measured)" : "");
    }
    const size_t used = (size_t)snprintf(text, text_bytes, "%s", first);
    if (first[0] != '\0') {
        (void)snprintf(text + used, text_bytes - used, "%llu sweep%s",
                       (unsigned long long)result->sweeps, result->sweeps == 1 ? "" : "s");
    }
    (void)snprintf(text + strlen(text), text_bytes - strlen(text),
                   "\n|H| %.6g, cash moved %.3g in the last sweep, %.3g with the virtual page; the "
                   "cash adds up exactly",
                   result->history, result->moved, result->virtual_cash);
}

static const char *const methods[] = {"opic", "drain"};
static const char *const policies[] = {"cyclic", "greedy", "random", "times"};
static const char *const payouts[] = {"all", "unvisited", "visited", "targets"};
static const char *const fetched_rules[] = {"all", "links", "list"};
static const char *const new_pages[] = {"zero", "average"};
static const char *const bounds[] = {"none", "distance", "stationarity"};

#define OPTION(name) offsetof(struct opic_options, name)
#define OPIC(name)   offsetof(struct opic_options, opic.name)
#define FIGURE(name) offsetof(struct mr_opic_figures, name)
#define RESULT(name) offsetof(struct mr_opic_figures, result.name)
#define MERGE(name)  offsetof(struct mr_opic_figures, merge.name)
const struct mr_ranking_kind mr_kind_opic = {
    .name = "opic",
    .summary = "rank pages by cash (OPIC), also from crawl to crawl",
    .text = "Computes page importance with OPIC. Each page passes its cash to the pages that it "
            "links to. A virtual page, which links to all pages and gets a link from each, "
            "collects a tax and pays it out again. Cash is counted in whole units and adds up "
            "exactly. With a state the cash and history of a crawl are saved for the next crawl, "
            "and pages are matched by name. With a window only the recent past counts. Pages that "
            "were not fetched collect cash; --next prints the richest of them. See docs/opic.md.",
    .examples = "  millrace opic web.mill -o scores.tsv --method drain\n"
                "  millrace opic web.mill --state web.opic --window 4 --next 1000 > fetch.txt\n"
                "  millrace opic web.mill --fetched crawl.log --next 1000 > fetch.txt\n"
                "  millrace opic --dump-state web.opic --header > pages.tsv\n"
                "  millrace opic web.mill --targets hosts.txt --top 20\n",
    .columns = (const struct mr_rank_column[]){{"cash", .needs = "score-columns"},
                                               {"history", .needs = "score-columns"},
                                               {"last_visit", .needs = "score-columns"},
                                               {"score", .needs = NULL},
                                               {0}},
    .options =
        (const struct mr_rank_option[]){
            {"method", MR_RANK_CHOICE, OPTION(method), .choices = "auto|opic|drain",
             .help =
                 "With drain the virtual page pays once and then keeps its income. The error bound "
                 "then falls by the tax in every sweep; with opic it falls as 1/sweeps. auto is "
                 "drain where nothing is kept and all pages are visited: without --state, "
                 "--window, --times, --sweeps, --cash-left, --visits, and with the default "
                 "--policy. Default auto."},
            {"tax", MR_RANK_REAL, OPIC(tax), "X",
             .help =
                 "Share of a page's cash that goes to the virtual page. 1 - X is the damping of "
                 "PageRank. Default 0.15.",
             .usual = 0.15, .most = 1},
            {"one-link", MR_RANK_FLAG, OPIC(tax_one_link),
             .help = "Instead of a tax: the virtual page is one link more of each page, as in the "
                     "paper on OPIC; there is then no limit and no PageRank.",
             .excludes = "tax|method|internal-weight|external-weight"},
            {"policy", MR_RANK_CHOICE, OPIC(policy), .choices = "cyclic|greedy|random",
             .help = "Pages that a sweep visits. cyclic: all. greedy: the richest ones, which hold "
                     "half of the cash, and all in every 16th sweep. random: a tenth. Default "
                     "cyclic."},
            {"visits", MR_RANK_TEXT, OPTION(visits), "N|P%",
             .help = "Visit this many pages in each sweep. Default: as the policy says."},
            {"random-seed", MR_RANK_COUNT, OPIC(seed), "N",
             .help = "Seed of --policy random. Default 0.", .also = "seed", .most = 0x1p64},
            {"payout", MR_RANK_CHOICE, OPIC(payout), .choices = "all|unvisited|visited",
             .help = "Pages that the virtual page pays, each the same: all, unvisited (favours "
                     "discovery), or visited (favours recrawling). Default all."},
            {"targets", MR_RANK_VERTICES, OPIC(targets), "FILE",
             .help = "The virtual page pays only the pages in FILE: pages, hosts or domains, one "
                     "per line. "
                     "Default: as --payout says.",
             .excludes = "payout"},
            {"fetched", MR_RANK_FETCHED, OPTION(fetched), "WHICH", .choices = "all|links|list",
             .help = "Pages that were fetched and may be visited. The other pages keep their cash. "
                     "all: all pages. links: pages with links or fetch facts. links:FILE: also the "
                     "pages in FILE. FILE or list:FILE: only the pages in FILE, which is a list of "
                     "pages or hosts, crawl.log, a dump of Nutch's crawldb, CDX, CDXJ, JSON, or a "
                     "status table of StormCrawler. A page with a time in --times is fetched as "
                     "well. Several --fetched add up. Default all, with --next links.",
             .often = true},
            {"ignore-self-loops", MR_RANK_FLAG, OPIC(ignore_self_loops),
             .help = "Links from a page to itself carry no cash."},
            {"internal-weight", MR_RANK_REAL, OPIC(internal_weight), "W",
             .help = "Weight of a link inside a host, or inside a registered domain if the store "
                     "was built "
                     "with --classes domain. A store without classes needs a temporary store of "
                     "these "
                     "links. Default 1.",
             .usual = 1, .most = 0x1p20},
            {"external-weight", MR_RANK_REAL, OPIC(external_weight), "W",
             .help = "Weight of any other link. Default 1.", .usual = 1, .most = 0x1p20},
            {"tolerance", MR_RANK_REAL, OPIC(tolerance), "T",
             .help = "Stop when the error bound is at most T. The bound is on the distance to "
                     "PageRank "
                     "where that is defined, else on the distance to a stationary state. Default "
                     "0.01, "
                     "with --method drain 1e-9 (5.6e-17 a link where there are more than 18 "
                     "million "
                     "links: cash is cut to whole units); not used with --sweeps, --cash-left or "
                     "--times. "
                     "With --window and pages that were not fetched, the default is --cash-left "
                     "0.01; with "
                     "--state and such pages the run also stops at --cash-left 0.001, because cash "
                     "ends "
                     "with them.",
             .also = "tol eps epsilon threshold", .most = (double)INFINITY, .above_least = true,
             .often = true},
            {"sweeps", MR_RANK_COUNT, OPIC(sweeps), "N",
             .help = "Make at most N sweeps. With --times, divide the times into N slices.",
             .least = 1, .most = UINT32_MAX},
            {"cash-left", MR_RANK_REAL, OPIC(cash_left), "X",
             .help = "Stop when at most this share of the cash is on fetched pages with links.",
             .most = 1, .above_least = true},
            {"no-pin", MR_RANK_FLAG, OPIC(no_pinning),
             .help = "Keep no links in memory. Read all links in every pass. For measurements."},
            {"state", MR_RANK_FILE, OPTION(state), "FILE",
             .help = "Continue from the cash and history of FILE, if it exists, with pages matched "
                     "by name. "
                     "After links have changed the old history counts little. Write the new cash "
                     "and "
                     "history to FILE.",
             .often = true},
            {"window", MR_RANK_TEXT, OPTION(window), "T",
             .help = "Count only the income of the last T as importance. T is in units of the "
                     "total cash "
                     "moved, or with --times in seconds, or with a unit: 90d, 12h, 30m, 2w. 3x90d: "
                     "the "
                     "window of a page is 3 times its interval in --intervals, and 90d without "
                     "one."},
            {"times", MR_RANK_TIMES, OPIC(times), "FILE",
             .help = "Visit each page in FILE once, at its time. Lines are NAME<TAB>TIME, in "
                     "seconds or "
                     "milliseconds since 1970, 14 or 17 digits, or ISO 8601. These pages count as "
                     "fetched, "
                     "with --state also in later runs. Other pages were not recrawled and keep "
                     "their cash. "
                     "FILE can also be a crawler's own, as for --fetched.",
             .excludes = "tolerance|visits"},
            {"intervals", MR_RANK_INTERVALS, OPIC(intervals), "FILE",
             .help = "Fetch intervals of pages, for --window 3x90d: the file of --times, where it "
                     "has them "
                     "in a third column of seconds, or a crawldb of Nutch.",
             .needs = "window"},
            {"new-pages", MR_RANK_CHOICE, OPIC(new_pages), .choices = "auto|average|zero",
             .help = "History of new pages: average is that of the pages that came last, zero is "
                     "none. auto is average with --window, else zero. Default auto."},
            {"score-columns", MR_RANK_CHOICE, OPTION(columns), .choices = "score|all",
             .help = "all: write cash, history and last visit before the score. Cash is a share of "
                     "the total. The last visit is in seconds since 1970 with --times, else in "
                     "units of the total cash moved. Default score."},
            {0}},
    .figures =
        (const struct mr_rank_figure[]){
            {"method", MR_RANK_CHOICE, FIGURE(method), .help = "opic or drain", .words = methods},
            {"policy", MR_RANK_CHOICE, FIGURE(policy), .words = policies,
             .help = "the options as they were taken: with `--times` that is the policy, with "
                     "`--targets` the payout; a window is in seconds or totals"},
            {"visits_per_sweep", MR_RANK_COUNT, FIGURE(visits_per_sweep), .help = NULL},
            {"payout", MR_RANK_CHOICE, FIGURE(payout), .words = payouts},
            {"fetched", MR_RANK_CHOICE, FIGURE(fetched), .words = fetched_rules},
            {"window", MR_RANK_REAL, FIGURE(window), .help = NULL},
            {"window_intervals", MR_RANK_REAL, FIGURE(window_intervals), .help = NULL},
            {"new_pages", MR_RANK_CHOICE, FIGURE(new_pages), .words = new_pages},
            {"tolerance", MR_RANK_REAL, FIGURE(tolerance), .help = NULL},
            {"continued", MR_RANK_FLAG, FIGURE(continued), .needs = "state",
             .help = "whether the file had a state; whether graph and parameters are as before"},
            {"unchanged", MR_RANK_FLAG, MERGE(unchanged), .needs = "state"},
            {"pages_kept", MR_RANK_COUNT, MERGE(kept), .needs = "state",
             .help = "pages of both crawls, of the new one, of the old one"},
            {"pages_added", MR_RANK_COUNT, MERGE(added), .needs = "state"},
            {"pages_vanished", MR_RANK_COUNT, MERGE(vanished), .needs = "state"},
            {"added_cash", MR_RANK_REAL, MERGE(added_cash), .needs = "state",
             .help = "what they brought and took, as shares of the total cash"},
            {"added_history", MR_RANK_REAL, MERGE(added_history), .needs = "state"},
            {"vanished_cash", MR_RANK_REAL, MERGE(vanished_cash), .needs = "state"},
            {"converged", MR_RANK_FLAG, RESULT(converged),
             .help = "whether the run reached what ends it"},
            {"bound", MR_RANK_CHOICE, FIGURE(bound_kind), .words = bounds,
             .help = "kind of the bound, and the bound"},
            {"error_bound", MR_RANK_REAL, FIGURE(error_bound), .help = NULL},
            {"measured", MR_RANK_FLAG, RESULT(measured),
             .help = "whether a last pass measured how stationary the result is, and this bound"},
            {"stationarity_bound", MR_RANK_REAL, FIGURE(stationarity), .help = NULL},
            {"history", MR_RANK_REAL, RESULT(history),
             .help = "sum of the histories, in units of the total cash"},
            {"moved", MR_RANK_REAL, RESULT(moved),
             .help = "shares of the total cash: moved in the last sweep, left on fetched pages "
                     "with links, on the virtual page"},
            {"cash_left", MR_RANK_REAL, RESULT(cash_left), .help = NULL},
            {"virtual_cash", MR_RANK_REAL, RESULT(virtual_cash), .help = NULL},
            {"cash_sum", MR_RANK_COUNT, RESULT(cash_sum),
             .help = "the total cash, counted after the last sweep"},
            {"sweeps", MR_RANK_COUNT, RESULT(sweeps), .help = "of this run, and with those before"},
            {"visits", MR_RANK_COUNT, RESULT(visits), .help = NULL},
            {"total_sweeps", MR_RANK_COUNT, RESULT(total_sweeps), .help = NULL},
            {"total_visits", MR_RANK_COUNT, RESULT(total_visits), .help = NULL},
            {"pages_fetched", MR_RANK_COUNT, RESULT(n_fetched),
             .help = "pages that count as fetched; pages that were visited"},
            {"pages_visited", MR_RANK_COUNT, RESULT(n_visited), .help = NULL},
            {"passes", MR_RANK_COUNT, RESULT(figures.passes),
             .help = "passes over the links, those that left out a block, blocks left out"},
            {"partial_passes", MR_RANK_COUNT, RESULT(figures.partial_passes), .help = NULL},
            {"blocks_skipped", MR_RANK_COUNT, RESULT(figures.blocks_skipped), .help = NULL},
            MR_PASS_FIGURES(RESULT(figures)),
            {0}},
    .work = &(const struct mr_ranking_work){.options_bytes = sizeof(struct opic_options),
                                            .figures_bytes = sizeof(struct mr_opic_figures),
                                            .check = check,
                                            .plan = plan,
                                            .run = run_opic,
                                            .keep = mr_opic_keep,
                                            .next = mr_opic_next,
                                            .release = mr_opic_release,
                                            .say = say},
};
