/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the pages that a crawler fetches next, for pagerank, ppr and hits. The pages that are
 * fetched come from the files of the crawler (formats/crawl/fetch_log.h) as lists and times; they
 * become a bit per page. Then --next is the list of the best pages whose bit is not set. With
 * --revisit it is that of the best fetched ones, by the priorities of mr_fetch_priorities. */
#include "cli/graph/fetch_plan.h"

#include <string.h>

#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "formats/pages/page_list.h"

#define KNOWN       "needs to know which pages are fetched"
#define FIELD(name) offsetof(struct mr_fetch_flags, name)
const struct mr_option mr_fetch_options[] = {
    MR_FETCH_LIST_OPTIONS(FIELD(per_host), FIELD(per_domain), FIELD(urls_only)),
    {"fetched", 0, MR_OPTION_TEXTS, FIELD(fetched), "FILE|links", .file = MR_FILE_LISTED,
     .help = "The pages that are fetched: a list of pages or hosts, crawl.log, a dump of Nutch's "
             "crawldb, CDX, CDXJ, JSON, or a status table of StormCrawler. links: all pages with "
             "links or fetch facts. links:FILE: both. Several --fetched add up."},
    {"times", 0, MR_OPTION_TEXTS, FIELD(times), "FILE", .file = MR_FILE_READ,
     .help = "Times of the latest fetches: lines NAME<TAB>TIME, or a crawler's file as for "
             "--fetched. A "
             "page with a time is fetched. Several --times add up."},
    MR_RETRIES_OPTION(FIELD(retries)),
    {"only", 0, MR_OPTION_CHOICE, FIELD(only), .choices = "all|unfetched|fetched",
     .help = "Write only pages that are not fetched, or only those that are. Default all.",
     .needs = {{.names = "fetched|times", .why = KNOWN}}},
    {"next", 0, MR_OPTION_COUNT, FIELD(next), "N", .often = true, .least = 1, .most = UINT32_MAX,
     .help = "Print the N pages to fetch next: the best ones that are not fetched, in their "
             "spelling of the input, with their scores. -o FILE gets all scores. precedence writes "
             "only these pages.",
     .needs = {{.names = "fetched|times", .why = KNOWN}}},
    {"revisit", 0, MR_OPTION_FLAG, FIELD(revisit),
     .help = "With --next: print fetched pages in the order in which to fetch them again, by score "
             "times age. The age is the time from the page's last fetch to the latest fetch in "
             "--times. Pages without a time are as old as the oldest one. If the store has fetch "
             "facts, the order is score times the probability that the page has changed since its "
             "last fetch, and --fetched suffices.",
     .needs = {{.names = "next"}},
     .excludes = {{.names = "only=unfetched", .why = "prints fetched pages"}}},
    {0}};
const struct mr_option mr_fetch_known_options[] = {
    {"next", 0, MR_OPTION_COUNT, FIELD(next), "K", .often = true, .least = 1, .most = UINT32_MAX,
     .help = "Print the K pages to fetch next, which are the richest pages not fetched, with their "
             "cash and in their spelling of the input. -o FILE gets all scores."},
    MR_FETCH_LIST_OPTIONS(FIELD(per_host), FIELD(per_domain), FIELD(urls_only)),
    MR_RETRIES_OPTION(FIELD(retries)),
    {"revisit", 0, MR_OPTION_FLAG, FIELD(revisit),
     .help = "With --next: print the fetched pages that are richest, which is the order in which "
             "to fetch them again. Their cash came in since their last visit.",
     .needs = {{.names = "next"}}},
    {0}};
#undef FIELD

enum mr_status mr_fetched_parse(const char *text, void *value, struct mr_error *err)
{
    static const char *const words[] = {"all", "links", "list"};
    enum { ALL, LINKS, LIST };
    struct mr_fetched_value *fetched = value;
    const char *file = text;
    int word = LIST;

    for (int i = ALL; i <= LIST; i++) {
        const size_t bytes = strlen(words[i]);
        if (strncmp(text, words[i], bytes) == 0 && (text[bytes] == '\0' || text[bytes] == ':')) {
            word = i;
            file = text[bytes] == ':' ? text + bytes + 1 : NULL;
        }
    }
    if (file == NULL ? word == LIST : *file == '\0' || word == ALL) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be all, links, links:FILE or FILE");
    }
    if (fetched->is_given && (fetched->word == ALL) != (word == ALL)) {
        return mr_error_set(err, MR_ERROR_USAGE, "all pages, or some of them?");
    }
    fetched->word = fetched->is_given && fetched->word < word ? fetched->word : word;
    fetched->is_given = true;
    return file != NULL ? mr_texts_add(file, &fetched->files, err) : MR_OK;
}

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

enum mr_status mr_fetch_check(const struct mr_fetch_flags *flags, enum mr_fetch_of of, bool prints,
                              const char *output, struct mr_error *err)
{
    const char *file;

    for (size_t i = 0; of == MR_FETCH_OF_SCORES && i < flags->fetched.n; i++) {
        if (split(flags->fetched.items[i], &file)) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "--fetched %s: scores have no links; name a file, such as "
                                "crawl.log, or give it to the ranking, with --only",
                                flags->fetched.items[i]);
        }
    }
    if (of == MR_FETCH_OF_SCORES && flags->fetched.n + flags->times.n > 0 && flags->next == 0 &&
        flags->only == MR_ONLY_ALL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--fetched and --times change nothing alone; say --next N or --only "
                            "unfetched, too");
    }
    if (flags->next > 0 && prints) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--top, --next and --json print to standard output; give one of them");
    }
    if (flags->next > 0 && output != NULL && mr_output_is_standard(output)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "-o %s: --next prints to standard output already; name a file", output);
    }
    if (flags->revisit && of == MR_FETCH_OF_SCORES && flags->times.n == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "--revisit needs --times FILE");
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

/* Reads what --fetched names, files, pages with links, or both, and then --times. */
static enum mr_status read_lists(struct mr_session *session, const struct mr_fetch_flags *flags,
                                 const struct mr_graph *graph, uint64_t max_unknown,
                                 struct mr_fetch_plan *plan, struct mr_error *err)
{
    const char *files[MR_MOST_TEXTS];
    size_t n = 0;
    bool by_links = false;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < flags->fetched.n; i++) {
        by_links |= split(flags->fetched.items[i], &files[n]);
        n += files[n] != NULL;
    }
    if (by_links) {
        status =
            mr_page_marks_links(&session->context, graph->store, graph->names, plan->fetched, err);
    }
    if (status == MR_OK) {
        status =
            mr_fetched_read(&session->context, graph->store, graph->names, files, n, flags->retries,
                            flags->revisit, max_unknown, plan->fetched, NULL, err);
    }
    if (status == MR_OK && flags->revisit && flags->times.n == 0 &&
        mr_store_get_info(graph->store)->n_facts == 0) {
        status =
            mr_error_set(err, MR_ERROR_USAGE,
                         "--revisit needs --next N and --times FILE; the store has no fetch facts");
    }
    /* If plan->times is not NULL, the lists are read with their times. */
    if (status == MR_OK && (flags->revisit || flags->times.n > 0)) {
        status = mr_memory_array(plan->memory, "times of fetches", plan->n_vertices + 1,
                                 &plan->times, err);
    }
    if (status == MR_OK) {
        status = mr_fetched_read(&session->context, graph->store, graph->names, flags->times.items,
                                 flags->times.n, 0, flags->revisit, max_unknown, plan->fetched,
                                 plan->times, err);
    }
    for (uint64_t v = 0; status == MR_OK && v < plan->n_vertices; v++) {
        plan->n_fetched += mr_page_is_marked(plan->fetched, v);
    }
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
        status = read_lists(session, flags, graph, max_unknown, plan, err);
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

/* ---- The list ---- */

/* `*bits` are those of the best `*n` of the chosen pages that the flags allow. */
static enum mr_status keep_per_host(struct mr_session *session, const struct mr_fetch_flags *flags,
                                    const struct mr_graph *graph,
                                    const struct mr_score_column *column, const uint8_t *chosen,
                                    uint64_t *n, uint8_t **bits, struct mr_error *err)
{
    const uint64_t n_bytes = mr_store_get_info(graph->store)->n_vertices / 8 + 1;
    struct mr_memory *memory = session->context.memory;
    uint32_t *vertices = NULL;
    const struct mr_memory_wanted arrays[] = {MR_WANTED("pages to fetch", n_bytes, bits),
                                              MR_WANTED("list of pages", *n, &vertices)};

    enum mr_status status = mr_memory_arrays(memory, arrays, err);
    if (status == MR_OK) {
        status = mr_fetch_choose(&session->context, graph->store, graph->names, column, chosen, *n,
                                 flags->per_host, flags->per_domain, vertices, n, err);
    }
    for (uint64_t i = 0; i < *n && status == MR_OK; i++) {
        (*bits)[vertices[i] / 8] |= (uint8_t)(1u << vertices[i] % 8);
    }
    mr_memory_free(memory, vertices);
    return status;
}

/* Prints the best pages of `columns[n_columns]` by the first one, `flags->next` at most, of those
 * that are chosen (a bit for each; NULL: of the best n_chosen), and no more of a host or a domain
 * than the flags say. Memory with these: 8 bytes per page for each, and 16 per page looked at. */
static enum mr_status print_list(struct mr_session *session, const struct mr_fetch_flags *flags,
                                 const struct mr_graph *graph,
                                 const struct mr_score_column *columns, unsigned n_columns,
                                 const uint8_t *chosen, uint64_t n_chosen, bool header,
                                 struct mr_error *err)
{
    uint64_t n = flags->next < n_chosen ? flags->next : n_chosen;
    uint8_t *bits = NULL;
    enum mr_status status = MR_OK;

    if (n == 0) {
        mr_session_say(session, "note: %s; --next has none to print",
                       flags->revisit ? "no page is fetched and not gone"
                                      : "all pages are fetched");
        return MR_OK;
    }
    if (flags->per_host > 0 || flags->per_domain > 0) {
        status = keep_per_host(session, flags, graph, columns, chosen, &n, &bits, err);
    }
    const struct mr_scores_options options = {.struct_size = sizeof options,
                                              .header = header,
                                              .only_top = true,
                                              .top = n,
                                              .originals = true,
                                              .chosen = bits != NULL ? bits : chosen,
                                              .only_names = flags->urls_only};
    if (status == MR_OK) {
        mr_session_leave_terminal(session, NULL);
        status = mr_scores_write(&session->context, NULL, graph->names,
                                 mr_store_get_info(graph->store)->n_vertices, columns, n_columns,
                                 &options, NULL, err);
    }
    mr_memory_free(session->context.memory, bits);
    return status;
}

enum mr_status mr_fetch_plan_print(struct mr_session *session, const struct mr_fetch_flags *flags,
                                   const struct mr_fetch_plan *plan, const struct mr_graph *graph,
                                   const struct mr_score_column *column, bool header,
                                   struct mr_error *err)
{
    struct mr_score_column columns[2] = {*column, *column};
    double *priorities = NULL;
    enum mr_status status = MR_OK;

    if (flags->revisit) {
        status = mr_memory_array(plan->memory, "priorities of visits", plan->n_vertices + 1,
                                 &priorities, err);
        if (status == MR_OK) {
            status = mr_fetch_priorities(&session->context, graph->store, graph->names, column,
                                         plan->n_vertices, plan->times, priorities, err);
        }
        if (status == MR_OK) {
            columns[0] = (struct mr_score_column){
                .name = "priority", .type = MR_SCORES_DOUBLE, .values = priorities};
        }
    }
    if (status == MR_OK) {
        status = print_list(session, flags, graph, columns, flags->revisit ? 2 : 1,
                            flags->revisit ? plan->fetched : plan->waiting,
                            flags->revisit ? plan->n_fetched : plan->n_vertices - plan->n_fetched,
                            header, err);
    }
    mr_memory_free(session->context.memory, priorities);
    return status;
}

/* Clears the bits of fetched pages that are gone. */
static enum mr_status drop_gone(struct mr_session *session, const struct mr_graph *graph,
                                const struct mr_texts *fetched, const struct mr_texts *timed,
                                uint8_t *bits, struct mr_error *err)
{
    struct mr_context quiet = session->context;
    uint32_t *times = NULL;

    quiet.note = NULL;
    enum mr_status status =
        mr_memory_array(quiet.memory, "times of fetches",
                        mr_store_get_info(graph->store)->n_vertices + 1, &times, err);
    if (status == MR_OK) {
        status = mr_fetched_read(&quiet, graph->store, graph->names, fetched->items, fetched->n, 0,
                                 true, UINT64_MAX, bits, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_fetched_read(&quiet, graph->store, graph->names, timed->items, timed->n, 0,
                                 true, UINT64_MAX, bits, times, err);
    }
    mr_memory_free(quiet.memory, times);
    return status;
}

enum mr_status mr_fetch_known_print(struct mr_session *session, const struct mr_fetch_flags *flags,
                                    const struct mr_graph *graph, const double *cash,
                                    const struct mr_texts *fetched, const struct mr_texts *timed,
                                    bool header, struct mr_error *err)
{
    const struct mr_score_column column = {
        .name = "cash", .type = MR_SCORES_DOUBLE, .values = cash};
    const uint64_t n_vertices = mr_store_get_info(graph->store)->n_vertices;
    struct mr_memory *memory = session->context.memory;
    uint8_t *bits = NULL;
    uint64_t n_pages = 0;

    enum mr_status status =
        mr_memory_array(memory, "pages to fetch", n_vertices / 8 + 1, &bits, err);
    for (uint64_t v = 0; status == MR_OK && v < n_vertices; v++) {
        bits[v / 8] |= (uint8_t)((cash[v] >= 0) << v % 8);
    }
    if (status == MR_OK) {
        status = flags->revisit ? drop_gone(session, graph, fetched, timed, bits, err)
                                : mr_page_marks_gone(&session->context, graph->store, graph->names,
                                                     true, bits, err);
    }
    for (uint64_t v = 0; status == MR_OK && v < n_vertices; v++) {
        n_pages += mr_page_is_marked(bits, v);
    }
    if (status == MR_OK) {
        status = print_list(session, flags, graph, &column, 1, bits, n_pages, header, err);
    }
    mr_memory_free(memory, bits);
    return status;
}
