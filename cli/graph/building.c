/* SPDX-License-Identifier: Apache-2.0 */
/* What all commands that build stores share: --codec, --estimate, and the summary with the counts
 * of links and pages, the size of the store, and the speed of each stage. The engine returns the
 * figures and prints nothing itself. */
#include "cli/graph/building.h"

#include <string.h>

#include "cli/program/values.h"
#include "engine/base/memory.h"

/* Of the builder, per edge, while it is sorted. */
#define SORT_EDGE_BYTES 12u
/* Shorter builds get no line of rates. */
#define RATED_SECONDS 1.0

enum { DEFAULT_ZSTD_LEVEL = 9, MAX_ZSTD_LEVEL = 19 };

struct mr_rank_costs mr_build_estimate(const struct mr_session *session, uint64_t edges,
                                       bool undirected)
{
    const uint64_t spooled = undirected ? 2 * edges : edges;
    const uint64_t wanted = MR_MEMORY_FLOOR_BYTES + SORT_EDGE_BYTES * spooled;
    return (struct mr_rank_costs){
        .memory_bytes = wanted < session->memory_limit ? wanted : session->memory_limit,
        .temporary_bytes =
            mr_build_temporary_bytes(&session->context, MR_IDS_SPARSE, edges, undirected)};
}

/* ---- The summary ---- */

/* Writes "reading 60.9 s, 32.3 M links/s" to `text` [64] and returns it. */
static const char *stage_text(const char *stage, double seconds, uint64_t edges, char *text)
{
    const double rate = seconds > 0 ? (double)edges / seconds * 1e-6 : 0.0;
    (void)snprintf(text, 64, "%s %.1f s, %.1f M links/s", stage, seconds, rate);
    return text;
}

/* Prints the speed of each stage. Reading and numbering count the links of the input; sorting
 * and writing count the links with duplicates, but without dropped self-loops. */
static void report_rates(struct mr_session *session, const struct mr_store_build_figures *summary)
{
    const uint64_t sorted = summary->n_edges + summary->duplicates;
    char reading[64], numbering[64], sorting[64], writing[64], temporary[32];

    mr_session_say(
        session, "%s; %s; %s; %s, %.0f MB/s; %s of temporary files at most",
        stage_text("reading", summary->seconds_spool, summary->input_edges, reading),
        stage_text("numbering", summary->seconds_number, summary->input_edges, numbering),
        stage_text("sorting", summary->seconds_partition, sorted, sorting),
        stage_text("writing", summary->seconds_encode, sorted, writing),
        summary->seconds_encode > 0 ? (double)summary->store_bytes / summary->seconds_encode * 1e-6
                                    : 0.0,
        mr_size_text(summary->temporary_bytes, temporary));
}

void mr_build_report_older(struct mr_session *session, const struct mr_store_build_figures *summary)
{
    char links[64];
    if (summary->older_links > 0) {
        mr_session_say(session,
                       "left out %s of older captures of a page; --captures all takes them",
                       mr_count_of_text(summary->older_links, "link", links));
    }
}

void mr_build_report(struct mr_session *session, const char *store, bool reversed,
                     const struct mr_store_build_figures *summary)
{
    char vertices[64], edges[64], dangling[32], duplicates[64], loops[64], size[64];
    const double bits =
        summary->n_edges > 0 ? 8.0 * (double)summary->links_bytes / (double)summary->n_edges : 0.0;

    const bool dropped = summary->dropped_self_loops > 0;

    mr_session_say(session, "%s%s%s%s; %s; %s merged, %s%s",
                   mr_count_of_text(summary->n_vertices, "page", vertices), reversed ? "" : ", ",
                   reversed ? "" : mr_count_text(summary->n_dangling, dangling),
                   reversed ? "" : " of them dangling",
                   mr_count_of_text(summary->n_edges, "link", edges),
                   mr_count_of_text(summary->duplicates, "duplicate", duplicates),
                   mr_count_of_text(dropped ? summary->dropped_self_loops : summary->self_loops,
                                    "self-loop", loops),
                   dropped ? " dropped" : "");
    mr_build_report_older(session, summary);
    if (summary->class_rule != MR_CLASSES_NONE) {
        mr_session_say(session, "%s of the links are internal, by %s",
                       mr_count_text(summary->internal_edges, edges),
                       summary->class_rule == MR_CLASSES_BY_HOST ? "host" : "registered domain");
    }
    if (summary->spellings_left_out > 0) {
        mr_session_say(session, "note: left out %s: a page has room for 64 KiB of them",
                       mr_count_of_text(summary->spellings_left_out, "spelling", size));
    }
    if (store == NULL) {
        return;
    }
    mr_session_say(session,
                   "%s: %s, %.2f bits per link, %.1f s (reading %.1f, numbering %.1f, sorting "
                   "%.1f, writing %.1f)",
                   store, mr_size_text(summary->store_bytes, size), bits, summary->seconds,
                   summary->seconds_spool, summary->seconds_number, summary->seconds_partition,
                   summary->seconds_encode);
    if (summary->seconds >= RATED_SECONDS) {
        report_rates(session, summary);
    }
}

enum mr_status mr_build_print(struct mr_session *session, const char *store,
                              const struct mr_store_build_figures *summary, struct mr_error *err)
{
    struct mr_json json = mr_json_create();
    enum mr_status status = MR_OK;

    mr_build_report(session, store, false, summary);
    mr_build_json(&json, store, summary);
    if (session->flags.json) {
        status = mr_json_print_and_destroy(&json, err);
    }
    mr_json_destroy(&json);
    return status;
}

void mr_build_json(struct mr_json *json, const char *store,
                   const struct mr_store_build_figures *summary)
{
    mr_json_text(json, "store", store);
    mr_json_count(json, "input_edges", summary->input_edges);
    mr_json_count(json, "self_loops", summary->self_loops);
    mr_json_count(json, "dropped_self_loops", summary->dropped_self_loops);
    mr_json_count(json, "older_links", summary->older_links);
    mr_json_count(json, "duplicates", summary->duplicates);
    mr_json_count(json, "vertices", summary->n_vertices);
    mr_json_count(json, "edges", summary->n_edges);
    if (summary->class_rule != MR_CLASSES_NONE) {
        mr_json_count(json, "internal_edges", summary->internal_edges);
    }
    mr_json_count(json, "dangling", summary->n_dangling);
    mr_json_count(json, "bytes", summary->store_bytes);
    mr_json_count(json, "links_bytes", summary->links_bytes);
    mr_json_real(
        json, "bits_per_link",
        summary->n_edges > 0 ? 8.0 * (double)summary->links_bytes / (double)summary->n_edges : 0.0);
    mr_json_count(json, "spellings_left_out", summary->spellings_left_out);
    mr_json_count(json, "temporary_bytes", summary->temporary_bytes);
    mr_json_real(json, "seconds", summary->seconds);
    mr_json_real(json, "seconds_reading", summary->seconds_spool);
    mr_json_real(json, "seconds_numbering", summary->seconds_number);
    mr_json_real(json, "seconds_sorting", summary->seconds_partition);
    mr_json_real(json, "seconds_writing", summary->seconds_encode);
}

/* ---- --codec ---- */

enum mr_status mr_codec_parse(const char *text, void *zstd_level, struct mr_error *err)
{
    uint64_t level = DEFAULT_ZSTD_LEVEL;

    if (strcmp(text, "plain") == 0) {
        *(int *)zstd_level = 0;
        return MR_OK;
    }
    if (strncmp(text, "zstd", 4) != 0 || (text[4] != '\0' && text[4] != ':')) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be plain, zstd or zstd:LEVEL");
    }
    if (text[4] == ':') {
        struct mr_error reason = {0};
        if (mr_value_count(text + 5, 1, MAX_ZSTD_LEVEL, &level, &reason) != MR_OK) {
            return mr_error_set(err, MR_ERROR_USAGE, "the level %s",
                                text[5] == '\0' ? "is missing" : "must be from 1 to 19");
        }
    }
    *(int *)zstd_level = (int)level;
    return MR_OK;
}
