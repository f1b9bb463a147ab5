/* SPDX-License-Identifier: Apache-2.0 */
/* Makes precedence levels from scores and writes them for a crawler. cmd_precedence.c checks the
 * flags and calls this file. It reads one score file, or mixes several, gives each page its
 * level, and writes the pages in the order of the score file. Crawlers look up URLs as they met
 * them, so the store of the scores adds all spellings of a page. */
#include "cli/levels/levels_file.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/graph/graph.h"
#include "cli/program/meta.h"
#include "engine/base/memory.h"
#include "formats/score/precedence_file.h"
#include "formats/score/score_match.h"
#include "library/query/precedence_rows.h"

struct levels_work {
    struct mr_session *session;
    const struct mr_precedence_flags *flags;
    const char *only; /* the one file of scores; NULL: those of --mix */
    struct mr_crawler_rows rows; /* the scores are those of the file, or `mixed` */
    double *mixed; /* [n] */
    uint8_t *levels; /* [n] */
    uint8_t *chosen; /* a bit per row, or NULL: all */
    double *priorities; /* [n] with --revisit */
    struct mr_graph graph; /* --spellings */
};

static struct mr_context *context_of(const struct levels_work *work)
{
    return &work->session->context;
}

/* ---- Mixing ---- */

enum { MAX_MIXED = 16 };

struct mix {
    char *text; /* owned; the paths point into it */
    const char *paths[MAX_MIXED];
    double weights[MAX_MIXED];
    enum mr_mix_kind kinds[MAX_MIXED];
    unsigned n;
};

/* Reads "0.3", "0.3@host" or "0.3@domain". */
static enum mr_status parse_weight(char *text, double *weight, enum mr_mix_kind *kind,
                                   struct mr_error *err)
{
    static const struct mr_range range = {.least = 0.0, .most = 1e9, .above_least = true};
    char *at = strchr(text, '@');

    *kind = MR_MIX_PAGES;
    if (at != NULL) {
        if (strcmp(at, "@host") != 0 && strcmp(at, "@domain") != 0) {
            return mr_error_set(err, MR_ERROR_USAGE, "must end with @host or @domain");
        }
        *kind = strcmp(at, "@host") == 0 ? MR_MIX_HOSTS : MR_MIX_DOMAINS;
        *at = '\0';
    }
    return mr_value_real(text, &range, weight, err);
}

static enum mr_status parse_mix(const char *text, struct mix *mix, struct mr_error *err)
{
    struct mr_error reason = {0};

    *mix = (struct mix){.text = strdup(text)};
    if (mix->text == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for --mix");
    }
    /* clang 14 loses mix->text at the first paths[]. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    for (char *at = mix->text, *next; at != NULL; at = next) {
        next = strchr(at, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *colon = strchr(at, ':');
        if (colon == NULL || colon[1] == '\0' || strcmp(colon + 1, "-") == 0 ||
            mix->n == MAX_MIXED) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "--mix %s: must be WEIGHT:FILE with commas between, at most %d, "
                                "such as 0.7:ranks.tsv,0.3:content.tsv",
                                text, MAX_MIXED);
        }
        *colon = '\0';
        if (parse_weight(at, &mix->weights[mix->n], &mix->kinds[mix->n], &reason) != MR_OK) {
            return mr_error_set(err, MR_ERROR_USAGE, "--mix %s: the weight \"%s\" %s", text, at,
                                reason.message);
        }
        mix->paths[mix->n++] = colon + 1;
    }
    if (mix->kinds[0] != MR_MIX_PAGES) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--mix %s: the first file gives the pages, so it cannot be of hosts",
                            text);
    }
    return MR_OK;
}

enum mr_status mr_precedence_list_mix(const char *text, struct mr_files *files,
                                      struct mr_error *err)
{
    struct mix mix;
    const enum mr_status status = parse_mix(text, &mix, err);

    for (unsigned i = 0; status == MR_OK && i < mix.n; i++) {
        mr_files_add(files, MR_FILE_READ, "--mix", mix.paths[i], NULL);
    }
    free(mix.text);
    return status;
}

/* Adds weight * values / best to `mixed`. */
static void add_scaled(struct levels_work *work, double weight, double best, const double *values)
{
    for (uint64_t i = 0; i < work->rows.n && best > 0.0; i++) {
        work->mixed[i] += weight * (values[i] / best);
    }
}

/* Adds the scores of a further file to the pages of the first file. */
static enum mr_status add_file(struct levels_work *work, const struct mix *mix, unsigned which,
                               struct mr_error *err)
{
    struct mr_score_match match;
    double best = 0.0;
    uint64_t without = 0;
    char count[64];
    enum mr_status status =
        mr_score_match_read(context_of(work), mix->paths[0], work->flags->column, mix->paths[which],
                            work->flags->column, NULL, NULL, &match, err);

    if (status != MR_OK) {
        return status;
    }
    for (uint64_t i = 0; i < match.n_pairs; i++) {
        best = match.pairs[i].b > best ? match.pairs[i].b : best;
    }
    for (uint64_t i = 0; i < work->rows.n && i < match.n_pairs; i++) {
        const double score = match.pairs[i].b;
        without += isnan(score) != 0;
        work->mixed[i] += best > 0.0 && !isnan(score) ? mix->weights[which] * (score / best) : 0.0;
    }
    mr_score_match_free(&match);
    if (without > 0) {
        mr_session_say(work->session, "note: %s has no score for %s, and counts as 0 there",
                       mix->paths[which], mr_count_of_text(without, "page", count));
    }
    return mr_meta_check_scores(&work->session->context, mix->paths[which], mix->paths[0], err);
}

static enum mr_status mix_scores(struct levels_work *work, const struct mix *mix,
                                 struct mr_error *err)
{
    double best = 0.0;
    enum mr_status status = mr_memory_array(context_of(work)->memory, "mixed scores",
                                            work->rows.n + 1, &work->mixed, err);

    for (uint64_t i = 0; i < work->rows.n; i++) {
        best = work->rows.scores[i] > best ? work->rows.scores[i] : best;
    }
    if (status == MR_OK) {
        add_scaled(work, mix->weights[0], best, work->rows.scores);
    }
    for (unsigned k = 1; status == MR_OK && k < mix->n; k++) {
        status = mix->kinds[k] == MR_MIX_PAGES
                     ? add_file(work, mix, k, err)
                     : mr_mix_hosts(work->session, work->rows.file, &work->graph.canonical,
                                    mix->paths[k], work->flags->column, mix->kinds[k],
                                    mix->weights[k], work->mixed, work->rows.n, err);
    }
    work->rows.scores = work->mixed;
    return status;
}

struct mr_precedence_options mr_precedence_options_of(const struct mr_precedence_flags *flags)
{
    const bool has_percentages = flags->percentages.n > 0;
    struct mr_precedence_options options = flags->file;

    options.force = flags->common.force;
    options.n_levels = has_percentages     ? flags->percentages.n
                       : flags->levels > 0 ? (unsigned)flags->levels
                                           : 5;
    options.percentages = has_percentages ? flags->percentages.values : NULL;
    return options;
}

/* ---- The store ---- */

/* Opens the store of the scores, which has the spellings that crawlers look up. Without
 * --spellings, FILE.meta.json names that store. A file with canonical names needs a store. */
static enum mr_status find_store(struct levels_work *work, const char *scores, struct mr_error *err)
{
    struct mr_session *session = work->session;

    assert(scores != NULL);
    if (work->flags->store != NULL) {
        const enum mr_status opened =
            mr_graph_open_at(session, work->flags->store, &work->graph, err);
        return opened != MR_OK ? opened
                               : mr_meta_check_store(&session->context, scores,
                                                     mr_store_get_info(work->graph.store),
                                                     work->flags->store, err);
    }
    if (mr_crawler_layout_of(work->flags->file.format)->takes_keys || strcmp(scores, "-") == 0) {
        return MR_OK;
    }
    json_t *meta = NULL;
    enum mr_status status = mr_meta_read(&session->context, scores, &meta, err);
    if (status != MR_OK) {
        return status;
    }
    const char *store = json_string_value(json_object_get(meta, "store"));
    const char *profile = json_string_value(json_object_get(meta, "profile"));
    const bool is_open = profile != NULL && store != NULL &&
                         mr_graph_open_at(session, store, &work->graph, NULL) == MR_OK;
    if (is_open) {
        mr_session_say(session, "note: the URLs have the spellings of %s, the store of the scores",
                       store);
        status = mr_meta_check_store(&session->context, scores,
                                     mr_store_get_info(work->graph.store), store, err);
    } else if (profile != NULL) {
        status = mr_error_file(err, MR_ERROR_INPUT, scores, 0,
                               "has names of --profile %s, not the URLs that the crawl met%s%s; "
                               "name a store with these URLs with --spellings STORE",
                               profile, store != NULL ? ", and their store cannot be read: " : "",
                               store != NULL ? store : "");
    }
    json_decref(meta);
    return status;
}

/* ---- The file ---- */

/* Bytes for each row beside its score. Lists are read before the levels are made. */
static uint64_t row_bytes(const struct mr_precedence_flags *flags)
{
    const bool has_lists = flags->fetch.fetched.n > 0 || flags->fetch.times.n > 0;
    return 1 + (has_lists ? MR_ROW_TABLE_ROW_BYTES + sizeof(uint32_t) + 1 : 0) +
           (mr_crawler_layout_of(flags->file.format)->has_ranks ? 2 * sizeof(uint32_t) : 0) +
           (flags->mix != NULL ? sizeof(double) : 0);
}

static enum mr_status open_inputs(struct levels_work *work, struct mr_error *err)
{
    const struct mr_precedence_flags *flags = work->flags;
    const char *path = work->only;
    struct mix mix = {0};
    enum mr_status status = MR_OK;

    if (flags->mix != NULL) {
        status = parse_mix(flags->mix, &mix, err);
        path = mix.paths[0];
    }
    if (status == MR_OK) {
        status = mr_score_file_open(context_of(work), path, flags->column, row_bytes(flags),
                                    &work->rows.file, err);
    }
    if (status == MR_OK) {
        work->rows.scores = mr_score_file_scores(work->rows.file, &work->rows.n);
        if (work->rows.n == 0) {
            status = mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                   "has no scores; rank a graph first, as with millrace pagerank");
        }
    }
    if (status == MR_OK) {
        status = find_store(work, path, err);
        work->rows.names = work->graph.names;
        work->rows.canonical = &work->graph.canonical;
    }
    if (status == MR_OK) {
        status = flags->mix != NULL ? mix_scores(work, &mix, err) : MR_OK;
    }
    free(mix.text);
    return status;
}

enum mr_status mr_precedence_run(struct mr_session *session,
                                 const struct mr_precedence_flags *flags, const char *scores,
                                 struct mr_precedence_figures *figures, struct mr_error *err)
{
    struct levels_work work = {.session = session, .flags = flags, .only = scores};
    struct mr_memory *memory = session->context.memory;

    enum mr_status status = open_inputs(&work, err);
    if (status == MR_OK) {
        status = mr_rows_choose(session, &flags->fetch, flags->max_unknown, work.rows.file,
                                work.rows.scores, work.rows.n, &work.graph.canonical, &work.chosen,
                                &work.priorities, err);
        work.rows.scores = work.priorities != NULL ? work.priorities : work.rows.scores;
    }
    if (status == MR_OK) {
        status = mr_memory_array(memory, "precedence levels", work.rows.n + 1, &work.levels, err);
    }
    if (status == MR_OK) {
        const struct mr_precedence_options options = mr_precedence_options_of(flags);
        work.rows.chosen = work.chosen;
        mr_session_leave_terminal(session, flags->output);
        status = mr_precedence_write_rows(&session->context, &work.rows, &options,
                                          flags->output != NULL ? flags->output : "-", work.levels,
                                          figures, err);
    }
    mr_memory_free(memory, work.chosen);
    mr_memory_free(memory, work.priorities);
    mr_memory_free(memory, work.mixed);
    mr_memory_free(memory, work.levels);
    mr_score_file_close(work.rows.file);
    mr_graph_close(session, &work.graph);
    return status;
}
