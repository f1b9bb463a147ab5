/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of the page of a report, as functions that write HTML to `out`. report_page.c puts
 * them in order; page_graph.c, page_scores.c, page_hosts.c and page_spam.c have one each. A full
 * stream is found by report_page.c at its end. page_parts.c has what all of them use. */
#ifndef MR_LIBRARY_REPORT_PAGE_H
#define MR_LIBRARY_REPORT_PAGE_H

#include "library/report/report.h"

/* Escaped text; a reader may break the line after a slash or a full stop. */
void mr_page_text(FILE *out, const char *string);
/* The same as a link to `scheme` and `string`, if that is a URL of the web. */
void mr_page_url(FILE *out, const char *scheme, const char *string);
/* A cell of a table with a count. */
void mr_page_count(FILE *out, uint64_t count);
/* A cell of a table with a bar of so many percent. */
void mr_page_bar(FILE *out, double percent);
/* What part is of whole, in percent; 0 where there is nothing. */
double mr_page_share(uint64_t part, uint64_t whole);
/* The last part of a path, and the same escaped. */
const char *mr_page_file_name(const char *path);
void mr_page_path(FILE *out, const char *path);
/* The share of values that are at least the least of each bin that has one: fills x and y
 * [MR_REPORT_BINS], x times `scale`, and returns their number. */
size_t mr_page_cumulate(const struct mr_distribution *distribution, double scale, double *x,
                        double *y);

void mr_page_write_facts(FILE *out, const struct mr_report *report);
void mr_page_write_degrees(FILE *out, const struct mr_report *report);
void mr_page_write_map(FILE *out, const struct mr_report *report);
/* Writes nothing where the components are not known. */
void mr_page_write_bow_tie(FILE *out, const struct mr_report *report);

/* All files of scores, their distributions, how alike they are, and the convergence. */
void mr_page_write_scores(FILE *out, const struct mr_report *report);

/* These need hosts. Errors: those of mr_report_host_name. */
enum mr_status mr_page_write_hosts(FILE *out, const struct mr_report *report,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_page_write_farms(FILE *out, const struct mr_report *report,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* Spam mass of pages, and of hosts where there are some. */
enum mr_status mr_page_write_spam(FILE *out, const struct mr_report *report,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* A cell of a table with the name of a host. */
enum mr_status mr_page_host_name(FILE *out, const struct mr_report *report, uint32_t host,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
