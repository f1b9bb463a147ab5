/* SPDX-License-Identifier: Apache-2.0 */
/* Writes scores and levels as files that crawlers load: one line per page, or one per spelling of
 * it.
 *
 *     heritrix      URI<space>level               for PrecedenceLoader; level 1 is fetched first
 *     nutch         URL<TAB>nutch.score=S         for the injector; S of the average page is 1,
 *                                                 Nutch's default
 *     stormcrawler  URL<TAB>score=S<TAB>level=L   seeds with metadata; S as for nutch
 *     frontera      URL<TAB>S                     0 to 1; the best page has 1
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

enum mr_crawler_format {
    MR_CRAWLER_HERITRIX,
    MR_CRAWLER_NUTCH,
    MR_CRAWLER_STORMCRAWLER,
    MR_CRAWLER_FRONTERA,
    MR_CRAWLER_SCRAPY,
    MR_CRAWLER_COMMONCRAWL
};

struct mr_crawler_options {
    size_t struct_size; /* sizeof(struct mr_crawler_options) */
    enum mr_crawler_format format;
    const double *scores; /* [n], the score of each line of the file, >= 0 */
    const uint8_t *levels; /* [n], each 1..n_levels */
    unsigned n_levels;
    const uint32_t *ranks; /* [n], from 1; only COMMONCRAWL uses them */
    /* The names of the store that the scores belong to, or NULL. With it, a page gets a line for
     * each of its spellings. */
    struct mr_names *names;
    /* A file of this format, or NULL. With it, only lines are written that differ from the file's
     * line of the same name. */
    const char *only_changed;
    /* Write only rows whose bit is set, chosen[row / 8] >> row % 8 & 1; NULL: all. */
    const uint8_t *chosen;
};

struct mr_crawler_summary {
    uint64_t pages;
    uint64_t lines; /* written */
    uint64_t unchanged; /* lines left out, because only_changed has them */
    uint64_t escaped; /* pages whose name has bytes written as %XX */
};

/* Write the file and publish it (formats/stream/output.h). `file` gives the names: its row i
 * belongs to scores[i]. Errors: INPUT for a name that is not in the store, for a key where there is
 * no store, and at FILE:LINE for a line of only_changed that is not in this format; also the errors
 * of mr_score_file_visit; USAGE when the file exists and `force` is false. Memory: with
 * only_changed 16 bytes per line of that file, and half as much again. Time: one reading of `file`,
 * and of the names where there is a store. */
enum mr_status mr_crawler_write(const struct mr_context *context, struct mr_score_file *file,
                                uint64_t n_scores, const struct mr_crawler_options *options,
                                const char *path, bool force, struct mr_crawler_summary *summary,
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
