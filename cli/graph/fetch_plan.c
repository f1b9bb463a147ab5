/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the pages that a crawler fetches next, for pagerank, ppr and hits. The pages that are
 * fetched come from the files of the crawler (formats/crawl/fetch_log.h) as lists and times; they
 * become a bit per page. Then --next is the list of the best pages whose bit is not set. With
 * --revisit it is that of the best fetched ones, by their score times the seconds since their last
 * fetch: a page that is twice as important is worth a visit after half the time. */
#include "cli/graph/fetch_plan.h"

#include <string.h>

#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "engine/scan/neighbours.h"
#include "formats/pages/page_list.h"
#include "formats/score/vertex_weights.h"
#include "formats/stream/output.h"
#include "formats/table/time_text.h"
#include "formats/url/surt.h"

#define FIELD(name) offsetof(struct mr_fetch_flags, name)
const struct mr_option mr_fetch_options[] = {
    {.name = "fetched",
     .type = MR_OPTION_TEXTS,
     .offset = FIELD(fetched),
     .value = "FILE|links",
     .file = MR_FILE_LISTED,
     .help = "The pages that are fetched: a list of pages or hosts, crawl.log, a dump of Nutch's "
             "crawldb, CDX, CDXJ, JSON, or a status table of StormCrawler. links: all pages with "
             "links. links:FILE: both. Several --fetched add up."},
    {.name = "times",
     .type = MR_OPTION_TEXTS,
     .offset = FIELD(times),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help =
         "Times of the latest fetches: lines NAME TIME, or a crawler's file as for --fetched. A "
         "page with a time is fetched. Several --times add up."},
    MR_RETRIES_OPTION(FIELD(retries)),
    {.name = "only",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(only),
     .choices = "all|unfetched|fetched",
     .help = "Write only pages that are not fetched, or only those that are. Default all."},
    {.name = "next",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(next),
     .value = "N",
     .least = 1,
     .most = UINT32_MAX,
     .help = "Print the N pages to fetch next: the best ones that are not fetched, in their "
             "spelling of the input, with their scores. -o FILE gets all scores. precedence writes "
             "only these pages."},
    {.name = "revisit",
     .type = MR_OPTION_FLAG,
     .offset = FIELD(revisit),
     .help = "With --next: print fetched pages in the order in which to fetch them again, by score "
             "times age. The age is the time from the page's last fetch to the latest fetch in "
             "--times. Pages without a time are as old as the oldest one."},
    {0}};
#undef FIELD

/* Splits "links:FILE": is "links" there, and which file? */
static bool split(const char *fetched, const char **file)
{
    static const char word[] = "links";
    const size_t n = sizeof word - 1;
    const bool by_links = fetched != NULL && strncmp(fetched, word, n) == 0 &&
                          (fetched[n] == '\0' || fetched[n] == ':');

    *file = by_links ? (fetched[n] == ':' ? fetched + n + 1 : NULL) : fetched;
    return by_links;
}

enum mr_status mr_fetch_check(const struct mr_fetch_flags *flags, bool has_state, bool prints,
                              const char *output, struct mr_error *err)
{
    if ((flags->next > 0 || flags->only != MR_ONLY_ALL) && !has_state && flags->fetched.n == 0 &&
        flags->times.n == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--%s needs to know which pages are fetched: say --fetched FILE (such "
                            "as crawl.log) or --times FILE; --fetched links if nothing is known",
                            flags->next > 0 ? "next" : "only");
    }
    if (flags->retries > 0 && !has_state && flags->fetched.n == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, MR_RETRIES_NEED_A_FILE);
    }
    if (flags->next > 0 && prints) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--top, --next and --json print to standard output; give one of them");
    }
    if (flags->next > 0 && output != NULL && mr_is_standard_output(output)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "-o %s: --next prints to standard output already; name a file", output);
    }
    if (flags->revisit && (flags->next == 0 || (flags->times.n == 0 && !has_state))) {
        return mr_error_set(err, MR_ERROR_USAGE, "--revisit needs --next N%s",
                            has_state ? "" : " and --times FILE");
    }
    if (flags->only != MR_ONLY_ALL && output != NULL && mr_output_has_suffix(output, ".npy")) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "-o %s: a .npy has a row for each page, so --only needs another file",
                            output);
    }
    return MR_OK;
}

void mr_fetch_list_files(const struct mr_fetch_flags *flags, struct mr_files *files)
{
    for (size_t i = 0; i < flags->fetched.n; i++) {
        const char *file;
        (void)split(flags->fetched.items[i], &file);
        mr_files_add(files, MR_FILE_READ, "--fetched", file, NULL);
    }
}

static void mark(struct mr_fetch_plan *plan, uint64_t vertex)
{
    const uint8_t bit = (uint8_t)(1u << vertex % 8);
    plan->n_fetched += (plan->fetched[vertex / 8] & bit) == 0;
    plan->fetched[vertex / 8] |= bit;
}

static enum mr_status mark_links(void *data, uint64_t first, const uint32_t *degrees, size_t n,
                                 struct mr_error *err)
{
    (void)err;
    for (size_t i = 0; i < n; i++) {
        if (degrees[i] > 0) {
            mark(data, first + i);
        }
    }
    return MR_OK;
}

/* Reads what --fetched names: files, pages with links, or both. */
static enum mr_status read_fetched(struct mr_session *session, const struct mr_fetch_flags *flags,
                                   const struct mr_graph *graph, uint64_t max_unknown,
                                   struct mr_fetch_plan *plan, struct mr_error *err)
{
    const struct mr_texts *fetched = &flags->fetched;
    struct mr_page_list list = {0};
    const char *files[MR_MOST_TEXTS];
    size_t n = 0;
    bool by_links = false;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < fetched->n; i++) {
        by_links |= split(fetched->items[i], &files[n]);
        n += files[n] != NULL;
    }
    if (by_links) {
        status =
            mr_degrees_read(&session->context, graph->store, MR_DEGREES_OUT, mark_links, plan, err);
    }
    if (status == MR_OK) {
        status = mr_page_list_read(&session->context, files, n, graph->names,
                                   mr_store_get_info(graph->store), MR_FETCH_WANTS_FETCHED,
                                   flags->retries, max_unknown, &list, err);
    }
    for (uint64_t i = 0; i < list.n_pages; i++) {
        mark(plan, list.pages[i]);
    }
    mr_page_list_free(&list);
    return status;
}

static enum mr_status read_times(struct mr_session *session, const struct mr_texts *files,
                                 const struct mr_graph *graph, uint64_t max_unknown, bool keeps,
                                 struct mr_fetch_plan *plan, struct mr_error *err)
{
    const struct mr_vertex_weights_options options = {.struct_size = sizeof options,
                                                      .weighted = true,
                                                      .max_unknown = max_unknown,
                                                      .parse = mr_time_parse,
                                                      .expected = MR_TIME_EXPECTED,
                                                      .takes_logs = true,
                                                      .keeps_timeless = true,
                                                      .latest = true,
                                                      .may_be_empty = true};
    struct mr_vertex_weights times = {0};
    enum mr_status status = mr_vertex_weights_read(&session->context, files->items, files->n,
                                                   graph->names, &options, &times, err);

    if (status == MR_OK && keeps) {
        status = mr_memory_array(plan->memory, "times of fetches", plan->n_vertices + 1,
                                 &plan->times, err);
    }
    plan->first = UINT32_MAX;
    for (uint64_t i = 0; status == MR_OK && i < times.n_entries; i++) {
        const uint32_t time = (uint32_t)times.entries[i].weight;
        mark(plan, times.entries[i].vertex);
        if (keeps) {
            plan->times[times.entries[i].vertex] = time;
        }
        plan->first = time > 0 && time < plan->first ? time : plan->first;
        plan->last = time > plan->last ? time : plan->last;
    }
    mr_vertex_weights_free(&times);
    return status;
}

enum mr_status mr_fetch_plan_open(struct mr_session *session, const struct mr_fetch_flags *flags,
                                  const struct mr_graph *graph, uint64_t max_unknown,
                                  struct mr_fetch_plan *plan, struct mr_error *err)
{
    char fetched[32], all[32];
    enum mr_status status = MR_OK;

    *plan = (struct mr_fetch_plan){.memory = session->context.memory,
                                   .n_vertices = mr_store_get_info(graph->store)->n_vertices};
    if (flags->fetched.n == 0 && flags->times.n == 0) {
        return MR_OK;
    }
    plan->is_open = true;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("fetched pages", plan->n_vertices / 8 + 1, &plan->fetched),
        MR_WANTED("pages not fetched", plan->n_vertices / 8 + 1, &plan->waiting),
    };
    status = mr_memory_arrays(plan->memory, arrays, err);
    if (status == MR_OK) {
        status = read_fetched(session, flags, graph, max_unknown, plan, err);
    }
    if (status == MR_OK && flags->times.n > 0) {
        status = read_times(session, &flags->times, graph, max_unknown, flags->revisit, plan, err);
    }
    for (uint64_t i = 0; status == MR_OK && i < plan->n_vertices / 8 + 1; i++) {
        plan->waiting[i] = (uint8_t)~plan->fetched[i];
    }
    if (status == MR_OK) {
        mr_session_say(session, "fetched: %s of %s pages", mr_count_text(plan->n_fetched, fetched),
                       mr_count_text(plan->n_vertices, all));
    }
    return status;
}

void mr_fetch_plan_close(struct mr_fetch_plan *plan)
{
    if (plan->memory != NULL) {
        mr_memory_free(plan->memory, plan->fetched);
        mr_memory_free(plan->memory, plan->waiting);
        mr_memory_free(plan->memory, plan->times);
    }
    *plan = (struct mr_fetch_plan){0};
}

const uint8_t *mr_fetch_plan_chosen(const struct mr_fetch_flags *flags,
                                    const struct mr_fetch_plan *plan)
{
    return flags->only == MR_ONLY_UNFETCHED ? plan->waiting
           : flags->only == MR_ONLY_FETCHED ? plan->fetched
                                            : NULL;
}

/* Score times age in days. */
static void set_priorities(const struct mr_fetch_plan *plan, const struct mr_score_column *column,
                           double *priorities)
{
    for (uint64_t v = 0; v < plan->n_vertices; v++) {
        const uint32_t time = plan->times[v] > 0 ? plan->times[v] : plan->first;
        const double score = column->type == MR_SCORES_DOUBLE
                                 ? ((const double *)column->values)[v]
                                 : (double)((const float *)column->values)[v];
        priorities[v] = time > plan->last ? 0 : score * ((plan->last - time) / 86400.0);
    }
}

enum mr_status mr_fetch_plan_print(struct mr_session *session, const struct mr_fetch_flags *flags,
                                   const struct mr_fetch_plan *plan, struct mr_names *names,
                                   const struct mr_score_column *column, bool header,
                                   struct mr_error *err)
{
    const uint64_t n = flags->revisit ? plan->n_fetched : plan->n_vertices - plan->n_fetched;
    struct mr_score_column columns[2] = {*column, *column};
    const struct mr_scores_options options = {.struct_size = sizeof options,
                                              .header = header,
                                              .only_top = true,
                                              .top = flags->next,
                                              .originals = true,
                                              .chosen =
                                                  flags->revisit ? plan->fetched : plan->waiting};
    double *priorities = NULL;
    enum mr_status status = MR_OK;

    if (n == 0) {
        mr_session_say(session, "note: %s; --next has none to print",
                       flags->revisit ? "no page is fetched" : "all pages are fetched");
        return MR_OK;
    }
    if (flags->revisit) {
        status = mr_memory_array(plan->memory, "priorities of visits", plan->n_vertices + 1,
                                 &priorities, err);
        if (status == MR_OK) {
            set_priorities(plan, column, priorities);
            columns[0] = (struct mr_score_column){
                .name = "priority", .type = MR_SCORES_DOUBLE, .values = priorities};
        }
    }
    if (status == MR_OK) {
        mr_session_leave_terminal(session, NULL);
        status = mr_scores_write(&session->context, NULL, names, plan->n_vertices, columns,
                                 flags->revisit ? 2 : 1, &options, NULL, err);
    }
    mr_memory_free(session->context.memory, priorities);
    return status;
}
