/* SPDX-License-Identifier: Apache-2.0 */
/* millrace generate: writes synthetic graphs for measurements to a store or to a file of edges.
 * The generators give the same edges on every machine. A store is built directly from them,
 * without a file in between. */

#include "cli/graph/building.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "library/generate_graph.h"

enum { MAX_SCALE = 31 };

struct generate_flags {
    struct mr_common_flags common;
    const char *output;
    uint64_t scale; /* 0: not given */
    uint64_t edge_factor;
    uint64_t pages; /* 0: not given */
    uint64_t links_per_page; /* 0: not given */
    uint64_t hosts; /* 0: not given */
    const char *names;
    uint64_t seed;
    double frontier; /* 0: not given */
    bool urls;
    bool undirected;
    int duplicates; /* 0 merge, 1 keep */
    int self_loops; /* 0 keep, 1 drop */
    int zstd_level;
    int encoding; /* enum mr_encoding */
};

static const struct generate_flags defaults = {
    .common = MR_COMMON_DEFAULTS, .edge_factor = UINT64_MAX, .seed = 1};

#define FIELD(name) offsetof(struct generate_flags, name)
static const struct mr_option graph_options[] = {
    {"scale", 0, MR_OPTION_COUNT, FIELD(scale), "S", .least = 1, .most = MAX_SCALE,
     .help = "For kron, 2^S pages, including pages without links. Required.", .often = true},
    {"edge-factor", 0, MR_OPTION_COUNT, FIELD(edge_factor), "F", .least = 0,
     .most = (uint64_t)1 << 17,
     .help =
         "For kron, F links per page, before duplicates are merged. Default 16. For hosts, about F "
         "links per host. Default 35.",
     .often = true},
    {"pages", 0, MR_OPTION_COUNT, FIELD(pages), "N", .least = 1, .most = UINT32_MAX,
     .also = "size nodes vertices n", .help = "For crawl, N pages. Required.", .often = true},
    {"links-per-page", 0, MR_OPTION_COUNT, FIELD(links_per_page), "N",
     .least = MR_CRAWL_LINKS_USUAL, .most = MR_CRAWL_LINKS_MOST,
     .help = "crawl: about N links per page, 10 to 80: longer navigation and lists. Default 10, as "
             "in cnr-2000; recent crawls have 30 to 60."},
    {"hosts", 0, MR_OPTION_COUNT, FIELD(hosts), "N", .least = 1000, .most = UINT32_MAX,
     .help = "For hosts, N hosts. Required.", .often = true},
    {"frontier", 0, MR_OPTION_REAL, FIELD(frontier), "SHARE",
     .range = {.least = MR_CRAWL_FRONTIER_LEAST, .most = MR_CRAWL_FRONTIER_MOST},
     .help = "crawl: about this share of the pages was seen and not fetched: 0.1 to 0.8. Default "
             "about 0.245, as in cnr-2000."},
    {"random-seed", 0, MR_OPTION_COUNT, FIELD(seed), "N", .least = 0, .most = UINT64_MAX,
     .help = "The same seed gives the same graph on every machine. Default 1.", .often = true},
    {"seed", 0, MR_OPTION_COUNT, FIELD(seed), "N", .least = 0, .most = UINT64_MAX,
     .help = "The same as --random-seed, as other generators call it."},
    {0}};

static const struct mr_option output_options[] = {
    {"output", 'o', MR_OPTION_TEXT, FIELD(output), "STORE|FILE", .file = MR_FILE_STORE,
     .help = "Write the graph to STORE or FILE. FILE.txt, .tsv or .el is text with a pair of "
             "numbers per line. FILE.u32 has pairs of 32-bit numbers. A further .gz or .zst "
             "compresses. Any other name makes a store, by convention NAME.mill. Required.",
     .often = true},
    {"urls", 0, MR_OPTION_FLAG, FIELD(urls),
     .help = "Name pages by URLs (crawl) or by reversed hosts (hosts), not by numbers.",
     .often = true},
    {"names", 0, MR_OPTION_TEXT, FIELD(names), "FILE", .file = MR_FILE_WRITE,
     .help = "hosts: also write lines of a number and its reversed host, the vertices of Common "
             "Crawl. .gz and .zst compress."},
    MR_MERGE_OPTIONS(FIELD(undirected), FIELD(duplicates), FIELD(self_loops)),
    {"codec", 0, MR_OPTION_PARSED, FIELD(zstd_level), "plain|zstd[:LEVEL]", .parse = mr_codec_parse,
     .help = "See 'millrace help inputs'. Default plain."},
    MR_ENCODING_OPTION(FIELD(encoding)),
    {0}};
#undef FIELD

/* ---- The graph ---- */

enum kind { KRON, RMAT, CRAWL, SOCIAL, HOSTS };
#define KINDS "kron|rmat|crawl|livejournal-like|hosts"

static const mr_generator_open openers[] = {
    [KRON] = mr_kron_open,     [RMAT] = mr_kron_open,   [CRAWL] = mr_crawl_open,
    [SOCIAL] = mr_social_open, [HOSTS] = mr_hosts_open,
};

static enum mr_status open_graph(const struct mr_context *context,
                                 const struct generate_flags *flags, enum kind kind,
                                 struct mr_generator *graph, struct mr_error *err)
{
    const uint64_t usual_factor = kind == CRAWL ? flags->links_per_page : kind == HOSTS ? 0 : 16;
    const struct mr_generator_options options = {
        .seed = flags->seed,
        .n_vertices = kind == HOSTS ? flags->hosts : flags->pages,
        .scale = (unsigned)flags->scale,
        .edge_factor = flags->edge_factor != UINT64_MAX ? flags->edge_factor : usual_factor,
        .frontier = flags->frontier};

    return openers[kind](context, &options, graph, err);
}

/* ---- Into a store ---- */

static enum mr_status into_store(struct mr_session *session, const struct generate_flags *flags,
                                 enum kind kind, const struct mr_generator *graph,
                                 struct mr_error *err)
{
    const struct mr_build_options options = {
        .undirected = flags->undirected,
        .keep_duplicates = flags->duplicates == 1,
        .drop_self_loops = flags->self_loops == 1,
        .force = flags->common.force,
        .together = session->context.together,
        .zstd_level = flags->zstd_level,
        .encoding = (enum mr_encoding)flags->encoding,
        .core_first = true,
    };
    struct mr_store_build_figures summary;

    enum mr_status status = mr_generate_store(&session->context, flags->output, graph, flags->urls,
                                              kind == HOSTS, &options, &summary, err);
    return status == MR_OK ? mr_build_print(session, flags->output, &summary, err) : status;
}

/* ---- Into a file ---- */

static bool is_file(const char *path)
{
    return mr_output_has_suffix(path, ".u32") || mr_output_has_suffix(path, ".txt") ||
           mr_output_has_suffix(path, ".tsv") || mr_output_has_suffix(path, ".el") ||
           mr_output_compresses(path) || mr_output_is_standard(path);
}

static enum mr_status into_file(struct mr_session *session, const struct generate_flags *flags,
                                const struct mr_generator *graph, struct mr_error *err)
{
    uint64_t n_pairs = 0;
    const double started = mr_now();
    char pairs[64], vertices[64];

    enum mr_status status = mr_generate_file(&session->context, flags->output, graph, flags->urls,
                                             flags->common.force, &n_pairs, err);
    if (status != MR_OK) {
        return status;
    }
    mr_session_say(session, "%s: %s among %s, %.1f s",
                   mr_output_is_standard(flags->output) ? "standard output" : flags->output,
                   mr_count_of_text(n_pairs, "link", pairs),
                   mr_count_of_text(graph->n_vertices, "page", vertices), mr_now() - started);
    if (flags->common.json) {
        struct mr_json json = mr_json_create();
        mr_json_text(&json, "file", flags->output);
        mr_json_count(&json, "vertices", graph->n_vertices);
        mr_json_count(&json, "edges", n_pairs);
        mr_json_real(&json, "seconds", mr_now() - started);
        status = mr_json_print_and_destroy(&json, err);
    }
    return status;
}

/* ---- The command ---- */

/* Refuses options of other kinds of graphs. */
static enum mr_status check_kind(const struct generate_flags *flags, enum kind kind,
                                 struct mr_error *err)
{
    enum { OF_KRON = 1 << KRON | 1 << RMAT, OF_CRAWL = 1 << CRAWL, OF_HOSTS = 1 << HOSTS };
    const struct {
        const char *name, *kinds;
        unsigned of;
        bool is_given;
    } options[] = {
        {"scale", "kron", OF_KRON, flags->scale > 0},
        {"edge-factor", "kron and hosts", OF_KRON | OF_HOSTS, flags->edge_factor != UINT64_MAX},
        {"pages", "crawl", OF_CRAWL, flags->pages > 0},
        {"links-per-page", "crawl", OF_CRAWL, flags->links_per_page > 0},
        {"hosts", "hosts", OF_HOSTS, flags->hosts > 0},
        {"frontier", "crawl", OF_CRAWL, flags->frontier > 0},
        {"urls", "crawl and hosts", OF_CRAWL | OF_HOSTS, flags->urls},
        {"names", "hosts", OF_HOSTS, flags->names != NULL},
    };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].is_given && (options[i].of >> kind & 1) == 0) {
            return mr_error_set(err, MR_ERROR_USAGE, "generate: --%s is only for %s; leave it out",
                                options[i].name, options[i].kinds);
        }
    }
    return MR_OK;
}

static enum mr_status check(const struct generate_flags *flags, const char *name, enum kind *kind,
                            struct mr_error *err)
{
    int choice = 0;
    struct mr_error reason = {0};

    if (mr_value_choice(name, KINDS, &choice, &reason) != MR_OK) {
        return mr_error_set(err, MR_ERROR_USAGE, "generate %s: %s", name, reason.message);
    }
    *kind = (enum kind)choice;
    const enum mr_status status = check_kind(flags, *kind, err);
    if (status != MR_OK) {
        return status;
    }
    if ((*kind == KRON || *kind == RMAT) && flags->scale == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "generate: how many pages? Say --scale S for 2^S of them");
    }
    if (*kind == CRAWL && flags->pages == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "generate: how many pages? Say --pages N");
    }
    if (*kind == HOSTS && flags->hosts == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "generate: how many hosts? Say --hosts N");
    }
    if (flags->output == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "generate: needs an output; say -o STORE or -o FILE, such as -o "
                            "kron.mill or -o kron.txt.zst");
    }
    return MR_OK;
}

/* Refuses flags of stores for a file, which gets the edges as the generator makes them. */
static enum mr_status check_file(const struct generate_flags *flags, struct mr_error *err)
{
    if (flags->undirected || flags->duplicates != 0 || flags->self_loops != 0 ||
        flags->zstd_level != 0 || flags->encoding != 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "generate: --undirected, --duplicates, --self-loops, --codec and "
                            "--encoding are for stores, but %s is a file of links; "
                            "leave them out",
                            flags->output);
    }
    if (flags->urls && mr_output_has_suffix(flags->output, ".u32")) {
        return mr_error_set(
            err, MR_ERROR_USAGE,
            "generate: .u32 cannot have --urls, because it has numbers only; say -o FILE.txt");
    }
    return MR_OK;
}

static enum mr_status estimate(struct mr_session *session, const struct generate_flags *flags,
                               const struct mr_generator *graph, bool to_file, struct mr_error *err)
{
    const struct mr_rank_costs result =
        to_file ? (struct mr_rank_costs){.memory_bytes = MR_MEMORY_FLOOR_BYTES}
                : mr_build_estimate(session, graph->n_edges, flags->undirected);
    return mr_session_estimate(session, &result, err);
}

/* Makes the graph and its names: the names are complete before the graph is published. */
static enum mr_status make(struct mr_session *session, const struct generate_flags *flags,
                           enum kind kind, const struct mr_generator *graph, bool to_file,
                           struct mr_error *err)
{
    enum mr_status status = MR_OK;

    (void)mr_session_publish_together(session);
    if (flags->names != NULL) {
        status =
            mr_generate_names(&session->context, flags->names, graph, flags->common.force, err);
    }
    if (status == MR_OK) {
        status = to_file ? into_file(session, flags, graph, err)
                         : into_store(session, flags, kind, graph, err);
    }
    return status;
}

static enum mr_status run_generate(struct mr_session *session, const void *data,
                                   const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct generate_flags *flags = data;
    enum kind kind;
    struct mr_generator graph = {0};

    enum mr_status status = check(flags, parsed->operands[0], &kind, err);
    if (status != MR_OK) {
        return status;
    }
    const bool to_file = is_file(flags->output);
    if (to_file) {
        status = check_file(flags, err);
    }
    if (status == MR_OK) {
        status = open_graph(&session->context, flags, kind, &graph, err);
    }
    if (status == MR_OK) {
        status = flags->common.estimate ? estimate(session, flags, &graph, to_file, err)
                                        : make(session, flags, kind, &graph, to_file, err);
    }
    mr_generator_close(&graph);
    return status;
}

const struct mr_command mr_command_generate = {
    .name = "generate",
    .summary = "make a graph: kron, rmat, crawl, livejournal-like, hosts",
    .usage = "generate KIND -o STORE|FILE [OPTIONS]",
    .text = "KIND is one of these. kron (or rmat): the Kronecker graph of the Graph500 and GAP "
            "benchmarks (R-MAT with probabilities 0.57, 0.19, 0.19, 0.05). It has 2^S pages with "
            "scrambled numbers and F links per page, and is directed unless --undirected is given. "
            "GAP uses --undirected --self-loops drop. crawl: hosts of power-law size, pages in URL "
            "order, navigation, copied lists, hubs and a frontier of pages not fetched, with the "
            "figures of a real crawl (cnr-2000). livejournal-like: 4,847,571 pages and 68,993,773 "
            "links, with degrees and reciprocity like those of soc-LiveJournal1. hosts: a graph of "
            "hosts with the figures that Common Crawl publishes of its own.",
    .examples = "  millrace generate kron --scale 20 --random-seed 1 -o kron20.mill\n"
                "  millrace generate crawl --pages 20000000 --urls -o crawl.txt.zst\n"
                "  millrace generate hosts --hosts 1000000 --names v.txt.gz -o e.txt.gz\n",
    .groups = {{.title = "Graph", .options = graph_options, .base = 0},
               {.title = "Output", .options = output_options, .base = 0},
               MR_COMMON_GROUP},
    .min_operands = 1,
    .max_operands = 1,
    .operand_files = MR_OPERANDS_LISTED,
    .operands = "the kind of graph (kron, rmat, crawl, livejournal-like or hosts)",
    MR_COMMAND_RUNS(defaults, run_generate),
};
