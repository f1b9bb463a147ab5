/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a report about the graph: figures, degrees, the map of links, the bow-tie. */

#include "library/report/chart.h"
#include "library/report/page.h"

static void count_fact(FILE *out, const char *label, uint64_t count)
{
    char number[32];
    (void)fprintf(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", label, mr_count_text(count, number));
}

void mr_page_write_facts(FILE *out, const struct mr_report *report)
{
    const struct mr_store_info *info = mr_store_get_info(report->store);
    char bytes[32];

    (void)fputs("<dl class=\"facts\">\n", out);
    count_fact(out, "pages", info->n_vertices);
    count_fact(out, "links", info->n_edges);
    (void)fprintf(out, "<div><dt>pages without links</dt><dd>%.1f%%</dd></div>\n",
                  mr_page_share(info->n_dangling, info->n_vertices));
    if (report->n_hosts > 0) {
        count_fact(out, "hosts", report->n_hosts);
        (void)fprintf(out, "<div><dt>links inside a host</dt><dd>%.1f%%</dd></div>\n",
                      mr_page_share(report->inside_hosts, info->n_edges));
    }
    count_fact(out, "links of a page to itself", info->n_self_loops);
    count_fact(out, "most links to a page", info->max_in_degree);
    count_fact(out, "most links on a page", info->max_out_degree);
    (void)fprintf(out, "<div><dt>links on disk</dt><dd>%s</dd></div>\n",
                  mr_size_text(info->links_bytes, bytes));
    (void)fprintf(out, "<div><dt>bits per link</dt><dd>%.2f</dd></div>\n</dl>\n",
                  info->n_edges > 0 ? 8.0 * (double)info->links_bytes / (double)info->n_edges : 0);
}

/* The least x that at most this share of values is above; for the numbers below a picture. */
static double value_at(const double *x, const double *y, size_t n, double wanted)
{
    size_t i = 0;
    while (i + 1 < n && y[i + 1] >= wanted) {
        i++;
    }
    return n > 0 ? x[i] : 0.0;
}

void mr_page_write_degrees(FILE *out, const struct mr_report *report)
{
    double x[2][MR_REPORT_BINS], y[2][MR_REPORT_BINS];
    const size_t n_in = mr_page_cumulate(&report->in, 0x1p32, x[0], y[0]);
    const size_t n_out = mr_page_cumulate(&report->out, 0x1p32, x[1], y[1]);
    const struct mr_series series[] = {{"links to a page", x[0], y[0], n_in},
                                       {"links on a page", x[1], y[1], n_out}};

    (void)fputs("<section><h2>How many links pages have</h2>\n"
                "<p>The share of pages with at least so many links, among pages with links. A "
                "straight line is a power law, as web graphs have it.</p>\n",
                out);
    mr_chart_lines(out,
                   &(struct mr_chart){"degrees",
                                      "Share of pages by number of links, both axes "
                                      "logarithmic",
                                      "links", "share of pages", true, true, series, 2, false});
    (void)fputs("<div class=\"wide\"><table><tr><th class=\"name\">pages</th><th>links to "
                "them</th><th>links on them</th></tr>\n",
                out);
    static const double shares[] = {0.5, 0.1, 0.01, 0.001};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        (void)fprintf(out,
                      "<tr><td class=\"name\">the best-linked %g%% have at least</td><td>%.0f</td>"
                      "<td>%.0f</td></tr>\n",
                      100.0 * shares[i], value_at(x[0], y[0], n_in, shares[i]),
                      value_at(x[1], y[1], n_out, shares[i]));
    }
    (void)fputs("</table></div></section>\n", out);
}

/* Whether the last column of the map is empty. */
static bool has_empty_end(const struct mr_report *report)
{
    for (unsigned row = 0; row < MR_REPORT_MAP; row++) {
        if (report->map[row * MR_REPORT_MAP + MR_REPORT_MAP - 1] > 0) {
            return false;
        }
    }
    return true;
}

void mr_page_write_map(FILE *out, const struct mr_report *report)
{
    const uint64_t n_edges = mr_store_get_info(report->store)->n_edges;

    (void)fprintf(
        out,
        "<section><h2>Where links go</h2>\n<p>Rows are pages that are linked to, columns "
        "pages with links, both in the order of the store, %d parts each. Cells "
        "of full colour have most links. %.1f%% of the links stay in one cell of the diagonal: the "
        "nearer links are to it, the smaller the store and the faster a ranking.%s</p>\n",
        MR_REPORT_MAP, mr_page_share(report->near_links, n_edges),
        has_empty_end(report) ? " Pages without links come last, so the right is empty." : "");
    mr_chart_map(
        out, &(struct mr_chart_cells){"links", "Map of links: rows of targets, columns of sources",
                                      "source", "target", report->map, MR_REPORT_MAP, NULL});
    (void)fputs("</section>\n", out);
}

void mr_page_write_bow_tie(FILE *out, const struct mr_report *report)
{
    static const char *const names[] = {"core: the largest set of pages that all reach each other",
                                        "pages that reach the core", "pages that the core reaches",
                                        "other pages connected with them",
                                        "pages without a connection"};
    const struct mr_components *components = &report->components;
    char number[32];

    if (!report->has_components) {
        return;
    }
    (void)fputs("<section><h2>How the graph hangs together</h2>\n<div class=\"wide\"><table><tr>"
                "<th class=\"name\">part of the bow-tie</th><th>pages</th><th>share</th>"
                "<th class=\"name\"></th></tr>\n",
                out);
    for (int i = 0; i < MR_BOW_TIE_PARTS; i++) {
        const double percent = mr_page_share(components->bow_tie[i], report->n_vertices);
        (void)fprintf(out, "<tr><td class=\"name\">%s</td>", names[i]);
        mr_page_count(out, components->bow_tie[i]);
        (void)fprintf(out, "<td>%.1f%%</td>", percent);
        mr_page_bar(out, percent);
        (void)fputs("</tr>\n", out);
    }
    (void)fprintf(out, "</table></div>\n<p>Connected components: %s strong, ",
                  mr_count_text(components->strong_figures.n_components, number));
    (void)fprintf(out, "%s weak.</p></section>\n",
                  mr_count_text(components->weak_figures.n_components, number));
}
