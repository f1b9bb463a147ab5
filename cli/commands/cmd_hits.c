/* SPDX-License-Identifier: Apache-2.0 */
/* What the program adds to the kind "hits": --query, which first builds a store of the base set, so
 * that the kind always ranks a whole store. */
#include "cli/ranking/kind.h"
#include "engine/base/count_text.h"
#include "engine/io/workspace.h"
#include "library/query/subset.h"

struct hits_flags {
    const char *query;
    uint64_t in_links;
};
static const struct hits_flags defaults = {.in_links = 50};

#define FIELD(name) offsetof(struct hits_flags, name)
static const struct mr_option options[] = {
    {"query", 0, MR_OPTION_TEXT, FIELD(query), "FILE", .file = MR_FILE_READ,
     .help = "Rank only the pages in FILE (such as the results of a search, one name per line), "
             "the pages that they link to, pages that link to them, and the links among all of "
             "these: Kleinberg's base set.",
     .excludes = {{.names = "reverse",
                   .why = "ranks a part of the graph and makes the reverse itself"}},
     .often = true},
    {"in-links", 0, MR_OPTION_COUNT, FIELD(in_links), "D", .least = 0, .most = UINT64_MAX,
     .help = "With --query: at most D pages that link to each listed page, the first ones in the "
             "order of the store. 0 means all. Default 50.",
     .needs = {{.names = "query"}}},
    {0}};
#undef FIELD

struct base_set {
    struct mr_graph part; /* zeroed without --query */
    uint64_t n_roots, unknown_roots;
};

/* Makes a temporary store of the base set, and opens it. */
static enum mr_status build(struct mr_run *run, const struct mr_vertex_weights *roots,
                            struct mr_graph *part, struct mr_error *err)
{
    const struct hits_flags *flags = mr_kind_flags(run->flags);
    struct mr_session *session = run->session;
    struct mr_store_build_figures summary;
    char n_roots[32], n_pages[32], n_links[32];

    enum mr_status status = mr_session_temporary(session, "query", &part->temporary, err);
    if (status == MR_OK) {
        status = mr_part_of_query(&session->context, run->graph.store, roots, flags->in_links,
                                  part->temporary, &summary, err);
    }
    if (status != MR_OK) {
        return status;
    }
    mr_session_say(session, "pages of the query: %s, with their neighbours: %s; links: %s",
                   mr_count_text(roots->n_entries, n_roots),
                   mr_count_text(summary.n_vertices, n_pages),
                   mr_count_text(summary.n_edges, n_links));
    status = mr_graph_open_at(session, part->temporary, part, err);
    return status == MR_OK && run->flags->weights ? mr_graph_open_weights(session, part, err)
                                                  : status;
}

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    const struct hits_flags *flags = mr_kind_flags(run->flags);
    struct base_set *set = mr_kind_data(run);
    struct mr_vertex_weights roots = {0};

    if (flags->query == NULL) {
        if (!mr_run_info(run)->undirected && !mr_kind_gives(run, "reverse")) {
            mr_session_say(run->session,
                           "note: no --reverse STORE; making a temporary reverse in %s ('millrace "
                           "transpose' makes one to keep)",
                           mr_workspace_parent(&run->session->context));
        }
        return MR_OK;
    }
    enum mr_status status = mr_run_read_pages(run, &flags->query, 1, false, &roots, err);
    if (status == MR_OK) {
        status = build(run, &roots, &set->part, err);
    }
    set->n_roots = roots.n_entries;
    set->unknown_roots = roots.unknown;
    run->ranked = &set->part;
    mr_vertex_weights_free(&roots);
    return status;
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct hits_flags *flags = mr_kind_flags(run->flags);
    const struct base_set *set = mr_kind_data(run);

    mr_json_text(json, "query", flags->query);
    if (flags->query != NULL) {
        mr_json_count(json, "in_links", flags->in_links);
        mr_json_count(json, "query_vertices", set->n_roots);
        mr_json_count(json, "query_unknown", set->unknown_roots);
        mr_json_count(json, "base_set_vertices", mr_run_info(run)->n_vertices);
        mr_json_count(json, "base_set_edges", mr_run_info(run)->n_edges);
    }
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct base_set *set = mr_kind_data(run);

    (void)err;
    mr_graph_close(run->session, &set->part);
    return status;
}

const struct mr_kind_front mr_hits_front = {
    .kind = "hits",
    .options = options,
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .fields = "| `query`, `query_vertices`, `query_unknown` | file of `--query`, its pages, names "
              "that the graph lacks |\n"
              "| `in_links`, `base_set_vertices`, `base_set_edges` | with `--query`: its limit, "
              "pages and links of the base set |\n",
    .hooks = {.data_bytes = sizeof(struct base_set),
              .prepare = prepare,
              .describe = describe,
              .end = end}};
