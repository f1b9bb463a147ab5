/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page of a report: one file of HTML with its style, its script and its pictures inside,
 * and with nothing to load. It follows the reader's choice of light or dark, fits a phone, prints,
 * and every picture but the map of hosts has its numbers in a table below it or in the text. The
 * page is made in memory, because its size does not depend on the graph. --charts writes the
 * pictures of this page into files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/stream/output.h"
#include "library/report/report.h"

/* Writes each picture of the page into a file, which its id names. */
static enum mr_status write_charts(const struct mr_context *context,
                                   const struct mr_store_report_options *options,
                                   const char *charts, struct mr_error *err)
{
    static const char begin[] = "<svg id=\"", end[] = "</svg>\n";
    const char *directory = options->charts;
    enum mr_status status = MR_OK;

    while (status == MR_OK && (charts = strstr(charts, begin)) != NULL) {
        const char *name = charts + sizeof begin - 1, *stop = strstr(charts, end) + sizeof end - 1;
        char *path = NULL;
        status = asprintf(&path, "%s/%.*s.svg", directory, (int)strcspn(name, "\""), name) < 0
                     ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for file names")
                     : mr_output_file(context, path, options->force, charts,
                                      (size_t)(stop - charts), err);
        free(path);
        charts = stop;
    }
    return status;
}

/* A text in memory that grows as a stream. */
struct growing {
    FILE *out;
    char *text;
    size_t bytes;
};

static enum mr_status begin(struct growing *growing, enum mr_status status, struct mr_error *err)
{
    growing->out = status == MR_OK ? open_memstream(&growing->text, &growing->bytes) : NULL;
    return status != MR_OK || growing->out != NULL
               ? status
               : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report");
}

static enum mr_status end(struct growing *growing, enum mr_status status, struct mr_error *err)
{
    if (growing->out == NULL) {
        return status;
    }
    /* fprintf takes memory for numbers. Without it, it writes less, and the stream has no error. */
    const bool failed = ferror(growing->out) != 0 || errno == ENOMEM;
    return (fclose(growing->out) != 0 || failed || growing->text == NULL) && status == MR_OK
               ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report")
               : status;
}

static void fill_template(FILE *out, const char *charts, const char *figures)
{
    const char *const charts_at = strstr(mr_page_template, "@CHARTS@");
    const char *const figures_at = strstr(mr_page_template, "@FIGURES@");

    (void)fwrite(mr_page_template, 1, (size_t)(charts_at - mr_page_template), out);
    (void)fputs(charts, out);
    (void)fwrite(charts_at + 8, 1, (size_t)(figures_at - charts_at - 8), out);
    (void)fputs(figures, out);
    (void)fputs(figures_at + 9, out);
}

enum mr_status mr_report_write(const struct mr_context *context, const struct mr_report *report,
                               const char *path, struct mr_error *err)
{
    const struct mr_store_report_options *options = report->options;
    struct growing charts = {0}, values = {0}, figures = {0}, page = {0};

    errno = 0;
    enum mr_status status = begin(&charts, MR_OK, err);
    status = begin(&values, status, err);
    status = status == MR_OK ? mr_page_write_charts(charts.out, values.out, report, err) : status;
    status = end(&charts, status, err);
    status = end(&values, status, err);
    status = begin(&figures, status, err);
    status =
        status == MR_OK ? mr_page_write_figures(figures.out, report, values.text + 1, err) : status;
    status = end(&figures, status, err);
    status = begin(&page, status, err);
    if (status == MR_OK) {
        fill_template(page.out, charts.text, figures.text);
    }
    status = end(&page, status, err);
    if (status == MR_OK && options->charts != NULL) {
        status = write_charts(context, options, charts.text, err);
    }
    if (status == MR_OK) {
        status = mr_output_file(context, path, options->force, page.text, page.bytes, err);
    }
    free(charts.text);
    free(values.text);
    free(figures.text);
    free(page.text);
    return status;
}
