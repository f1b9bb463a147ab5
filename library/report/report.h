/* SPDX-License-Identifier: Apache-2.0 */
/* What a report of a store says: the figures that are collected from the store and from files of
 * scores (report_graph.c, report_hosts.c, report_scores.c, report_spam.c), and the page of HTML
 * that is written from them (page.h). */
#ifndef MR_LIBRARY_REPORT_REPORT_H
#define MR_LIBRARY_REPORT_REPORT_H

#include "algorithms/components/components.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "formats/score/scores.h"
#include "formats/url/canonical.h"
#include "library/rank/kinds.h"
#include "library/score_meta.h"
#include "millrace/query.h"

enum {
    MR_REPORT_MAP = 40, /* cells of the map of links in each direction */
    MR_REPORT_BINS = 512, /* of distributions */
    MR_REPORT_OCTAVE = 8, /* bins of each power of two */
    MR_REPORT_LINKED = 100, /* pages whose best links are listed, at most */
    MR_REPORT_LINKERS = 10, /* and how many of each */
    MR_REPORT_EXPLAINED = 20, /* pages whose score is explained, at most */
    MR_REPORT_TOP = 1000, /* the most pages and hosts of a list */
    MR_REPORT_HOST_MAP = 20, /* hosts of the map of hosts, at most */
    MR_REPORT_LEVELS = 5,
    MR_REPORT_MAX_SCORES = 4,
    MR_REPORT_GIVERS = 4, /* hosts that are named as those that link to a host */
    MR_REPORT_SPAM_CLASSES = 4, /* of pages, by their share of spam mass */
    MR_REPORT_SPAM_TIMES = 10 /* pages of so many times the average PageRank are looked at */
};

/* Degrees are put into bins by their quotient with this. */
#define MR_REPORT_DEGREE_SCALE 0x1p32

/* How many values fall into each bin. A bin has a least value; bins are in ascending order. */
struct mr_distribution {
    uint64_t counts[MR_REPORT_BINS];
    uint64_t n; /* values above 0 */
};

/* A page of a list. Texts are owned. */
struct mr_report_page {
    char *name;
    double score;
    uint32_t vertex, in, out;
    uint32_t linkers[MR_REPORT_LINKERS]; /* [n_linkers]: the best pages that link to it */
    uint32_t n_linkers;
};

/* A host that links to another one, and how many links it gives. */
struct mr_report_giver {
    uint32_t host, links; /* links stay at 2^32 - 1 */
};

/* A host. Links are those between pages of different hosts. */
struct mr_report_host {
    uint64_t pages;
    double score; /* of its pages, by the first file */
    double pagerank, spam; /* of its pages, where spam mass is known */
    uint64_t links_in, links_out;
    /* The hosts that give most links to it, if they give a fifth each; most links first. */
    struct mr_report_giver givers[MR_REPORT_GIVERS];
    uint32_t first_vertex;
    uint32_t place; /* in the map of hosts, from 1; 0: it is not there */
};

struct mr_report_scores {
    const char *path;
    json_t *meta; /* FILE.meta.json; NULL where it is not there */
    double *values; /* [n_vertices]; NaN where a page has none */
    uint64_t n_found;
    struct mr_distribution distribution;
    struct mr_report_page top[MR_REPORT_TOP];
    uint64_t n_top;
    struct mr_compare_figures compared; /* with the first file; zero for the first */
    uint64_t level_pages[MR_REPORT_LEVELS];
    double level_least[MR_REPORT_LEVELS], level_most[MR_REPORT_LEVELS];
};

/* Spam mass. Classes are those of page_spam.c. */
struct mr_report_spam {
    const struct mr_report_scores *trust; /* NULL: no spam mass; all else is 0 then */
    const double *pagerank; /* [n_vertices] */
    double *own_pagerank; /* owned; NULL where `pagerank` is a file of scores */
    double trust_sum, rank_sum; /* of the vectors before they were normalised */
    double good_share;
    uint64_t n_trusted;
    uint64_t pages[MR_REPORT_SPAM_CLASSES];
    double scores[MR_REPORT_SPAM_CLASSES];
    struct mr_report_page top[MR_REPORT_TOP]; /* of the last class */
    uint64_t n_top;
};

struct mr_report {
    const struct mr_store_report_options *options;
    struct mr_store *store;
    struct mr_names *names;
    struct mr_canonical canonical; /* made the names */
    uint64_t n_vertices;
    unsigned n_best; /* pages and hosts of a list */
    struct mr_distribution in, out;
    uint64_t map[MR_REPORT_MAP * MR_REPORT_MAP]; /* target row by source column */
    uint64_t near_links; /* links inside one cell of the diagonal */
    uint32_t *host_of; /* [n_vertices] */
    struct mr_report_host *hosts; /* [n_hosts] */
    uint32_t n_hosts; /* 0 where names have no hosts */
    uint64_t inside_hosts; /* links */
    uint32_t best_hosts[MR_REPORT_TOP + 1]; /* [n_best_hosts], by score, or else by pages */
    unsigned n_best_hosts, host_map_side;
    /* [host_map_side * host_map_side] of the first of them: target row by source column */
    uint64_t host_map[MR_REPORT_HOST_MAP * MR_REPORT_HOST_MAP];
    struct mr_report_scores scores[MR_REPORT_MAX_SCORES];
    unsigned n_scores;
    struct mr_report_spam spam;
    /* Of the best pages of the first file. */
    struct mr_why whys[MR_REPORT_EXPLAINED]; /* [n_whys] */
    size_t n_whys;
    double why_bound; /* of the scores */
    struct mr_components components;
    bool has_components;
    struct mr_changes changes; /* since options->since */
    double began;
    uint8_t *linked; /* while links are read: bits [n_vertices] of the best pages; or NULL */
    struct mr_host_numbers *numbers; /* while the names are read */
};

/* The bin of a value above 0: eight for each power of two, from 2^-48 to 2^16. */
unsigned mr_report_bin(double value);
double mr_report_bin_least(unsigned bin);
/* The share of values that are at least the least of each bin that has one: fills x and y
 * [MR_REPORT_BINS], x times `scale`, and returns their number. */
size_t mr_report_cumulate(const struct mr_distribution *distribution, double scale, double *x,
                          double *y);

/* Read the degrees and all links once, for the distributions, the map, and the links to the best
 * pages of the first file of scores, if any. Memory: a bit per vertex. */
enum mr_status mr_report_read_graph(const struct mr_context *context, struct mr_report *report,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* Find the hosts; read the links twice for links between hosts. Needs the scores and the spam mass,
 * if any. Does nothing where names have no hosts. Memory: 4 bytes per vertex and 88 per host; while
 * the names are read, 27 to 54 more per host. */
enum mr_status mr_report_read_hosts(const struct mr_context *context, struct mr_report *report,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* Read one file of scores. Memory: 8 bytes per vertex, which stay. */
enum mr_status mr_report_read_scores(const struct mr_context *context, struct mr_report *report,
                                     const char *path, struct mr_error *err) MR_WARN_UNUSED;
/* Compare all files with the first one, as `compare` does, equal scores in the order of the store.
 * Memory: 32 bytes per vertex. */
enum mr_status mr_report_compare(const struct mr_context *context, struct mr_report *report,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* Find spam mass, if the files of scores have PageRank and trust. `good_share` 0: as the file has
 * it, or the share of the trusted pages. Memory: 8 bytes per vertex where one file has both.
 * Errors: USAGE where `good_share` is given and there is no trust. */
enum mr_status mr_report_read_spam(const struct mr_context *context, struct mr_report *report,
                                   double good_share, struct mr_error *err) MR_WARN_UNUSED;
/* Explain the scores of the best pages (report->whys), if they can be. Reads the out-degrees, and
 * the links of the bands of these pages. */
enum mr_status mr_report_explain(const struct mr_context *context, struct mr_report *report,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* A number of the metadata of scores; NaN if there is none. */
double mr_report_real(const json_t *object, const char *key);
/* The spam mass of a page. Needs report->spam.trust. */
struct mr_spam mr_report_spam_at(const struct mr_report *report, uint32_t vertex);

/* Fills `top` with the pages of the largest `values` [n_vertices] that are chosen (a bit for each
 * vertex), best first. The caller frees the texts, also after an error. */
enum mr_status mr_report_find_top(const struct mr_context *context, struct mr_report *report,
                                  const double *values, const uint8_t *chosen,
                                  struct mr_report_page top[MR_REPORT_TOP], uint64_t *n_top,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* The first name of a host, as text that the caller frees. `*scheme`: "http://" or
 * "https://" if its first page has the host and no port behind it, else "". */
enum mr_status mr_report_host_name(const struct mr_report *report, uint32_t host, char **name,
                                   const char **scheme, struct mr_error *err) MR_WARN_UNUSED;

/* What a host counts in a list; hosts of 0 are not in it. */
typedef double (*mr_host_value)(const struct mr_report_host *host);
/* Fills `best` with the hosts of the largest values, best first; returns their number. */
unsigned mr_report_best_hosts(const struct mr_report *report, mr_host_value value,
                              uint32_t best[MR_REPORT_TOP + 1]);

/* The file names of all charts that a page may have, each with a "/" before it; NULL ends them. */
extern const char *const mr_report_charts[];

/* Write the page to `path`, and its charts into their directory, which exists. */
enum mr_status mr_report_write(const struct mr_context *context, const struct mr_report *report,
                               const char *path, struct mr_error *err) MR_WARN_UNUSED;

/* ---- The page (report_page.c, report_charts.c, report_figures.c) ---- */

/* page.html, with @CHARTS@ and @FIGURES@ where these go. */
extern const char mr_page_template[];

/* Write all pictures to `svg`, each an <svg> whose id names it, and their values to `json`, as
 * members of an object with a comma before each. Errors: those of mr_report_host_name. */
enum mr_status mr_page_write_charts(FILE *svg, FILE *json, const struct mr_report *report,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Write one object of JSON. `charts` are the members of mr_page_write_charts, without the first
 * comma. Errors: those of mr_report_host_name. */
enum mr_status mr_page_write_figures(FILE *json, const struct mr_report *report, const char *charts,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* A text in quotes. No "<" is left in it, so that it cannot end the element around it. */
void mr_page_json_text(FILE *json, const char *text, size_t bytes);

#endif
