/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of a report: distributions, maps of links, the convergence of a ranking. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/report/chart.h"
#include "library/report/report.h"

const char *const mr_report_charts[] = {
    "/degrees.svg",   "/links.svg",       "/hosts.svg", "/scores.svg",
    "/histogram.svg", "/convergence.svg", NULL};

/* The last part of a path. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* The values of each factor of two that has some: fills x and y, and returns their number. */
static size_t fold(const struct mr_distribution *distribution, double scale, double *x, double *y)
{
    size_t n = 0;

    for (unsigned bin = 0; bin < MR_REPORT_BINS; bin += MR_REPORT_OCTAVE) {
        double sum = 0.0;
        for (unsigned i = bin; i < bin + MR_REPORT_OCTAVE; i++) {
            sum += (double)distribution->counts[i];
        }
        if (sum > 0.0) {
            x[n] = mr_report_bin_least(bin) * scale;
            y[n++] = sum;
        }
    }
    return n;
}

static void write_lines(FILE *svg, FILE *json, const struct mr_chart *chart)
{
    mr_chart_lines(svg, chart);
    (void)fprintf(json, ",\n\"%s\":{\"x\":\"%s\",\"y\":\"%s\",\"series\":[", chart->name,
                  chart->x_label, chart->y_label);
    for (size_t s = 0; s < chart->n_series; s++) {
        const char *label = chart->series[s].label;
        (void)fputs(s > 0 ? ",{\"label\":" : "{\"label\":", json);
        mr_page_json_text(json, label, strlen(label));
        mr_chart_values(json, chart, s);
        (void)fputs("}", json);
    }
    (void)fputs("]}", json);
}

static void write_map(FILE *svg, FILE *json, const struct mr_chart_cells *map)
{
    mr_chart_map(svg, map);
    (void)fprintf(json, ",\n\"%s\":{\"side\":%u,\"cells\":[", map->name, map->side);
    for (unsigned i = 0; i < map->side * map->side; i++) {
        (void)fprintf(json, "%s%llu", i > 0 ? "," : "", (unsigned long long)map->counts[i]);
    }
    for (unsigned i = 0; i < map->side && map->labels != NULL; i++) {
        (void)fputs(i > 0 ? "," : "],\"labels\":[", json);
        mr_page_json_text(json, map->labels[i], strlen(map->labels[i]));
    }
    (void)fputs("]}", json);
}

static void write_degrees(FILE *svg, FILE *json, const struct mr_report *report)
{
    double x[2][MR_REPORT_BINS], y[2][MR_REPORT_BINS];
    const struct mr_series series[] = {
        {"links to a page", x[0], y[0],
         mr_report_cumulate(&report->in, MR_REPORT_DEGREE_SCALE, x[0], y[0])},
        {"links on a page", x[1], y[1],
         mr_report_cumulate(&report->out, MR_REPORT_DEGREE_SCALE, x[1], y[1])}};

    write_lines(svg, json,
                &(struct mr_chart){"degrees",
                                   "Share of pages by number of links, both axes logarithmic",
                                   "links", "share of pages", true, true, series, 2, false});
}

/* `by_bin` fills x and y [MR_REPORT_BINS], as mr_report_cumulate does. */
static void write_scores(FILE *svg, FILE *json, const struct mr_report *report,
                         size_t (*by_bin)(const struct mr_distribution *, double, double *,
                                          double *),
                         const struct mr_chart *look)
{
    double x[MR_REPORT_MAX_SCORES][MR_REPORT_BINS] = {{0}};
    double y[MR_REPORT_MAX_SCORES][MR_REPORT_BINS] = {{0}};
    struct mr_series series[MR_REPORT_MAX_SCORES];
    struct mr_chart chart = *look;

    for (unsigned i = 0; i < report->n_scores; i++) {
        const struct mr_report_scores *scores = &report->scores[i];
        series[i] = (struct mr_series){
            file_name(scores->path), x[i], y[i],
            by_bin(&scores->distribution, (double)report->n_vertices, x[i], y[i])};
    }
    chart.series = series;
    chart.n_series = report->n_scores;
    write_lines(svg, json, &chart);
}

/* The file of `pagerank --log`: the bound after each pass. */
static enum mr_status write_convergence(FILE *svg, FILE *json, const char *path,
                                        struct mr_error *err)
{
    double pass[4096], bound[4096];
    size_t n = 0;
    bool is_log = false;
    char line[512];
    FILE *file = fopen(path, "re");

    while (file != NULL && n < 4096 && fgets(line, sizeof line, file) != NULL) {
        is_log |= strncmp(line, "pass\t", 5) == 0;
        n += is_log && sscanf(line, "%lf %lf", &pass[n], &bound[n]) == 2;
    }
    if (file == NULL) {
        return mr_error_file(err, MR_ERROR_INPUT, path, errno, "cannot read");
    }
    (void)fclose(file);
    if (n == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "has no passes; 'millrace pagerank --log FILE' writes them");
    }
    const struct mr_series series = {"bound", pass, bound, n};
    write_lines(svg, json,
                &(struct mr_chart){"convergence", "Error bound after each pass, logarithmic",
                                   "pass", "bound on the error", false, true, &series, 1, true});
    return MR_OK;
}

/* The map of links between the first of the best hosts. */
static enum mr_status write_hosts(FILE *svg, FILE *json, const struct mr_report *report,
                                  struct mr_error *err)
{
    const unsigned side = report->host_map_side;
    char *names[MR_REPORT_HOST_MAP] = {NULL};
    const char *scheme;
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < side && status == MR_OK; i++) {
        status = mr_report_host_name(report, report->best_hosts[i], &names[i], &scheme, err);
    }
    if (status == MR_OK) {
        write_map(svg, json,
                  &(struct mr_chart_cells){"hosts", "Map of links between hosts", "source",
                                           "target", report->host_map, side, names});
    }
    for (unsigned i = 0; i < side; i++) {
        free(names[i]);
    }
    return status;
}

enum mr_status mr_page_write_charts(FILE *svg, FILE *json, const struct mr_report *report,
                                    struct mr_error *err)
{
    static const struct mr_chart at_least = {"scores",
                                             "Share of pages by score, both axes logarithmic",
                                             "score, times the number of pages",
                                             "share of pages",
                                             true,
                                             true,
                                             NULL,
                                             0,
                                             false};
    static const struct mr_chart histogram = {"histogram",
                                              "Number of pages by score, both axes logarithmic",
                                              "score, times the number of pages",
                                              "pages",
                                              true,
                                              true,
                                              NULL,
                                              0,
                                              true};

    write_degrees(svg, json, report);
    write_map(svg, json,
              &(struct mr_chart_cells){"links", "Map of links: rows of targets, columns of sources",
                                       "source", "target", report->map, MR_REPORT_MAP, NULL});
    if (report->n_scores > 0) {
        write_scores(svg, json, report, mr_report_cumulate, &at_least);
        write_scores(svg, json, report, fold, &histogram);
    }
    const enum mr_status status = report->options->passes != NULL
                                      ? write_convergence(svg, json, report->options->passes, err)
                                      : MR_OK;
    return status == MR_OK && report->n_hosts > 0 ? write_hosts(svg, json, report, err) : status;
}
