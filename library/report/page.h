/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a report: page.html, a template with a style and a script, gets the pictures
 * (report_charts.c) and the figures as JSON (report_figures.c), which its script shows as tables. A
 * full stream is found by report_page.c at its end. */
#ifndef MR_LIBRARY_REPORT_PAGE_H
#define MR_LIBRARY_REPORT_PAGE_H

#include "library/report/report.h"

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
