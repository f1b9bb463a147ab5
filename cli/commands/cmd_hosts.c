/* SPDX-License-Identifier: Apache-2.0 */
/* millrace hosts: sums up pages, links and scores by host. The names of a host are neighbours,
 * so one walk over all names finds and prints the hosts one by one. With --internal a first walk
 * numbers the hosts, and a pass over the edges counts the edges inside each. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/graph/best_pages.h"
#include "cli/graph/host_rows.h"
#include "cli/graph/query.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "engine/names/name_walk.h"
#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"
#include "formats/score/scores.h"
#include "formats/url/host.h"

struct hosts_flags {
    struct mr_common_flags common;
    const char *output;
    const char *scores;
    const char *column;
    int by; /* index into "host|domain" */
    int sort; /* enum sort_key */
    uint64_t top; /* 0: all */
    bool internal;
    bool header;
};

enum { DECIMALS = 9 }; /* of aligned scores where nothing is proven */

enum sort_key { BY_NAME, BY_PAGES, BY_OUT, BY_IN, BY_INTERNAL, BY_SCORE, NOT_SAID };
enum { BEST_HOSTS = 20 }; /* how many a terminal shows */

static const struct hosts_flags defaults = {.common = MR_COMMON_DEFAULTS, .sort = NOT_SAID};

#define FIELD(name) offsetof(struct hosts_flags, name)
static const struct mr_option hosts_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "FILE", .file = MR_FILE_WRITE,
     .help = "Write to FILE. .gz and .zst compress. Default: standard output."},
    {"by", 0, MR_OPTION_CHOICE, FIELD(by), .choices = "host|domain",
     .help = "domain: sum up by registered domain, from the public suffix list. Default host."},
    {"internal", 0, MR_OPTION_FLAG, FIELD(internal),
     .help = "Also count the links that stay inside. Needs a pass over the links."},
    {"scores", 0, MR_OPTION_TEXT, FIELD(scores), "FILE", .file = MR_FILE_READ,
     .help =
         "Also print the sum of the scores in FILE. FILE must come from a ranking of this store."},
    MR_COLUMN_OPTION(FIELD(column)),
    {"sort", 0, MR_OPTION_CHOICE, FIELD(sort), .choices = "name|pages|out|in|internal|score",
     .help =
         "Order of the lines, the largest first: by pages, links out, links in, links inside or "
         "score; equal ones by name. Default name; with --top and on a terminal score or pages."},
    {"top", 0, MR_OPTION_COUNT, FIELD(top), "K", .least = 1, .most = UINT32_MAX,
     .help = "Print the first K lines of this order only. Default: all; on a terminal 20, unless "
             "--sort is given."},
    MR_HEADER_OPTION(FIELD(header)),
    {0}};
#undef FIELD

struct tally {
    struct mr_session *session;
    const struct hosts_flags *flags;
    struct mr_graph graph;
    struct mr_domains *domains;
    double *scores; /* [n_vertices], with --scores only */
    bool prints; /* in the last walk */
    struct mr_output *out;
    uint64_t n_vertices;
    uint32_t *in, *out_degrees; /* [n_vertices] each */
    uint32_t *hosts; /* [n_vertices], host number of each vertex, with --internal only */
    uint64_t *internal; /* [n_hosts] */
    uint64_t n_hosts;

    char host[MR_HOST_MAX_BYTES]; /* the host of the current vertices */
    uint64_t pages, links_in, links_out;
    double score, compensation; /* sum of the scores, in the order of the vertices */

    enum sort_key sort;
    struct mr_host_rows kept; /* unless sorted by name */

    bool aligned; /* for a person at a terminal: columns, and only proven digits */
    int decimals; /* of aligned scores */
};

static enum mr_status take_in(void *data, uint64_t first, const uint32_t *degrees, size_t n,
                              struct mr_error *err)
{
    struct tally *tally = data;
    (void)err;
    memcpy(tally->in + first, degrees, n * sizeof *degrees);
    return MR_OK;
}

static enum mr_status take_out(void *data, uint64_t first, const uint32_t *degrees, size_t n,
                               struct mr_error *err)
{
    struct tally *tally = data;
    (void)err;
    memcpy(tally->out_degrees + first, degrees, n * sizeof *degrees);
    return MR_OK;
}

static enum mr_status allocate(struct tally *tally, struct mr_error *err)
{
    const struct mr_context *context = &tally->session->context;
    const uint64_t n = tally->n_vertices + 1;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("in-degrees", n, &tally->in),
        MR_WANTED("out-degrees", n, &tally->out_degrees),
        MR_WANTED("hosts of pages", tally->flags->internal ? n : 0, &tally->hosts),
    };
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);

    if (status == MR_OK) {
        status = mr_degrees_read(context, tally->graph.store, MR_DEGREES_IN, take_in, tally, err);
    }
    return status == MR_OK
               ? mr_degrees_read(context, tally->graph.store, MR_DEGREES_OUT, take_out, tally, err)
               : status;
}

/* The numbers of a host, then its name, which may be long. */
static enum mr_status print_aligned(struct tally *tally, const struct mr_host_row *row,
                                    struct mr_error *err)
{
    const struct hosts_flags *flags = tally->flags;
    uint64_t escaped = 0;
    enum mr_status status = MR_OK;

    if (flags->scores != NULL) {
        status = mr_output_print(tally->out, err, "%*.*f  ", tally->decimals + 3, tally->decimals,
                                 row->score);
    }
    if (status == MR_OK) {
        status = mr_output_print(tally->out, err, "%10llu %10llu %10llu  ",
                                 (unsigned long long)row->pages, (unsigned long long)row->links_out,
                                 (unsigned long long)row->links_in);
    }
    if (status == MR_OK && flags->internal) {
        status = mr_output_print(tally->out, err, "%10llu  ", (unsigned long long)row->internal);
    }
    if (status == MR_OK) {
        const char *host = row->host[0] != '\0' ? row->host : "-";
        status = mr_output_name_escaped(tally->out, host, strlen(host), MR_NAME_URI, &escaped, err);
    }
    return status == MR_OK ? mr_output_write(tally->out, "\n", 1, err) : status;
}

static enum mr_status print_row(struct tally *tally, const struct mr_host_row *row,
                                struct mr_error *err)
{
    if (tally->aligned) {
        return print_aligned(tally, row, err);
    }
    const struct hosts_flags *flags = tally->flags;
    const bool has_host = row->host[0] != '\0';
    uint64_t escaped = 0;
    enum mr_status status =
        mr_output_name_escaped(tally->out, has_host ? row->host : "-",
                               has_host ? strlen(row->host) : 1, MR_NAME_URI, &escaped, err);

    if (status == MR_OK) {
        status =
            mr_output_print(tally->out, err, "\t%llu\t%llu\t%llu", (unsigned long long)row->pages,
                            (unsigned long long)row->links_out, (unsigned long long)row->links_in);
    }
    if (status == MR_OK && flags->internal) {
        status = mr_output_print(tally->out, err, "\t%llu", (unsigned long long)row->internal);
    }
    if (status == MR_OK && flags->scores != NULL) {
        status = mr_output_print(tally->out, err, "\t%.17g", row->score);
    }
    return status == MR_OK ? mr_output_write(tally->out, "\n", 1, err) : status;
}

static enum mr_status print_kept(struct tally *tally, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    mr_host_rows_sort(&tally->kept);
    for (uint64_t i = 0; i < tally->kept.n && status == MR_OK; i++) {
        status = print_row(tally, &tally->kept.rows[i], err);
    }
    return status;
}

static enum mr_status print_host(struct tally *tally, struct mr_error *err)
{
    if (tally->pages == 0) {
        return MR_OK;
    }
    struct mr_host_row row = {.host = tally->host,
                              .number = tally->n_hosts,
                              .pages = tally->pages,
                              .links_out = tally->links_out,
                              .links_in = tally->links_in,
                              .internal =
                                  tally->internal != NULL ? tally->internal[tally->n_hosts] : 0,
                              .score = tally->score + tally->compensation};
    const double keys[] = {0,
                           (double)row.pages,
                           (double)row.links_out,
                           (double)row.links_in,
                           (double)row.internal,
                           row.score};
    row.key = keys[tally->sort];
    return tally->sort == BY_NAME ? print_row(tally, &row, err)
                                  : mr_host_rows_keep(&tally->kept, &row, err);
}

/* Adds by the method of Neumaier, which sums the rounding errors separately. */
static void add_score(struct tally *tally, double score)
{
    const double sum = tally->score + score;
    tally->compensation += fabs(tally->score) >= fabs(score) ? (tally->score - sum) + score
                                                             : (score - sum) + tally->score;
    tally->score = sum;
}

static void host_of(const struct tally *tally, const char *name, size_t name_bytes,
                    char host[MR_HOST_MAX_BYTES])
{
    const size_t bytes =
        mr_host_of_name(&tally->graph.canonical, name, name_bytes, host, MR_HOST_MAX_BYTES);

    host[bytes] = '\0';
    for (size_t i = 0; i < bytes; i++) {
        host[i] = (char)(host[i] >= 'A' && host[i] <= 'Z' ? host[i] + ('a' - 'A') : host[i]);
    }
    if (tally->domains != NULL && bytes > 0) {
        const char *domain = mr_domain_of_host(tally->domains, host);
        memmove(host, domain, strlen(domain) + 1);
    }
}

/* A mr_name_take: adds one vertex. tally->prints is true in the last walk, when all figures are
 * known. */
static enum mr_status add_vertex(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                 const char *name, size_t name_bytes, struct mr_error *err)
{
    struct tally *tally = data;
    const uint32_t vertex = mr_name_cursor_vertex(cursor);
    char host[MR_HOST_MAX_BYTES];
    enum mr_status status = MR_OK;

    host_of(tally, name, name_bytes, host);
    if (strcmp(host, tally->host) != 0 || position == 0) {
        if (position > 0) {
            status = tally->prints ? print_host(tally, err) : MR_OK;
            tally->n_hosts++;
        }
        memcpy(tally->host, host, strlen(host) + 1);
        tally->pages = tally->links_in = tally->links_out = 0;
        tally->score = tally->compensation = 0.0;
    }
    tally->pages++;
    tally->links_in += tally->in[vertex];
    tally->links_out += tally->out_degrees[vertex];
    if (!tally->prints) {
        tally->hosts[vertex] = (uint32_t)tally->n_hosts;
    } else if (tally->flags->scores != NULL) {
        add_score(tally, tally->scores[vertex]);
    }
    return status;
}

/* Walks all names once and counts the hosts in tally->n_hosts. */
static enum mr_status walk(struct tally *tally, bool prints, struct mr_error *err)
{
    tally->n_hosts = 0;
    tally->prints = prints;
    enum mr_status status = mr_names_walk(&tally->session->context, tally->graph.names,
                                          tally->n_vertices, NULL, add_vertex, tally, err);
    if (status == MR_OK && prints) {
        status = print_host(tally, err);
    }
    tally->n_hosts += tally->n_vertices > 0;
    return status;
}

static enum mr_status count_pairs(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                  struct mr_error *err)
{
    struct tally *tally = data;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t host = tally->hosts[pairs[i][0]];
        tally->internal[host] += host == tally->hosts[pairs[i][1]];
    }
    return MR_OK;
}

static enum mr_status count_internal(struct tally *tally, struct mr_error *err)
{
    const struct mr_context *context = &tally->session->context;
    enum mr_status status = walk(tally, false, err);

    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "links inside hosts", tally->n_hosts + 1,
                                 &tally->internal, err);
    }
    return status == MR_OK ? mr_edges_read(context, tally->graph.store, count_pairs, tally, err)
                           : status;
}

static enum mr_status print_header(struct tally *tally, struct mr_error *err)
{
    const struct hosts_flags *flags = tally->flags;
    const char *name = flags->by == 0 ? "host" : "domain";

    if (tally->aligned) {
        return mr_output_print(tally->out, err, "%*s%s%10s %10s %10s  %s%s\n",
                               flags->scores != NULL ? tally->decimals + 3 : 0,
                               flags->scores != NULL ? "score" : "",
                               flags->scores != NULL ? "  " : "", "pages", "links out", "links in",
                               flags->internal ? "  internal  " : "", name);
    }
    return !flags->header ? MR_OK
                          : mr_output_print(tally->out, err, "%s\tpages\tlinks_out\tlinks_in%s%s\n",
                                            name, flags->internal ? "\tinternal" : "",
                                            flags->scores != NULL ? "\tscore" : "");
}

static enum mr_status print_all(struct tally *tally, struct mr_error *err)
{
    const struct hosts_flags *flags = tally->flags;
    enum mr_status status = print_header(tally, err);
    char hosts[32];

    if (status == MR_OK) {
        status = walk(tally, true, err);
    }
    if (status == MR_OK) {
        status = print_kept(tally, err);
    }
    if (status == MR_OK) {
        const bool is_cut =
            tally->kept.most == BEST_HOSTS && tally->n_hosts > BEST_HOSTS && flags->top == 0;
        mr_session_say(tally->session, "%s %s%s", mr_count_text(tally->n_hosts, hosts),
                       flags->by == 0 ? "hosts" : "domains",
                       is_cut ? ", of which these are the first; --sort, -o FILE and a pipe get all"
                              : "");
    }
    return status;
}

static enum mr_status prepare(struct tally *tally, const char *path, struct mr_error *err)
{
    struct mr_session *session = tally->session;
    const struct hosts_flags *flags = tally->flags;
    enum mr_status status = mr_query_open(session, path, &tally->graph, err);

    if (status == MR_OK && flags->by == 1) {
        tally->domains = mr_domains_open();
        if (tally->domains == NULL) {
            status = mr_error_set(err, MR_ERROR_RUNTIME,
                                  "--by domain: libpsl was built without the public suffix list");
        }
    }
    if (status == MR_OK) {
        tally->n_vertices = mr_store_get_info(tally->graph.store)->n_vertices;
        status = allocate(tally, err);
    }
    if (status == MR_OK && flags->internal) {
        status = count_internal(tally, err);
    }
    if (status == MR_OK && flags->scores != NULL) {
        status = mr_query_scores(session, &tally->graph, flags->scores, flags->column,
                                 &tally->scores, err);
    }
    return status == MR_OK ? mr_output_open(&session->context, flags->output, flags->common.force,
                                            &tally->out, err)
                           : status;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct hosts_flags *flags = data;
    struct tally tally = {
        .session = session, .flags = flags, .kept = {.memory = session->context.memory}};

    if (flags->common.json) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "hosts has no --json, because it prints lines; leave it out");
    }
    if (flags->common.estimate) {
        const struct mr_estimate estimate = {.memory_bytes = MR_MEMORY_FLOOR_BYTES,
                                             .passes = flags->internal ? 1.0 : 0.0};
        return mr_session_estimate(session, &estimate, err);
    }
    tally.aligned = flags->output == NULL && isatty(STDOUT_FILENO);
    const bool best = tally.aligned && flags->sort == NOT_SAID && flags->top == 0;
    tally.kept.most = best ? BEST_HOSTS : flags->top > 0 ? flags->top : UINT64_MAX;
    tally.sort = flags->sort != NOT_SAID    ? (enum sort_key)flags->sort
                 : flags->top == 0 && !best ? BY_NAME
                 : flags->scores != NULL    ? BY_SCORE
                                            : BY_PAGES;
    if ((tally.sort == BY_SCORE && flags->scores == NULL) ||
        (tally.sort == BY_INTERNAL && !flags->internal)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--sort %s needs --%s",
                            tally.sort == BY_SCORE ? "score" : "internal",
                            tally.sort == BY_SCORE ? "scores FILE" : "internal");
    }
    if (tally.aligned && flags->scores != NULL) {
        const double bound = mr_bound_beside(flags->scores);
        tally.decimals = bound > 0.0 ? mr_proven_decimals(bound) : DECIMALS;
    }
    enum mr_status status = mr_scores_check_lines_path(flags->output, err);
    if (status == MR_OK) {
        status = prepare(&tally, parsed->operands[0], err);
    }
    if (status == MR_OK) {
        mr_session_leave_terminal(session, flags->output);
        status = print_all(&tally, err);
    }
    if (status == MR_OK && flags->scores != NULL) {
        status = mr_meta_check_store(session, flags->scores, mr_store_get_info(tally.graph.store),
                                     parsed->operands[0], err);
    }
    status = mr_output_end(tally.out, status, err);
    mr_host_rows_free(&tally.kept);
    mr_memory_free(session->context.memory, tally.scores);
    mr_domains_close(tally.domains);
    mr_memory_free(session->context.memory, tally.in);
    mr_memory_free(session->context.memory, tally.out_degrees);
    mr_memory_free(session->context.memory, tally.hosts);
    mr_memory_free(session->context.memory, tally.internal);
    mr_graph_close(session, &tally.graph);
    return status;
}

const struct mr_command mr_command_hosts = {
    .name = "hosts",
    .summary = "sum up pages, links and scores by host",
    .usage = "hosts STORE [OPTIONS]",
    .text = "Prints a line for each host of a store, in the order of the names: host, pages, links "
            "from its pages, links to its pages, links inside, sum of scores, with tabs between. "
            "Pages whose names have no host are summed up as \"-\".",
    .examples = "  millrace hosts web.mill --by domain --internal --header\n"
                "  millrace hosts web.mill --scores ranks.tsv --top 20\n",
    .groups = {{.title = "What to show", .options = hosts_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("json")},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    .run = run,
};
