/* Text in, store out: what `build` does, and every ranking of an input that is no store yet. */
#ifndef MR_CLI_IMPORT_H
#define MR_CLI_IMPORT_H

#include "cli/session.h"
#include "engine/build.h"
#include "engine/store.h"
#include "formats/edge_text.h"

struct mr_graph_format;

/* Which links a ranking is of, where the store tells them apart. */
struct mr_links_flags {
    int links; /* the place in "all|external|internal" */
    double internal_weight, external_weight; /* 0: not given, which is 1 */
};

/* Ints are places in the choices of their option. */
struct mr_import_flags {
    const struct mr_graph_format *format; /* NULL: by content */
    int columns; /* enum mr_edge_columns, -1: not given */
    bool undirected;
    int duplicates; /* 0 merge, 1 keep, -1: not given, which is merge */
    int self_loops; /* 0 keep, 1 drop */
    uint64_t vertices; /* UINT64_MAX: not given */
    const char *vertices_from; /* --vertex-list */
    unsigned link_kinds; /* 0: not given */
    bool drop_nofollow;
    const char *profile, *rules; /* or NULL; see cli/profile.h */
    int classes; /* enum mr_class_rule */
    struct mr_links_flags links; /* for whoever opens the store; no option of this table */
    int zstd_level; /* 0: plain */
    int encoding; /* enum mr_encoding */
    int order; /* enum mr_order */
    bool transpose;
    int weights; /* enum mr_weights_wanted; no option of this table */
    int bad_lines; /* enum mr_bad_lines */
    uint64_t max_bad; /* 0: not given */
    /* NULL, or the store that the links are for: by its names, and its flags instead of those above. */
    const struct mr_store_info *onto;
    const char *checkpoint; /* a directory, or NULL; no option of this table */
};

#define MR_IMPORT_DEFAULTS                                                                         \
    {                                                                                              \
        .columns = -1, .duplicates = -1, .vertices = UINT64_MAX                                    \
    }

extern const struct mr_option mr_import_options[];

/* What --weights and --no-weights of a command that makes stores ask for; without either
 * MR_WEIGHTS_IF_GOOD. Errors: USAGE for both. */
enum mr_status mr_weights_flags(bool must, bool none, int *weights,
                                struct mr_error *err) MR_WARN_UNUSED;

/* --codec: "plain", "zstd" (level 9), "zstd:LEVEL" or "auto" into an int: 0 for plain, and
 * MR_CODEC_BY_MEASUREMENT for auto, which mr_codec_resolve turns into one of the others for the place
 * where `store` will be, saying why. */
#define MR_CODEC_BY_MEASUREMENT (-1)
enum mr_status mr_codec_resolve(const struct mr_context *context, const char *store,
                                int *zstd_level, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_link_kinds_parse(const char *text, void *kinds,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_codec_parse(const char *text, void *zstd_level,
                              struct mr_error *err) MR_WARN_UNUSED;

struct mr_import_summary {
    bool is_resumed; /* the inputs were read before */
    const struct mr_graph_format *format; /* what the inputs were */
    struct mr_edge_text_summary text;
    struct mr_build_summary build;
};

/* Build a store at `store` from `inputs[n_inputs]`. Errors: USAGE for flags that contradict each
 * other or the inputs; whatever reading and building return. */
enum mr_status mr_import(struct mr_session *session, const struct mr_import_flags *flags,
                         const char *const *inputs, size_t n_inputs, const char *store, bool force,
                         struct mr_import_summary *summary, struct mr_error *err) MR_WARN_UNUSED;

/* What is known of the links of inputs that were not read yet. */
struct mr_edge_guess {
    uint64_t edges;
    bool is_rough; /* some are compressed text, or a pipe, which counts for none */
};

enum mr_status mr_edge_guess_make(struct mr_session *session, const char *const *inputs,
                                  size_t n_inputs, struct mr_edge_guess *guess,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Number of edges that `inputs` seem to have, from their sizes and the length of the first lines of
 * each. Inputs that are not files count as empty. */
enum mr_status mr_import_guess_edges(struct mr_session *session, const char *const *inputs,
                                     size_t n_inputs, uint64_t *edges,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* What building that many edges takes. */
struct mr_estimate mr_build_estimate(const struct mr_session *session, uint64_t edges,
                                     bool undirected);

/* The summary of a build on standard error: what came in, and what it became; `store` NULL leaves the
 * second out. And the same as JSON. */
void mr_build_report(struct mr_session *session, const char *store,
                     const struct mr_build_summary *summary);
void mr_build_json(struct mr_json *json, const char *store, const struct mr_build_summary *summary);

#endif
