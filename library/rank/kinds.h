/* SPDX-License-Identifier: Apache-2.0 */
/* What a kind of ranking adds to its rows (struct mr_ranking_kind): what it takes and how it runs.
 * A kind is one file, kind_NAME.c, that defines mr_kind_NAME; the build finds it. */
#ifndef MR_LIBRARY_RANK_KINDS_H
#define MR_LIBRARY_RANK_KINDS_H

#include "engine/base/context.h"
#include "engine/pass/pass.h"
#include "engine/store/store.h"
#include "formats/score/scores.h"
#include "millrace/rank.h"

/* ---- The handle of a ranking: columns charged to the budget, and figures (ranking.c) ---- */

#define MR_RANKING_MAX_COLUMNS 4u

struct mr_ranking {
    struct mr_memory *memory;
    struct mr_ranking_figures figures;
    unsigned n_columns;
    uint64_t most_columns;
    struct mr_score_column *columns; /* [most_columns]; it frees their values */
    const struct mr_ranking_kind *kind; /* that made it; NULL: none */
    void *kind_figures; /* of the kind, or NULL; the ranking frees them */
    struct mr_score_stream stream; /* of the only column, which has no values then; else zero */
    void *held; /* by its run, for mr_ranking_keep; NULL: nothing */
    uint64_t given; /* of the kind's options: mr_rank_given */
    char text[8192]; /* mr_ranking_text */
};

/* A ranking without columns. Free with mr_ranking_free. */
enum mr_status mr_ranking_create(const struct mr_context *context, uint64_t n_vertices,
                                 struct mr_ranking **out, struct mr_error *err) MR_WARN_UNUSED;

/* Make room for `n` columns, where that is more than MR_RANKING_MAX_COLUMNS, before any is added.
 */
enum mr_status mr_ranking_reserve(struct mr_ranking *ranking, uint64_t n,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Add a column. The ranking takes over `values`, [n_vertices], charged to the context's budget;
 * NULL if there are no vertices. `name` is static. */
void mr_ranking_add(struct mr_ranking *ranking, const char *name, enum mr_score_type type,
                    void *values);

/* Add a column of MR_SCORES_WORD likewise. `words` are static. */
void mr_ranking_add_words(struct mr_ranking *ranking, const char *name, uint8_t *values,
                          const char *const *words);

/* Add a column of zeros, doubles or floats. */
enum mr_status mr_ranking_add_new(struct mr_ranking *ranking, const char *name,
                                  enum mr_score_type type, void **values,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Add a column of zeros. */
enum mr_status mr_ranking_add_zeros(struct mr_ranking *ranking, const char *name, double **values,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Free what the run holds. */
void mr_ranking_release(struct mr_ranking *ranking);

/* Hand the ranking out. With MR_OK and MR_NOT_CONVERGED the caller owns `*out`; otherwise the
 * ranking is freed, and `*out` is NULL. Returns `status`. */
enum mr_status mr_ranking_finish(struct mr_ranking *ranking, enum mr_status status,
                                 struct mr_ranking **out);

/* ---- Kinds ---- */

struct mr_pagerank_hooks;
struct mr_pagerank_saver;
struct mr_rank_extras;
struct mr_ranking_job;

/* In the options of a kind a FLAG is a bool, a COUNT uint64_t, a REAL double, a TEXT and a FILE
 * const char *, a CHOICE int, the index of the word, a STORE struct mr_store *, and those with an
 * array are this. In its figures REALS and a TABLE are likewise. */
struct mr_rank_array {
    const void *items; /* struct mr_vertex_weight, uint32_t, mr_rank_vector, double, records; NULL:
                          none are given */
    uint64_t n;
};

/* FETCHED, in the options of a kind. */
struct mr_rank_fetched {
    struct mr_rank_array pages; /* of uint32_t */
    int word; /* the number of the choice */
};

/* mr_rank and mr_rank_plan with what the program adds. The program writes the scores before the
 * files that a later run goes on from, which mr_ranking_keep writes. What the run holds stays until
 * the ranking is freed; so do the values, the store and the names. */
enum mr_status mr_rank_with(const struct mr_context *context, struct mr_store *store,
                            struct mr_names *names, const char *kind,
                            const struct mr_named_value *values, size_t n_values,
                            const struct mr_rank_extras *extras, struct mr_ranking **ranking,
                            struct mr_error *err) MR_WARN_UNUSED;

enum mr_status mr_rank_plan_with(const struct mr_context *context, struct mr_store *store,
                                 const char *kind, const struct mr_named_value *values,
                                 size_t n_values, const struct mr_rank_extras *extras,
                                 struct mr_rank_costs *plan, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_ranking_keep(const struct mr_ranking *ranking,
                               struct mr_error *err) MR_WARN_UNUSED;

/* What each page is worth that was not fetched, or with `again` that was, [n_vertices]: to fetch it
 * next. Other pages have -1. NULL: the kind does not know. The array is that of the score, so write
 * it first. Before mr_ranking_free. */
const double *mr_ranking_next(const struct mr_ranking *ranking, bool again);

/* The least memory of the process for a run that takes `work_bytes` beside the open store and
 * its names, and leaves `result_bytes`, which the program writes. */
uint64_t mr_rank_least_memory(const struct mr_ranking_job *job, uint64_t work_bytes,
                              uint64_t result_bytes);

/* The number of `name` among the words of `list`, which have | between; -1: it is none of them. */
int mr_rank_word(const char *list, const char *name);

/* A bit for each row of an option that has one of these values, which is not its default. */
uint64_t mr_rank_given(const struct mr_ranking_kind *kind, const struct mr_named_value *values,
                       size_t n_values);
/* Is one of the options `names`, with | between, among them? True for NULL. */
bool mr_rank_gives(const struct mr_ranking_kind *kind, uint64_t given, const char *names);
/* Does a run with them have what needs and excludes these? */
static inline bool mr_rank_has(const struct mr_ranking_kind *kind, uint64_t given,
                               const char *needs, const char *excludes)
{
    return mr_rank_gives(kind, given, needs) &&
           (excludes == NULL || !mr_rank_gives(kind, given, excludes));
}

/* The rows of the figures of passes, a struct mr_pass_figures at the offset `at`. */
extern const char *const mr_io_words[];
#define MR_PASS_FIGURE(at, member) ((at) + offsetof(struct mr_pass_figures, member))
#define MR_PASS_FIGURES(at)                                                                        \
    {"io",                                                                                         \
     MR_RANK_CHOICE,                                                                               \
     MR_PASS_FIGURE(at, backend),                                                                  \
     .help = "how links were read: io_uring or pread",                                             \
     .part = "reading",                                                                            \
     .words = mr_io_words},                                                                        \
        {"direct", MR_RANK_FLAG, MR_PASS_FIGURE(at, direct),                                       \
         .help = "past the page cache; into buffers that the kernel knows", .part = "reading"},    \
        {"registered_buffers", MR_RANK_FLAG, MR_PASS_FIGURE(at, registered_buffers),               \
         .help = NULL},                                                                            \
        {"threads", MR_RANK_COUNT, MR_PASS_FIGURE(at, threads),                                    \
         .help = "threads of the passes; links applied, each time counted", .part = "reading"},    \
        {"edge_visits", MR_RANK_COUNT, MR_PASS_FIGURE(at, edge_visits), .help = NULL},             \
        {"bytes_read", MR_RANK_COUNT, MR_PASS_FIGURE(at, bytes_read),                              \
         .help = "bytes of links and of degrees that passes read from disk", .part = "reading"},   \
        {"degree_bytes_read", MR_RANK_COUNT, MR_PASS_FIGURE(at, degree_bytes_read), .help = NULL}, \
        {"pinned_bytes", MR_RANK_COUNT, MR_PASS_FIGURE(at, pinned_bytes),                          \
         .help = "bytes of links read once and kept; of these decoded; of degrees kept",           \
         .part = "reading"},                                                                       \
        {"decoded_bytes", MR_RANK_COUNT, MR_PASS_FIGURE(at, decoded_bytes), .help = NULL},         \
        {"pinned_degree_bytes", MR_RANK_COUNT, MR_PASS_FIGURE(at, pinned_degree_bytes),            \
         .help = NULL},                                                                            \
        {"pass_seconds", MR_RANK_REAL, MR_PASS_FIGURE(at, seconds),                                \
         .help = "seconds inside passes; of waiting for the disk, of all threads",                 \
         .part = "reading"},                                                                       \
    {                                                                                              \
        "wait_seconds", MR_RANK_REAL, MR_PASS_FIGURE(at, wait_seconds), .help = NULL               \
    }

/* The option --max-passes, a COUNT at the offset `at`. */
#define MR_MAX_PASSES_OPTION(at)                                                                   \
    {                                                                                              \
        "max-passes", MR_RANK_COUNT, (at), "N",                                                    \
            "Stop after N passes over the links, with exit code 6 and the scores so far. Default " \
            "10000.",                                                                              \
            .also = "max-iter maxiter max-iterations", .usual = 10000, .least = 1,                 \
            .most = UINT32_MAX                                                                     \
    }

/* What only the program adds to a run; zero for other callers. */
struct mr_rank_extras {
    bool may_stream; /* scores that do not fit into memory may be ranking->stream */
    uint64_t write_bytes; /* what it takes to write the columns beside them */
    uint64_t memory_limit; /* of the run that is planned; 0: that of the context */
    const struct mr_pagerank_hooks *hooks; /* of pagerank: its `step` is called */
    struct mr_pagerank_saver
        *saver; /* of pagerank, in place of `checkpoint`; the program ends it */
    /* Of ppr: takes the scores (mr_personalised_sink), in place of columns. */
    enum mr_status (*take)(void *data, uint64_t first, unsigned n, unsigned width, void *values,
                           struct mr_error *err);
    void *take_data;
};

/* One call. */
struct mr_ranking_job {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info; /* of the store */
    struct mr_names *names; /* may be NULL */
    const void *options; /* [options_bytes] */
    uint64_t given; /* mr_rank_given */
    void *figures; /* [figures_bytes], zero at first; they live as long as the ranking */
    struct mr_ranking *ranking; /* takes the columns */
    struct mr_rank_extras extras;
};

struct mr_ranking_work {
    size_t options_bytes, figures_bytes;
    /* Refuses options that contradict each other. The store may be missing. NULL: none do. */
    enum mr_status (*check)(const struct mr_ranking_job *job, struct mr_error *err);
    void (*plan)(const struct mr_ranking_job *job, struct mr_rank_costs *plan);
    enum mr_status (*run)(struct mr_ranking_job *job, struct mr_error *err);
    /* Of what `run` left in ranking->held; NULL: it leaves nothing. `keep` writes the files of
     * mr_ranking_keep; `next` is mr_ranking_next. */
    enum mr_status (*keep)(const void *held, struct mr_error *err);
    const double *(*next)(const void *held, bool again);
    void (*release)(void *held);
    /* Writes mr_ranking_text, of a kind of labels a line and then a table. NULL: there is nothing
     * to say. */
    void (*say)(const void *figures, char *text, size_t text_bytes);
    void (*free_figures)(void *figures); /* frees what they point to; NULL: nothing */
    /* By the number of the choice of the option `like`: the values of CHOICE and COUNT that it sets
     * where the caller gives none, "dangling=none iterations=10". NULL: there is no such option. */
    const char *const *likes;
};

/* ---- What the program does with one kind (kind_components.c, opic_files.c) ---- */

/* Write a row for each size that components with these `labels` [n_vertices] have: their number,
 * the size, and their share of the vertices, the largest first. Lines are those that Common Crawl
 * publishes. Memory: 4 bytes per vertex. */
enum mr_status mr_components_write_sizes(const struct mr_context *context, const uint32_t *labels,
                                         uint64_t n_vertices, const char *path, bool force,
                                         struct mr_error *err) MR_WARN_UNUSED;

/* Add a row for each page of the state of OPIC at `path`: its name, cash, history, last visit, and
 * whether it was visited. Errors: those of mr_name_table_open. */
enum mr_status mr_opic_state_list(const struct mr_context *context, const char *path,
                                  struct mr_row_writer *rows, struct mr_error *err) MR_WARN_UNUSED;

/* ---- Spam mass (kind_trustrank.c, and the report) ---- */

struct mr_spam {
    double pagerank, mass, share, trust;
};

/* Let y(t) = (1 - a) (I - a P^T)^-1 t be the unnormalised solution, where dangling mass is lost.
 * The arguments are y of the trusted pages and y of all pages, with their sums over all pages.
 * PageRank is y(1/n) / |y(1/n)|. If a share G of all jumps goes to trusted pages, these jumps bring
 * the part G y(trusted) / |y(1/n)| of it. */
static inline struct mr_spam mr_spam_of(double trusted, double all, double trusted_sum,
                                        double all_sum, double good_share)
{
    const double rank = all / all_sum, good = good_share * trusted / all_sum;

    return (struct mr_spam){.pagerank = rank,
                            .mass = rank - good,
                            .share = rank > 0.0 ? (rank - good) / rank : 0.0,
                            .trust = trusted / trusted_sum};
}

#endif
