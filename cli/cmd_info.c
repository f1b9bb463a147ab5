/* millrace info: the figures of a store. */
#include "cli/command.h"
#include "engine/store.h"

struct info_flags {
    struct mr_common_flags common;
};

static const struct info_flags defaults = {.common = MR_COMMON_DEFAULTS};

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

static json_t *encodings(const struct mr_store_info *info)
{
    return json_pack("{s:{s:I,s:I,s:I}}", "keys", "tiles", (json_int_t)info->keys_tiles, "edges",
                     (json_int_t)info->keys_edges, "bytes", (json_int_t)info->keys_bytes);
}

static enum mr_status print_json(const char *path, const struct mr_store_info *info,
                                 struct mr_error *err)
{
    struct mr_json json = mr_json_create();
    char codec[16];

    mr_json_text(&json, "store", path);
    mr_json_count(&json, "format_version", info->format_version);
    mr_json_id(&json, "store_id", info->store_id);
    mr_json_id(&json, "graph_id", info->graph_id);
    mr_json_count(&json, "vertices", info->n_vertices);
    mr_json_count(&json, "edges", info->n_edges);
    mr_json_count(&json, "dangling", info->n_dangling);
    mr_json_count(&json, "self_loops", info->n_self_loops);
    mr_json_count(&json, "max_out_degree", info->max_out_degree);
    mr_json_count(&json, "max_in_degree", info->max_in_degree);
    mr_json_count(&json, "bytes", info->bytes);
    mr_json_count(&json, "links_bytes", info->links_bytes);
    mr_json_real(&json, "bits_per_link", bits_per_link(info));
    mr_json_count(&json, "degrees_bytes", info->degrees_bytes);
    mr_json_count(&json, "names_bytes", info->names_bytes);
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
    mr_json_count(&json, "name_key", info->name_key_number);
    mr_json_flag(&json, "undirected", info->undirected);
    mr_json_flag(&json, "duplicates_kept", info->duplicates_kept);
    mr_json_flag(&json, "self_loops_dropped", info->self_loops_dropped);
    mr_json_flag(&json, "transposed", info->transposed);
    const enum mr_status status = mr_json_print(&json, stdout, err);
    mr_json_destroy(&json);
    return status;
}

static void print_count(const char *label, uint64_t count)
{
    char text[32];
    printf("%-16s%s\n", label, mr_count_text(count, text));
}

static void print_text(const struct mr_store_info *info)
{
    char codec[16];

    print_count("vertices", info->n_vertices);
    print_count("edges", info->n_edges);
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
    printf("%-16s%u (2^%u vertices each)\n", "bands", info->n_bands, info->band_bits);
    printf("%-16s2^%u vertices each\n", "stripes", info->stripe_bits);
    print_count("tiles", info->n_tiles);
    print_count("blocks", info->n_blocks);
    print_count("segments", info->n_segments);
    printf("%-16s%s\n", "codec", codec_text(info, codec));
    printf("%-16s%s\n", "names", names_text(info));
    printf("%-16s%s%s%s%s\n", "built with", info->undirected ? "--undirected " : "",
           info->duplicates_kept ? "--duplicates keep " : "",
           info->self_loops_dropped ? "--self-loops drop " : "",
           info->transposed ? "--transpose" : "");
    printf("%-16s%016llx\n", "store id", (unsigned long long)info->store_id);
    printf("%-16s%016llx\n", "graph id", (unsigned long long)info->graph_id);
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct info_flags *flags = data;
    struct mr_store *store = NULL;

    enum mr_status status = mr_store_open(&session->context, parsed->operands[0], &store, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        const struct mr_estimate estimate = {.memory_bytes = mr_session_peak_bytes()};
        status = mr_session_estimate(session, &estimate, err);
    } else if (flags->common.json) {
        status = print_json(parsed->operands[0], mr_store_info(store), err);
    } else {
        print_text(mr_store_info(store));
    }
    mr_store_close(store);
    return status;
}

const struct mr_command mr_command_info = {
    .name = "info",
    .summary = "print the figures of a store",
    .usage = "info STORE [OPTIONS]",
    .text = "Prints what a store holds and how it is laid out. links bytes counts tiles with their "
            "headers, checksums and padding; bits per link is that over the number of links. "
            "Reads only the store's index.",
    .examples = "  millrace info web.mill\n"
                "  millrace info web.mill --json\n",
    .groups = {MR_COMMON_GROUP},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    .run = run,
};
