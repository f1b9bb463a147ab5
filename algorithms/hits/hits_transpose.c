/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a store can be the transpose of another one. It compares the degrees of the
 * vertices, which costs far less than reading edges. */
#include "algorithms/hits/hits.h"
#include "algorithms/hits/hits_rounds.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"

enum mr_status mr_hits_check_sizes(const struct mr_store *store, const struct mr_store *transpose,
                                   struct mr_error *err)
{
    const struct mr_store_info *a = mr_store_get_info(store), *b = mr_store_get_info(transpose);

    if (a->n_vertices == b->n_vertices && a->n_edges == b->n_edges) {
        return MR_OK;
    }
    return mr_error_set(err, MR_ERROR_INPUT,
                        "%s is not the reverse of %s: it has %llu pages and %llu links instead "
                        "of %llu and %llu; make one with 'millrace transpose'",
                        mr_store_path(transpose), mr_store_path(store),
                        (unsigned long long)b->n_vertices, (unsigned long long)b->n_edges,
                        (unsigned long long)a->n_vertices, (unsigned long long)a->n_edges);
}

struct degree_job {
    bool is_reversed;
    uint64_t *sums; /* [n_bands] */
};

static void hash_degrees(void *data, const struct mr_pass_band *band)
{
    const struct degree_job *job = data;
    const uint32_t *first = job->is_reversed ? band->in_degree : band->out_degree;
    const uint32_t *second = job->is_reversed ? band->out_degree : band->in_degree;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint64_t degrees = (uint64_t)first[i] << 32 | second[i];
        sum += mr_random_mix(mr_random_mix(band->first_vertex + (uint64_t)i + 1) ^
                             degrees * MR_RANDOM_GOLDEN);
    }
    job->sums[band->band] = sum;
}

/* The sum over all vertices of a hash of the vertex and its degrees. */
static enum mr_status degree_hash(const struct mr_context *context, struct mr_store *store,
                                  bool is_reversed, uint64_t *hash, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_pass_options options = {.struct_size = sizeof options, .no_pinning = true};
    struct mr_pass *pass = NULL;
    struct degree_job job = {.is_reversed = is_reversed};

    *hash = 0;
    enum mr_status status = mr_memory_array(context->memory, "sums of bands",
                                            (uint64_t)info->n_bands + 1, &job.sums, err);
    if (status == MR_OK) {
        status = mr_pass_open(context, store, &options, &pass, err);
    }
    const struct mr_pass_task run = {.value = MR_VALUE_DOUBLE,
                                     .out_degrees = true,
                                     .in_degrees = true,
                                     .degrees_only = true,
                                     .callback = hash_degrees,
                                     .callback_data = &job};
    if (status == MR_OK) {
        status = mr_pass_run(pass, &run, err);
    }
    for (uint32_t b = 0; status == MR_OK && b < info->n_bands; b++) {
        *hash += job.sums[b];
    }
    mr_pass_close(pass);
    mr_memory_free(context->memory, job.sums);
    return status;
}

enum mr_status mr_hits_check_transpose(const struct mr_context *context, struct mr_store *store,
                                       struct mr_store *transpose, struct mr_error *err)
{
    uint64_t hash, reversed;

    enum mr_status status = mr_hits_check_sizes(store, transpose, err);
    if (status != MR_OK || mr_store_get_info(store)->n_vertices == 0) {
        return status;
    }
    status = degree_hash(context, store, false, &hash, err);
    if (status == MR_OK) {
        status = degree_hash(context, transpose, true, &reversed, err);
    }
    if (status == MR_OK && hash != reversed) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "%s is not the reverse of %s: the degrees of its pages differ; make "
                            "one with 'millrace transpose'",
                            mr_store_path(transpose), mr_store_path(store));
    }
    return status;
}
