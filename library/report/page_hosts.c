/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a report about hosts: the best ones with a map of their links, and those that
 * look like the target of a link farm, because few other hosts give them nearly all of their
 * links. */
#include <stdlib.h>

#include "library/report/chart.h"
#include "library/report/page.h"

enum { FARM_LINKS = 100, FARM_PERCENT = 90 };

static enum mr_status write_name(FILE *out, const struct mr_report *report, uint32_t host,
                                 struct mr_error *err)
{
    char *name = NULL;
    const char *scheme;
    const enum mr_status status = mr_report_host_name(report, host, &name, &scheme, err);

    if (status == MR_OK) {
        mr_page_url(out, scheme, name);
    }
    free(name);
    return status;
}

enum mr_status mr_page_host_name(FILE *out, const struct mr_report *report, uint32_t host,
                                 struct mr_error *err)
{
    (void)fputs("<td class=\"name\">", out);
    const enum mr_status status = write_name(out, report, host, err);
    (void)fputs("</td>", out);
    return status;
}

/* ---- The best hosts ---- */

/* The map of links between the first of them. */
static enum mr_status write_map(FILE *out, const struct mr_report *report, struct mr_error *err)
{
    const unsigned side = report->host_map_side;
    char *names[MR_REPORT_HOST_MAP] = {NULL};
    const char *scheme;
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < side && status == MR_OK; i++) {
        status = mr_report_host_name(report, report->best_hosts[i], &names[i], &scheme, err);
    }
    if (status == MR_OK) {
        (void)fputs("<h3>Links between these hosts</h3>\n<p>A row is a host that is linked to, a "
                    "column a host with links. Links inside a host are on the diagonal. Cells of "
                    "full colour have most links.</p>\n",
                    out);
        mr_chart_map(out, &(struct mr_chart_cells){"hosts", "Map of links between hosts", "source",
                                                   "target", report->host_map, side, names});
    }
    for (unsigned i = 0; i < side; i++) {
        free(names[i]);
    }
    return status;
}

enum mr_status mr_page_write_hosts(FILE *out, const struct mr_report *report, struct mr_error *err)
{
    const bool scored = report->n_scores > 0;
    enum mr_status status = MR_OK;

    if (scored) {
        (void)fputs("<section><h2>Hosts</h2>\n<p>The hosts whose pages together have most score in "
                    "<code>",
                    out);
        mr_page_path(out, report->scores[0].path);
        (void)fputs("</code>.</p>\n", out);
    } else {
        (void)fputs("<section><h2>Hosts</h2>\n<p>The hosts with most pages.</p>\n", out);
    }
    (void)fprintf(out,
                  "<div class=\"wide\"><table><tr><th class=\"name\">host</th>%s<th>pages</th>"
                  "<th>links from others</th><th>links to others</th></tr>\n",
                  scored ? "<th>score</th>" : "");
    for (unsigned i = 0; i < report->n_best_hosts && status == MR_OK; i++) {
        const struct mr_report_host *host = &report->hosts[report->best_hosts[i]];
        (void)fputs("<tr>", out);
        status = mr_page_host_name(out, report, report->best_hosts[i], err);
        if (scored) {
            (void)fprintf(out, "<td>%.4g</td>", host->score);
        }
        mr_page_count(out, host->pages);
        mr_page_count(out, host->links_in);
        mr_page_count(out, host->links_out);
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</table></div>\n", out);
    if (status == MR_OK) {
        status = write_map(out, report, err);
    }
    (void)fputs("</section>\n", out);
    return status;
}

/* ---- Link farms ---- */

/* The fewest givers that give nine of ten links; 0 where all of them together give less. */
static unsigned farm_givers(const struct mr_report_host *host, uint64_t *links)
{
    uint64_t sum = 0;
    unsigned n = 0;

    while (n < MR_REPORT_GIVERS && 100 * sum < FARM_PERCENT * host->links_in) {
        sum += host->givers[n++].links;
    }
    *links = sum;
    return sum >= FARM_LINKS && 100 * sum >= FARM_PERCENT * host->links_in ? n : 0;
}

static double by_few_givers(const struct mr_report_host *host)
{
    uint64_t links = 0;
    return farm_givers(host, &links) > 0 ? (double)links : 0.0;
}

static enum mr_status write_farm(FILE *out, const struct mr_report *report, uint32_t host,
                                 struct mr_error *err)
{
    const struct mr_report_host *farm = &report->hosts[host];
    uint64_t links = 0;
    const unsigned n = farm_givers(farm, &links);

    (void)fputs("<tr>", out);
    enum mr_status status = mr_page_host_name(out, report, host, err);
    (void)fputs("<td class=\"name\">", out);
    for (unsigned i = 0; i < n && status == MR_OK; i++) {
        (void)fputs(i > 0 ? ", " : "", out);
        status = write_name(out, report, farm->givers[i].host, err);
    }
    (void)fputs("</td>", out);
    mr_page_count(out, farm->links_in);
    (void)fprintf(out, "<td>%.0f%%</td></tr>\n", mr_page_share(links, farm->links_in));
    return status;
}

enum mr_status mr_page_write_farms(FILE *out, const struct mr_report *report, struct mr_error *err)
{
    uint32_t best[MR_REPORT_TOP + 1];
    const unsigned n = mr_report_best_hosts(report, by_few_givers, best);
    enum mr_status status = MR_OK;

    (void)fprintf(out,
                  "<section><h2>Hosts that few other hosts link to</h2>\n<p>Hosts with at least %d "
                  "links from other hosts, %d%% of them from at most %d hosts. Link farms look "
                  "like this, and so do sites that moved or that belong together.</p>\n",
                  FARM_LINKS, FARM_PERCENT, MR_REPORT_GIVERS);
    if (n == 0) {
        (void)fputs("<p>There is none.</p></section>\n", out);
        return MR_OK;
    }
    (void)fputs("<div class=\"wide\"><table><tr><th class=\"name\">host</th><th class=\"name\">its "
                "links come from</th><th>links from others</th><th>share of these</th></tr>\n",
                out);
    for (unsigned i = 0; i < n && status == MR_OK; i++) {
        status = write_farm(out, report, best[i], err);
    }
    (void)fputs("</table></div></section>\n", out);
    return status;
}
