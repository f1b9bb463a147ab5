/* Text in, store out: what `build` does, and every ranking of an input that is no store yet. */
#ifndef MR_CLI_GRAPH_IMPORT_H
#define MR_CLI_GRAPH_IMPORT_H

#include "cli/graph/import_flags.h"
#include "cli/program/session.h"
#include "engine/build/build.h"
#include "engine/store/store.h"
#include "formats/graph/edge_text.h"

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

/* Other programs take graphs of several files by what their names begin with: where `path` is no file, but PATH.graph or
 * the like is one, MR_ERROR_INPUT names that. */
enum mr_status mr_import_refuse_base(const char *path, struct mr_error *err) MR_WARN_UNUSED;

/* What building that many edges takes. */
struct mr_estimate mr_build_estimate(const struct mr_session *session, uint64_t edges,
                                     bool undirected);

#endif
