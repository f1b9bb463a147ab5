/* SPDX-License-Identifier: Apache-2.0 */
/* millrace info: prints the figures of a store. All of them are in the manifest and in the index
 * of its parts, so the command reads no links and is fast for any store. At the end it says what
 * to do next, by the rankings that lie beside the store. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/program/command.h"
#include "engine/pass/pass.h"
#include "library/score_meta.h"

static const struct mr_common_flags defaults = MR_COMMON_DEFAULTS;

static const char *codec_text(const struct mr_store_info *info, char text[16])
{
    if (info->zstd_level == 0) {
        return "plain";
    }
    (void)snprintf(text, 16, "zstd:%d", info->zstd_level);
    return text;
}

static const char *names_text(const struct mr_store_info *info)
{
    switch (info->name_kind) {
    case MR_NAMES_IDENTITY:
        return "identity";
    case MR_NAMES_NUMBERS:
        return "numbers";
    case MR_NAMES_TEXT:
        return "text";
    }
    return "unknown";
}

static double bits_per_link(const struct mr_store_info *info)
{
    return info->n_edges > 0 ? 8.0 * (double)info->links_bytes / (double)info->n_edges : 0.0;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b > 0 ? (double)a / (double)b : 0.0;
}

/* `cost_ps` is the predicted time of a pass on one thread, in picoseconds. */
static json_t *encoding(uint64_t tiles, uint64_t edges, uint64_t bytes, uint64_t cost_ps,
                        const struct mr_store_info *info)
{
    return json_pack("{s:I,s:I,s:I,s:f,s:f,s:f}", "tiles", (json_int_t)tiles, "edges",
                     (json_int_t)edges, "bytes", (json_int_t)bytes, "share_of_links",
                     ratio(edges, info->n_edges), "bytes_per_link", ratio(bytes, edges),
                     "predicted_ns_per_link", 1e-3 * ratio(cost_ps, edges));
}

static json_t *encodings(const struct mr_store_info *info)
{
    const struct mr_corners_figures *corners = &info->corners;
    uint64_t keys_ps, corners_ps;

    mr_pass_cost_of(info, &keys_ps, &corners_ps);
    json_t *keys = encoding(info->keys_tiles, info->keys_edges, info->keys_bytes, keys_ps, info);
    struct mr_json of_corners = {
        .object = encoding(corners->tiles, corners->edges, corners->bytes, corners_ps, info)};

    mr_json_count(&of_corners, "parts", corners->parts);
    mr_json_count(&of_corners, "entries", corners->entries);
    mr_json_count(&of_corners, "rows", corners->rows);
    mr_json_real(&of_corners, "entries_per_link", ratio(corners->entries, corners->edges));
    /* Without memory the sum is NULL, and the caller reports it. */
    return json_pack("{s:o,s:o}", "keys", keys, "corners", mr_json_finish(&of_corners));
}

/* Prints "keys 31 tiles, 2.0% of links, 1.210 bytes per link, 1.10 ns predicted". */
static void print_encoding(const char *label, uint64_t tiles, uint64_t edges, uint64_t bytes,
                           uint64_t cost_ps, const struct mr_store_info *info)
{
    char text[64];

    printf("%-16s%s, %.1f%% of links", label, mr_count_of_text(tiles, "tile", text),
           100 * ratio(edges, info->n_edges));
    if (edges > 0) {
        printf(", %.3f bytes per link, %.2f ns predicted", ratio(bytes, edges),
               1e-3 * ratio(cost_ps, edges));
    }
}

static void print_encodings(const struct mr_store_info *info)
{
    const struct mr_corners_figures *corners = &info->corners;
    uint64_t keys_ps, corners_ps;

    mr_pass_cost_of(info, &keys_ps, &corners_ps);

    print_encoding("keys", info->keys_tiles, info->keys_edges, info->keys_bytes, keys_ps, info);
    printf("\n");
    print_encoding("corners", corners->tiles, corners->edges, corners->bytes, corners_ps, info);
    if (corners->edges > 0) {
        printf(", %.3f entries", ratio(corners->entries, corners->edges));
    }
    printf("\n");
}

/* Returns {"least": .., "most": .., "total": .., "in_a_byte": links, "bytes": of their files}. */
static json_t *weights_of(const struct mr_store_info *weighted)
{
    const struct mr_weights_figures *weights = &weighted->weights;
    return json_pack("{s:f,s:f,s:f,s:I,s:I}", "least", (double)weights->least, "most",
                     (double)weights->most, "total", weights->total, "in_a_byte",
                     (json_int_t)weights->byte_edges, "bytes", (json_int_t)weighted->bytes);
}

/* Returns the number of internal edges. */
static uint64_t internal_links(const struct mr_store *store)
{
    return mr_store_get_info(store)->n_classes > 1 ? mr_store_parts(store)[MR_LINK_INTERNAL].n_edges
                                                   : 0;
}

static const char *class_rule_text(const struct mr_store_info *info)
{
    return info->class_rule == MR_CLASSES_BY_HOST     ? "host"
           : info->class_rule == MR_CLASSES_BY_DOMAIN ? "domain"
                                                      : NULL;
}

/* ---- What to do next ---- */

/* Files of scores beside a store, each the newest one, owned, or NULL: of the graph of the store;
 * and of PageRank, by name, of another graph in a store of this name. */
enum { NOW, BEFORE, N_RANKS };

static bool is_newer(const char *path, const char *than)
{
    struct stat one, other;

    if (stat(path, &one) != 0 || !S_ISREG(one.st_mode)) {
        return false;
    }
    return than == NULL || stat(than, &other) != 0 || one.st_mtim.tv_sec > other.st_mtim.tv_sec ||
           (one.st_mtim.tv_sec == other.st_mtim.tv_sec &&
            one.st_mtim.tv_nsec > other.st_mtim.tv_nsec);
}

/* The path without slashes at its end, or NULL. */
static char *path_of(const char *operand)
{
    char *path = strdup(operand);
    for (size_t n = strlen(operand); path != NULL && n > 1 && path[n - 1] == '/'; n--) {
        path[n - 1] = '\0';
    }
    return path;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t bytes = strlen(text), end_bytes = strlen(end);
    return bytes > end_bytes && strcmp(text + bytes - end_bytes, end) == 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Keeps `file`, which it owns from now on, if its metadata say that it is scores of the store. */
static enum mr_status take_scores(const struct mr_context *context, const char *path,
                                  const struct mr_store *store, char *file, char *ranks[N_RANKS],
                                  struct mr_error *err)
{
    json_t *meta = NULL;
    char id[17], **best = NULL;
    const enum mr_status status = mr_meta_read(context, file, &meta, err);
    const char *graph = json_string_value(json_object_get(meta, "graph_id"));
    const char *of = json_string_value(json_object_get(meta, "store"));
    const char *algorithm = json_string_value(json_object_get(meta, "algorithm"));

    (void)snprintf(id, sizeof id, "%016llx",
                   (unsigned long long)mr_store_get_info(store)->graph_id);
    if (graph != NULL && of != NULL && algorithm != NULL &&
        json_object_get(meta, "seeds_per_second") == NULL) { /* of ppr --each, not of all pages */
        const bool grew = strcmp(last_part(of), last_part(path)) == 0 &&
                          strcmp(algorithm, "pagerank") == 0 && !ends_with(file, ".npy");
        best = strcmp(graph, id) == 0 ? &ranks[NOW] : grew ? &ranks[BEFORE] : NULL;
    }
    if (best != NULL && is_newer(file, *best)) {
        free(*best);
        *best = file;
    } else {
        free(file);
    }
    json_decref(meta);
    return status;
}

/* A directory that cannot be listed has no scores. */
static enum mr_status look_beside(const struct mr_context *context, const char *path,
                                  const struct mr_store *store, char *ranks[N_RANKS],
                                  struct mr_error *err)
{
    static const char suffix[] = ".meta.json";
    const int directory = (int)(last_part(path) - path);
    enum mr_status status = MR_OK;
    char *beside = NULL;

    if (asprintf(&beside, "%.*s.", directory, path) < 0) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name");
    }
    DIR *listing = opendir(beside);
    free(beside);
    for (struct dirent *entry;
         status == MR_OK && listing != NULL && (entry = readdir(listing)) != NULL;) {
        const int bytes = (int)strlen(entry->d_name) - (int)sizeof suffix + 1;
        char *file = NULL;
        if (!ends_with(entry->d_name, suffix)) {
            continue;
        }
        status = asprintf(&file, "%.*s%.*s", directory, path, bytes, entry->d_name) < 0
                     ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name")
                     : take_scores(context, path, store, file, ranks, err);
    }
    if (listing != NULL) {
        (void)closedir(listing);
    }
    return status;
}

/* Writes the commands to `lines`, which the caller frees: what to do with the graph as it is, what
 * to fetch, how it grows. */
static enum mr_status next_commands(const struct mr_context *context, const char *path,
                                    const struct mr_store *store, char *lines[3],
                                    struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    char *ranks[N_RANKS] = {NULL, NULL}, quoted[2 * PATH_MAX], scores[2 * PATH_MAX];
    const enum mr_status status = look_beside(context, path, store, ranks, err);
    const char *const beside = ranks[NOW] != NULL ? ranks[NOW] : ranks[BEFORE];
    int wrote = 0, n = 0;

    (void)mr_value_quote(path, quoted, sizeof quoted);
    (void)mr_value_quote(beside != NULL ? beside : "", scores, sizeof scores);
    if (status != MR_OK || info->n_vertices == 0) {
        wrote = 0;
    } else if (ranks[NOW] != NULL) {
        wrote = asprintf(&lines[n++], "millrace report %s %s -o report.html", quoted, scores);
    } else if (ranks[BEFORE] != NULL) {
        wrote = asprintf(&lines[n++], "millrace pagerank %s --start %s -o new-ranks.tsv", quoted,
                         scores);
    } else {
        wrote = asprintf(&lines[n++], "millrace pagerank %s -o ranks.tsv", quoted);
    }
    if (status == MR_OK && wrote >= 0 && info->n_dangling > 0 && info->name_kind == MR_NAMES_TEXT) {
        wrote = asprintf(&lines[n++], "millrace pagerank %s --fetched links --next 1000 > next.tsv",
                         quoted);
    }
    if (status == MR_OK && wrote >= 0) {
        wrote = asprintf(&lines[n++], "millrace append %s MORE-LINKS", quoted);
    }
    if (wrote < 0) {
        lines[n - 1] = NULL;
    }
    free(ranks[NOW]);
    free(ranks[BEFORE]);
    return wrote < 0 ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the next commands")
                     : status;
}

/* ---- Output ---- */

static size_t n_lines(char *const lines[3])
{
    size_t n = 0;
    while (n < 3 && lines[n] != NULL) {
        n++;
    }
    return n;
}

static enum mr_status print_json(const char *path, const struct mr_store *store,
                                 const struct mr_store_info *weighted, char *const next[3],
                                 struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_json json = mr_json_create();
    char codec[16];

    mr_json_text(&json, "store", path);
    mr_json_count(&json, "format_version", info->format_version);
    mr_json_id(&json, "store_id", info->store_id);
    mr_json_id(&json, "graph_id", info->graph_id);
    mr_json_count(&json, "vertices", info->n_vertices);
    mr_json_count(&json, "edges", info->n_edges);
    if (class_rule_text(info) != NULL) {
        mr_json_text(&json, "classes", class_rule_text(info));
        mr_json_count(&json, "internal_edges", internal_links(store));
    }
    mr_json_count(&json, "dangling", info->n_dangling);
    mr_json_count(&json, "self_loops", info->n_self_loops);
    mr_json_count(&json, "max_out_degree", info->max_out_degree);
    mr_json_count(&json, "max_in_degree", info->max_in_degree);
    mr_json_count(&json, "bytes", info->bytes);
    mr_json_count(&json, "links_bytes", info->links_bytes);
    mr_json_real(&json, "bits_per_link", bits_per_link(info));
    mr_json_count(&json, "degrees_bytes", info->degrees_bytes);
    mr_json_count(&json, "names_bytes", info->names_bytes);
    mr_json_flag(&json, "core_first", info->core_first);
    mr_json_count(&json, "index_bytes", info->index_bytes);
    mr_json_count(&json, "bands", info->n_bands);
    mr_json_count(&json, "tiles", info->n_tiles);
    mr_json_count(&json, "blocks", info->n_blocks);
    mr_json_count(&json, "segments", info->n_segments);
    mr_json_count(&json, "band_bits", info->band_bits);
    mr_json_count(&json, "stripe_bits", info->stripe_bits);
    mr_json_text(&json, "codec", codec_text(info, codec));
    mr_json_add(&json, "encodings", encodings(info));
    mr_json_text(&json, "names", names_text(info));
    mr_json_count(&json, "fetch_facts", info->n_facts);
    mr_json_count(&json, "name_key", info->name_key_number);
    mr_json_flag(&json, "undirected", info->undirected);
    mr_json_flag(&json, "duplicates_kept", info->duplicates_kept);
    mr_json_flag(&json, "self_loops_dropped", info->self_loops_dropped);
    mr_json_flag(&json, "transposed", info->transposed);
    if (weighted != NULL) {
        mr_json_add(&json, "weights", weights_of(weighted));
    }
    mr_json_texts(&json, "next", (const char *const *)next, n_lines(next));
    return mr_json_print_and_destroy(&json, err);
}

static void print_count(const char *label, uint64_t count)
{
    char text[32];
    printf("%-16s%s\n", label, mr_count_text(count, text));
}

static void print_text(const struct mr_store *store, const struct mr_store_info *weighted,
                       char *const next[3])
{
    const struct mr_store_info *info = mr_store_get_info(store);
    char codec[16], text[32];

    print_count("pages", info->n_vertices);
    print_count("links", info->n_edges);
    if (class_rule_text(info) != NULL) {
        printf("%-16s%s, inside a %s\n", "internal", mr_count_text(internal_links(store), text),
               class_rule_text(info));
    }
    print_count("dangling", info->n_dangling);
    print_count("self-loops", info->n_self_loops);
    print_count("max out-degree", info->max_out_degree);
    print_count("max in-degree", info->max_in_degree);
    print_count("bytes", info->bytes);
    print_count("links bytes", info->links_bytes);
    printf("%-16s%.3f\n", "bits per link", bits_per_link(info));
    print_count("degrees bytes", info->degrees_bytes);
    print_count("names bytes", info->names_bytes);
    print_count("index bytes", info->index_bytes);
    printf("%-16s%u (2^%u pages each)\n", "bands", info->n_bands, info->band_bits);
    printf("%-16s2^%u pages each\n", "stripes", info->stripe_bits);
    print_count("tiles", info->n_tiles);
    print_encodings(info);
    print_count("blocks", info->n_blocks);
    print_count("segments", info->n_segments);
    printf("%-16s%s\n", "codec", codec_text(info, codec));
    printf("%-16s%s\n", "names", names_text(info));
    if (info->n_facts > 0) {
        print_count("fetch facts", info->n_facts);
    }
    if (weighted != NULL) {
        const struct mr_weights_figures *weights = &weighted->weights;
        printf("%-16sfrom %g to %g, in all %g; %s bytes more\n", "weights", (double)weights->least,
               (double)weights->most, weights->total, mr_count_text(weighted->bytes, text));
    }
    if (info->undirected || info->duplicates_kept || info->self_loops_dropped || info->transposed) {
        printf("%-16s%s%s%s%s\n", "built with", info->undirected ? "--undirected " : "",
               info->duplicates_kept ? "--duplicates keep " : "",
               info->self_loops_dropped ? "--self-loops drop " : "",
               info->transposed ? "--transpose" : "");
    }
    printf("%-16s%016llx\n", "store id", (unsigned long long)info->store_id);
    printf("%-16s%016llx\n", "graph id", (unsigned long long)info->graph_id);
    for (size_t i = 0; i < n_lines(next); i++) {
        printf("%-16s%s\n", i == 0 ? "next" : "", next[i]);
    }
}

static enum mr_status run_info(struct mr_session *session, const void *data,
                               const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct mr_common_flags *flags = data;
    struct mr_store *store = NULL, *weighted = NULL;
    char *next[3] = {NULL, NULL, NULL}, *path = NULL;

    enum mr_status status = mr_store_open(&session->context, parsed->operands[0], &store, err);
    if (status == MR_OK && mr_store_get_info(store)->has_weights) {
        status = mr_store_open_weights(&session->context, store, &weighted, err);
    }
    if (status != MR_OK) {
        mr_store_close(store);
        return status;
    }
    const struct mr_store_info *weights = weighted == NULL ? NULL : mr_store_get_info(weighted);
    if (flags->estimate) {
        const struct mr_rank_costs estimate = {.memory_bytes = mr_session_peak_bytes()};
        status = mr_session_estimate(session, &estimate, err);
    } else {
        path = path_of(parsed->operands[0]);
        status = path == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name")
                              : next_commands(&session->context, path, store, next, err);
    }
    if (status == MR_OK && flags->json && !flags->estimate) {
        status = print_json(parsed->operands[0], store, weights, next, err);
    } else if (status == MR_OK && !flags->estimate) {
        print_text(store, weights, next);
    }
    for (size_t i = 0; i < 3; i++) {
        free(next[i]);
    }
    free(path);
    mr_store_close(weighted);
    mr_store_close(store);
    return status;
}

const struct mr_command mr_command_info = {
    .name = "info",
    .summary = "print the figures of a store",
    .usage = "info STORE [OPTIONS]",
    .text = "Prints what a store holds and how it is laid out. \"links bytes\" counts tiles with "
            "their headers, checksums and padding; \"bits per link\" is that divided by the number "
            "of links. Links are written as keys (one by one) or as corners (differences between "
            "neighbouring pages). For both the command prints the number of tiles, their bytes, "
            "and the predicted time of a pass on one thread, which the builder used to choose. It "
            "reads only the index of the store. \"next\" are the commands that may follow: with "
            "--start where ranks beside the store are from before an append, a report where they "
            "are of its graph, what to fetch where pages have no links yet, an append.",
    .examples = "  millrace info web.mill\n"
                "  millrace info web.mill --json\n",
    .groups = {MR_COMMON_GROUP_WITHOUT("force tmp")},
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    MR_COMMAND_RUNS(defaults, run_info),
};
