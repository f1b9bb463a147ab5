/* SPDX-License-Identifier: Apache-2.0 */
/* Writes scores and levels as files that crawlers load: one line per page, or one per spelling of
 * it.
 *
 *     heritrix      URI<space>level               for PrecedenceLoader; level 1 is fetched first
 *     nutch         URL<TAB>nutch.score=S         for the injector; S of the average page is 1,
 *                                                 Nutch's default; 1 itself, which Nutch
 *                                                 ignores, becomes the next float
 *     nutch-nodes   a SequenceFile of URL and     nodes/part-r-00000 of a WebGraph, which
 *                   Node with S                   `nutch scoreupdater` loads: fetched pages too
 *     stormcrawler  URL<TAB>score=S<TAB>level=L   seeds with metadata; S as for nutch
 *     urlfrontier   {"known":{"info":{"url":URL}, a JSON line for PutURLs; the place, from 1, is
 *                    "refetchableFromDate":PLACE}}  the time from which the page may be fetched
 *     frontera      URL<TAB>S                     0 to 1; the best page has 0: the queues of
 *                                                 sqlalchemy and memory take the lowest first
 *     frontera-hbase  URL<TAB>S                   0 to 1; the best page has 1: those of HBase and
 *                                                 Redis take the highest first
 *     scrapy        URL<TAB>priority              an integer: number of levels - level; a higher
 *                                                 priority is fetched sooner
 *     commoncrawl   #pr_pos<TAB>#pr_val<TAB>#host_rev, then a line per page in the order of the
 *                   input: the layout of Common Crawl's ranks without the columns of harmonic
 *                   centrality
 *
 * In all formats, blanks and control bytes of a name become %XX. Without a store, a name like
 * "com,example)/" is an error, because crawlers fetch URLs and this is none. */
#ifndef MR_FORMATS_SCORE_CRAWLER_FILE_H
#define MR_FORMATS_SCORE_CRAWLER_FILE_H

#include "engine/names/names.h"
#include "formats/score/precedence_file.h"
#include "formats/url/canonical.h"
#include "formats/url/client_url.h"
#include "millrace/levels.h"

/* What a format is. The tables of the program and of Python have the same names. */
struct mr_crawler_layout {
    const char *head; /* the first line, or NULL */
    const char *before, *between, *after; /* name and value */
    bool value_first;
    bool is_binary; /* nutch-nodes, which has none of these */
    bool is_json; /* the name is that of a text in JSON */
    bool has_ranks; /* the value has the place of the page */
    bool has_shares; /* of the scores, which then are at least 0 */
    bool takes_keys; /* names may be keys of pages */
    const struct mr_client_urls *urls; /* how the crawler spells them; NULL: it takes any name */
};
const struct mr_crawler_layout *mr_crawler_layout_of(enum mr_crawler_format format);

struct mr_crawler_rows {
    struct mr_score_file *file; /* names the rows */
    const double *scores; /* [n], of each row, finite; at least 0 for shares */
    uint64_t n;
    /* The names of the store that the scores belong to, or NULL. With it, a page gets a line for
     * each of its spellings. */
    struct mr_names *names;
    const struct mr_canonical *canonical; /* made the names of the rows */
    /* Only rows whose bit is set count, chosen[row / 8] >> row % 8 & 1; NULL: all. */
    const uint8_t *chosen;
};

/* Write the file and publish it (formats/stream/output.h). `options` have the format, the number of
 * levels, the earlier file; `levels` [n] are 1..n_levels, `ranks` [n] begin with 1, for layouts
 * that have them. Adds to `figures`. A note says how many of the lines the
 * crawler takes under another name, or refuses. Errors: INPUT for a name that is not in the store,
 * for a key if there is no store, and at FILE:LINE for a line of only_changed that is not in this
 * format; also the errors of mr_score_file_visit; USAGE when the file exists and `force` is false.
 * Memory: with only_changed 31 to 42 bytes per line of that file, and 16 more while it is read.
 * Time: one reading of the rows, and one of the names if there is a store. */
enum mr_status mr_crawler_write(const struct mr_context *context,
                                const struct mr_crawler_rows *rows,
                                const struct mr_precedence_options *options, const uint8_t *levels,
                                const uint32_t *ranks, const char *path,
                                struct mr_precedence_figures *figures,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Refuse a path whose suffix asks for another file: Heritrix's format may be a table (.csv, .jsonl,
 * .json, .parquet) of name, level and score, the others are lines. NULL is standard output. Errors:
 * USAGE. */
enum mr_status mr_crawler_check_path(const char *path, const struct mr_precedence_options *options,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
