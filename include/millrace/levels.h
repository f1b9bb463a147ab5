/* SPDX-License-Identifier: Apache-2.0 */
/* Precedence levels: the functions turn scores into integers, 1 first, for the queues of a crawler.
 * mr_precedence_write takes the scores of a store, and writes files for crawlers.
 *
 * Levels are by rank. With N levels, the best n/N scores get level 1, the next n/N level 2, and so
 * on. The default is quintiles, as in the Heritrix notes. `percentages` sets other shares. The best
 * score always gets level 1.
 *
 * `logarithmic` cuts the range from the best score down to the smallest one above 0 into n_levels
 * equal parts. Scores of 0 or less get the last level. If no score is above 0, the best of them get
 * the first level. Scores of web graphs span many orders of magnitude. Here the scores of each
 * level are better than those of the next one by a constant factor, and the number of vertices on a
 * level is free. The levels are the same for any threads. */
#ifndef MILLRACE_LEVELS_H
#define MILLRACE_LEVELS_H

#include "millrace/names.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MR_PRECEDENCE_MAX_LEVELS 126 /* Heritrix uses 1..126; 127 is its ceiling */

/* docs/crawlers describes the formats. */
enum mr_crawler_format {
    MR_CRAWLER_HERITRIX,
    MR_CRAWLER_NUTCH,
    MR_CRAWLER_STORMCRAWLER,
    MR_CRAWLER_FRONTERA, /* queues of sqlalchemy and memory, which take the lowest score first */
    MR_CRAWLER_SCRAPY,
    MR_CRAWLER_COMMONCRAWL,
    MR_CRAWLER_FRONTERA_HBASE, /* those of HBase and Redis, which take the highest first */
    MR_CRAWLER_URLFRONTIER, /* items for PutURLs */
    MR_CRAWLER_NUTCH_NODES /* nodes/part-r-00000 of a WebGraph, for scoreupdater */
};

struct mr_precedence_options {
    size_t struct_size; /* sizeof(struct mr_precedence_options) */
    unsigned n_levels; /* 1..126; 0: 5 */
    /* [n_levels], which is not 0, each above 0, with the sum 100 (within 1e-6); or NULL */
    const double *percentages;
    /* by the logarithm of the score, not by rank; not with percentages or per_host */
    bool logarithmic;
    bool force; /* replace an existing file */
    bool per_host; /* levels for the vertices of each host separately */
    enum mr_crawler_format format;
    /* only these vertices, which are then on all levels: chosen[v / 8] >> v % 8 & 1; NULL: all */
    const uint8_t *chosen;
    /* An earlier file of the same format, whose lines are left out; or NULL. */
    const char *only_changed;
};
#define MR_PRECEDENCE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(struct mr_precedence_options), 5, NULL, false, false, false, MR_CRAWLER_HERITRIX,   \
            NULL, NULL                                                                             \
    }

struct mr_precedence_figures {
    size_t struct_size; /* sizeof(struct mr_precedence_figures), set by the caller */
    uint64_t pages; /* that were written */
    uint64_t lines; /* that were written: one for each spelling of a page */
    uint64_t unchanged; /* lines that only_changed has */
    uint64_t escaped; /* pages whose name has bytes that are written as %XX */
    uint64_t level_pages[MR_PRECEDENCE_MAX_LEVELS];
};

/* Give the vertices of `store` levels by `scores` [n_vertices], and write the levels to `path` in
 * the format of a crawler: in the order of the names, a line for each spelling (".gz" and ".zst"
 * compress). If `path` is NULL, no file is written. `levels` [n_vertices] gets the level of each
 * vertex, 0 for a vertex that is not chosen. `levels`, `figures` and `options` may be NULL;
 * without `options` all fields are 0. Equal scores rank in the order of the names. Errors: those
 * of the levels; USAGE for options that do not go together, and when the file exists and `force`
 * is not set; INPUT for a score that is not finite, for one below 0 if the file is for NUTCH,
 * NUTCH_NODES, STORMCRAWLER or both of FRONTERA, which get shares of the scores, and for names that
 * are keys of URLs, without spellings. Memory: 9 bytes per vertex, 9 more with `chosen`, 8 more for
 * COMMONCRAWL and URLFRONTIER; per_host takes 8, and 27 to 54 per host, or reads the names several
 * times; only_changed takes 31 to 58 per line of that file. */
MR_API enum mr_status mr_precedence_write(const struct mr_context *context, struct mr_store *store,
                                          struct mr_names *names, const double *scores,
                                          const struct mr_precedence_options *options,
                                          const char *path, uint8_t *levels,
                                          struct mr_precedence_figures *figures,
                                          struct mr_error *err) MR_WARN_UNUSED;

#ifdef __cplusplus
}
#endif

#endif
