/* Scores and levels in the files that crawlers load. One line per page, or per spelling of it:
 *
 *     heritrix      URI<space>level                 PrecedenceLoader; level 1 is the first to be fetched
 *     nutch         URL<TAB>nutch.score=S           injector; the average page has 1, Nutch's default
 *     stormcrawler  URL<TAB>score=S<TAB>level=L     seeds with metadata; S as for nutch
 *     frontera      URL<TAB>S                       0 to 1, the best page 1
 *     scrapy        URL<TAB>priority                integer, higher is sooner: levels - level
 *     commoncrawl   #pr_pos<TAB>#pr_val<TAB>#host_rev, then a line per page in the order of the input:
 *                   the layout of Common Crawl's ranks without its columns of harmonic centrality
 *
 * Names have blanks and control bytes as %XX in all of them. Without a store a name like "com,example)/" is an error:
 * crawlers fetch URLs. */
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
    const double *scores; /* [n], of each line of the score file, >= 0 */
    const uint8_t *levels; /* [n], 1..n_levels */
    unsigned n_levels;
    const uint32_t *ranks; /* COMMONCRAWL: [n], from 1 */
    /* Or NULL: the store that the scores are of; pages with several spellings get a line for each. */
    struct mr_names *names;
    /* Or NULL: a file of this format; only lines that differ from its line of that name are written. */
    const char *only_changed;
};

struct mr_crawler_summary {
    uint64_t pages;
    uint64_t lines; /* written */
    uint64_t unchanged; /* lines left out */
    uint64_t escaped; /* pages whose name needed it */
};

/* Write the file and publish it (formats/stream/output.h). Errors: INPUT for scores that are no names of the
 * store, or keys where there is none, or another file's changes at FILE:LINE; as mr_score_file_write. Memory: with only_changed 16
 * bytes per line of that file and half as much again. */
enum mr_status mr_crawler_write(const struct mr_context *context, struct mr_score_file *file,
                                uint64_t n_scores, const struct mr_crawler_options *options,
                                const char *path, bool force, struct mr_crawler_summary *summary,
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
