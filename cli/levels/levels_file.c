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

#include "cli/graph/query.h"
#include "cli/levels/host_levels.h"
#include "cli/levels/host_mix.h"
#include "cli/levels/row_choice.h"
#include "cli/program/meta.h"
#include "engine/base/memory.h"
#include "formats/score/row_table.h"
#include "formats/score/score_match.h"

struct work {
    struct mr_session *session;
    const struct mr_precedence_flags *flags;
    const char *only; /* the one file of scores; NULL: those of --mix */
    struct mr_precedence_result *result;
    struct mr_score_file *file;
    const double *scores; /* [n], of the file, or `mixed` */
    double *mixed; /* [n] */
    uint8_t *levels; /* [n] */
    uint32_t *ranks; /* [n], for the format of Common Crawl */
    uint64_t n;
    struct mr_row_choice choice;
    double *compact; /* [n_chosen], scores of the chosen rows, or NULL */
    uint8_t *compact_levels; /* [n_chosen], or NULL */
    struct mr_graph graph; /* --spellings */
    struct mr_canonical canonical; /* rules of the names in the store; zeroed without one */
};

static struct mr_context *context_of(const struct work *work)
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
static void add_scaled(struct work *work, double weight, double best, const double *values)
{
    for (uint64_t i = 0; i < work->n && best > 0.0; i++) {
        work->mixed[i] += weight * (values[i] / best);
    }
}

/* Adds the scores of a further file to the pages of the first file. */
static enum mr_status add_file(struct work *work, const struct mix *mix, unsigned which,
                               struct mr_error *err)
{
    const struct mr_score_match_side first = {mix->paths[0], work->flags->column};
    const struct mr_score_match_side other = {mix->paths[which], NULL};
    struct mr_score_match match;
    double best = 0.0;
    uint64_t without = 0;
    char count[32];
    enum mr_status status = mr_score_match_read(context_of(work), &first, &other, &match, err);

    if (status != MR_OK) {
        return status;
    }
    for (uint64_t i = 0; i < match.n_pairs; i++) {
        best = match.pairs[i].b > best ? match.pairs[i].b : best;
    }
    for (uint64_t i = 0; i < work->n && i < match.n_pairs; i++) {
        const double score = match.pairs[i].b;
        without += isnan(score) != 0;
        work->mixed[i] += best > 0.0 && !isnan(score) ? mix->weights[which] * (score / best) : 0.0;
    }
    mr_score_match_free(&match);
    if (without > 0) {
        mr_session_say(work->session, "note: %s pages have no score in %s; they get 0 there",
                       mr_count_text(without, count), mix->paths[which]);
    }
    return mr_meta_check_scores(work->session, mix->paths[which], mix->paths[0], err);
}

static enum mr_status mix_scores(struct work *work, const struct mix *mix, struct mr_error *err)
{
    double best = 0.0;
    enum mr_status status =
        mr_memory_array(context_of(work)->memory, "mixed scores", work->n + 1, &work->mixed, err);

    for (uint64_t i = 0; i < work->n; i++) {
        best = work->scores[i] > best ? work->scores[i] : best;
    }
    if (status == MR_OK) {
        add_scaled(work, mix->weights[0], best, work->scores);
    }
    for (unsigned k = 1; status == MR_OK && k < mix->n; k++) {
        status = mix->kinds[k] == MR_MIX_PAGES
                     ? add_file(work, mix, k, err)
                     : mr_mix_hosts(work->session, work->file, &work->canonical, mix->paths[k],
                                    mix->kinds[k], mix->weights[k], work->mixed, work->n, err);
    }
    work->scores = work->mixed;
    return status;
}

/* ---- Levels ---- */

unsigned mr_precedence_level_count(const struct mr_precedence_flags *flags)
{
    if (flags->percentages.n > 0) {
        return flags->percentages.n;
    }
    return flags->levels > 0 ? (unsigned)flags->levels : 5;
}

/* Levels are made from the chosen rows alone, so that these are on all levels. */
static enum mr_status make_compact(struct work *work, struct mr_error *err)
{
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("chosen scores", work->choice.n_chosen + 1, &work->compact),
        MR_WANTED("chosen levels", work->choice.n_chosen + 1, &work->compact_levels),
    };
    const enum mr_status status = mr_memory_arrays(context_of(work)->memory, arrays, err);

    for (uint64_t i = 0, to = 0; status == MR_OK && i < work->n; i++) {
        if (mr_score_is_chosen(work->choice.chosen, i)) {
            work->compact[to++] = work->scores[i];
        }
    }
    return status;
}

static void spread_levels(struct work *work)
{
    for (uint64_t i = 0, from = 0; work->compact_levels != NULL && i < work->n; i++) {
        work->levels[i] =
            mr_score_is_chosen(work->choice.chosen, i) ? work->compact_levels[from++] : (uint8_t)1;
    }
}

static enum mr_status make_levels(struct work *work, struct mr_error *err)
{
    const struct mr_precedence_flags *flags = work->flags;
    const struct mr_precedence_options options = {
        .struct_size = sizeof options,
        .n_levels = mr_precedence_level_count(flags),
        .percentages = flags->percentages.n > 0 ? flags->percentages.values : NULL};
    enum mr_status status = mr_memory_array(context_of(work)->memory, "precedence levels",
                                            work->n + 1, &work->levels, err);

    if (status != MR_OK) {
        return status;
    }
    if (work->choice.chosen != NULL) {
        status = make_compact(work, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const bool all = work->choice.chosen == NULL;
    const double *scores = all ? work->scores : work->compact;
    const uint64_t n = all ? work->n : work->choice.n_chosen;
    uint8_t *levels = all ? work->levels : work->compact_levels;
    if (flags->logarithmic) {
        status = mr_precedence_log_levels(context_of(work), scores, n, options.n_levels, levels,
                                          work->result->counts, err);
    } else if (!flags->per_host) {
        status = mr_precedence_levels(context_of(work), scores, n, &options, levels,
                                      work->result->counts, err);
    } else {
        status = mr_host_levels(context_of(work), work->file, &work->canonical, &work->choice,
                                &options, scores, n, levels, work->result->counts, err);
    }
    spread_levels(work);
    return status;
}

/* Gives each page its rank by score, from 1. Pages with equal scores are ranked in the order of
 * the file. */
static enum mr_status make_ranks(struct work *work, struct mr_error *err)
{
    struct mr_memory *memory = context_of(work)->memory;
    uint32_t *rows = NULL;
    enum mr_status status = MR_OK;

    if (work->flags->format != (int)MR_CRAWLER_COMMONCRAWL) {
        return MR_OK;
    }
    if (work->n > UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_INPUT, "more than 4294967295 pages");
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("ranks", work->n + 1, &rows),
        MR_WANTED("ranks", work->n + 1, &work->ranks),
    };
    status = mr_memory_arrays(memory, arrays, err);
    for (uint64_t i = 0; status == MR_OK && i < work->n; i++) {
        rows[i] = (uint32_t)i;
    }
    if (status == MR_OK) {
        mr_rows_by_score(rows, work->n, work->scores);
    }
    for (uint64_t i = 0; status == MR_OK && i < work->n; i++) {
        work->ranks[rows[i]] = (uint32_t)(i + 1);
    }
    mr_memory_free(memory, rows);
    return status;
}

/* ---- The store ---- */

/* Opens the store of the scores, which has the spellings that crawlers look up. Without
 * --spellings, FILE.meta.json names that store. A file with canonical names needs a store. */
static enum mr_status find_store(struct work *work, const char *scores, struct mr_error *err)
{
    struct mr_session *session = work->session;

    assert(scores != NULL);
    if (work->flags->store != NULL) {
        const enum mr_status opened = mr_query_open(session, work->flags->store, &work->graph, err);
        return opened != MR_OK
                   ? opened
                   : mr_meta_check_store(session, scores, mr_store_get_info(work->graph.store),
                                         work->flags->store, err);
    }
    if (work->flags->format == (int)MR_CRAWLER_COMMONCRAWL || strcmp(scores, "-") == 0) {
        return MR_OK;
    }
    json_t *meta = NULL;
    enum mr_status status = mr_meta_read(session, scores, &meta, err);
    if (status != MR_OK) {
        return status;
    }
    const char *store = json_string_value(json_object_get(meta, "store"));
    const char *profile = json_string_value(json_object_get(meta, "profile"));
    const bool is_open = profile != NULL && store != NULL &&
                         mr_query_open(session, store, &work->graph, NULL) == MR_OK;
    if (is_open) {
        mr_session_say(session, "note: the URLs have the spellings of %s, the store of the scores",
                       store);
        status =
            mr_meta_check_store(session, scores, mr_store_get_info(work->graph.store), store, err);
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
           (flags->format == (int)MR_CRAWLER_COMMONCRAWL ? 2 * sizeof(uint32_t) : 0) +
           (flags->mix != NULL ? sizeof(double) : 0);
}

static enum mr_status open_inputs(struct work *work, struct mr_error *err)
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
                                    &work->file, err);
    }
    if (status == MR_OK) {
        work->scores = mr_score_file_scores(work->file, &work->n);
        if (work->n == 0) {
            status = mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                   "has no scores; rank a graph first, as with millrace pagerank");
        }
    }
    if (status == MR_OK) {
        status = find_store(work, path, err);
        work->canonical = work->graph.canonical;
    }
    if (status == MR_OK) {
        status = flags->mix != NULL ? mix_scores(work, &mix, err) : MR_OK;
    }
    free(mix.text);
    return status;
}

enum mr_status mr_precedence_make(struct mr_session *session,
                                  const struct mr_precedence_flags *flags, const char *scores,
                                  struct mr_precedence_result *result, struct mr_error *err)
{
    struct work work = {.session = session, .flags = flags, .only = scores, .result = result};
    struct mr_memory *memory = session->context.memory;

    *result = (struct mr_precedence_result){.counts = {0}};
    enum mr_status status = open_inputs(&work, err);
    if (status == MR_OK) {
        status = mr_row_choice_make(session, &flags->fetch, flags->max_unknown, work.file,
                                    work.scores, work.n, &work.canonical, &work.choice, err);
        work.scores = work.choice.priorities != NULL ? work.choice.priorities : work.scores;
    }
    if (status == MR_OK) {
        status = make_levels(&work, err);
    }
    if (status == MR_OK) {
        status = make_ranks(&work, err);
    }
    if (status == MR_OK) {
        const struct mr_crawler_options options = {
            .struct_size = sizeof options,
            .format = (enum mr_crawler_format)flags->format,
            .scores = work.scores,
            .levels = work.levels,
            .n_levels = mr_precedence_level_count(flags),
            .ranks = work.ranks,
            .names = work.graph.names,
            .only_changed = flags->only_changed,
            .chosen = work.choice.chosen,
        };
        mr_session_leave_terminal(session, flags->output);
        status = mr_crawler_write(&session->context, work.file, work.n, &options, flags->output,
                                  flags->common.force, &result->written, err);
    }
    mr_row_choice_close(&work.choice);
    mr_memory_free(memory, work.compact);
    mr_memory_free(memory, work.compact_levels);
    mr_memory_free(memory, work.mixed);
    mr_memory_free(memory, work.levels);
    mr_memory_free(memory, work.ranks);
    mr_score_file_close(work.file);
    mr_graph_close(session, &work.graph);
    return status;
}
