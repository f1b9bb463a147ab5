/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the scores of hosts or domains to pages, for `precedence --mix`. Such scores come from a
 * folded store, with reversed names, or from elsewhere, with names as people write them. A first
 * reading of the pages finds out which of the two a file has: com.org can be a host or a reversed
 * one, but a whole file is one or the other. A second reading adds the scores. */
#include "cli/levels/levels_file.h"

#include "formats/score/precedence_file.h"
#include "formats/url/host.h"

struct host_mix {
    const struct mr_row_table *table;
    struct mr_host_groups *groups;
    const double *scores; /* of the hosts */
    double factor;
    double *mixed;
    uint64_t n;
    bool adds, reversed; /* second reading */
    uint64_t n_forward, n_reversed; /* pages whose host was found either way */
    char host[MR_HOST_MAX_BYTES], turned[MR_HOST_MAX_BYTES];
};

/* A mr_score_row_take. */
static enum mr_status visit(void *data, uint64_t row, const char *name, size_t name_bytes,
                            struct mr_error *err)
{
    struct host_mix *mix = data;
    uint32_t host;

    (void)err;
    if (!mix->adds || !mix->reversed) {
        const size_t bytes = mr_host_group(mix->groups, name, name_bytes, mix->host);
        const bool found = bytes > 0 && mr_row_table_find(mix->table, mix->host, bytes, &host);
        mix->n_forward += found;
        if (mix->adds && found && row < mix->n) {
            mix->mixed[row] += mix->factor * mix->scores[host];
        }
    }
    if (!mix->adds || mix->reversed) {
        const size_t bytes = mr_host_group_reversed(mix->groups, name, name_bytes, mix->turned);
        const bool found = bytes > 0 && mr_row_table_find(mix->table, mix->turned, bytes, &host);
        mix->n_reversed += found;
        if (mix->adds && found && row < mix->n) {
            mix->mixed[row] += mix->factor * mix->scores[host];
        }
    }
    return MR_OK;
}

static enum mr_status add_scores(struct mr_session *session, struct host_mix *mix,
                                 struct mr_score_file *pages, const char *path,
                                 struct mr_error *err)
{
    char count[64];
    enum mr_status status = mr_score_file_visit(pages, visit, mix, err);

    if (status != MR_OK) {
        return status;
    }
    const uint64_t found = mix->n_forward > mix->n_reversed ? mix->n_forward : mix->n_reversed;
    if (found == 0 && mix->n > 0) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "has no host of these pages; its names must be hosts, such as "
                             "www.example.org or org.example.www");
    }
    mix->reversed = mix->n_reversed > mix->n_forward;
    mix->adds = true;
    status = mr_score_file_visit(pages, visit, mix, err);
    if (status == MR_OK && found < mix->n) {
        mr_session_say(session, "note: %s without a host in %s count as 0 there",
                       mr_count_of_text(mix->n - found, "page", count), path);
    }
    return status;
}

enum mr_status mr_mix_hosts(struct mr_session *session, struct mr_score_file *pages,
                            const struct mr_canonical *canonical, const char *path,
                            const char *column, enum mr_mix_kind kind, double weight, double *mixed,
                            uint64_t n, struct mr_error *err)
{
    struct mr_row_table *table = NULL;
    struct mr_score_file *file = NULL;
    struct host_mix mix = {.mixed = mixed,
                           .n = n,
                           .groups = mr_host_groups_open(canonical, kind == MR_MIX_DOMAINS
                                                                        ? MR_FOLD_BY_DOMAIN
                                                                        : MR_FOLD_BY_HOST)};
    uint64_t n_hosts = 0;
    double best = 0;

    if (mix.groups == NULL) {
        return mr_host_groups_error(err);
    }
    enum mr_status status = mr_score_file_open(&session->context, path, column, 0, &file, err);
    if (status == MR_OK) {
        status = mr_row_table_open(&session->context, file, &table, err);
    }
    if (status == MR_OK) {
        mix.scores = mr_score_file_scores(file, &n_hosts);
        for (uint64_t i = 0; i < n_hosts; i++) {
            best = mix.scores[i] > best ? mix.scores[i] : best;
        }
        mix.table = table;
        mix.factor = best > 0 ? weight / best : 0;
        status = add_scores(session, &mix, pages, path, err);
    }
    mr_row_table_close(table);
    mr_score_file_close(file);
    mr_host_groups_close(mix.groups);
    return status;
}
