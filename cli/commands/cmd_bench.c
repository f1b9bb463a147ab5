/* SPDX-License-Identifier: Apache-2.0 */
/* millrace bench: measures how fast this machine passes over a store, and which part limits it.
 * engine/pass/store_speed.h measures; this file prints. The result tells a user whether a faster
 * disk or more threads would help. */
#include <math.h>

#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "cli/report/plot.h"
#include "engine/pass/store_speed.h"
#include "engine/store/store.h"

struct bench_flags {
    struct mr_common_flags common;
    uint64_t rounds;
    int precision;
    const char *plot;
};

static const struct bench_flags defaults = {.common = MR_COMMON_DEFAULTS, .rounds = 5};

static const struct mr_option bench_options[] = {
    {.name = "rounds",
     .type = MR_OPTION_COUNT,
     .offset = offsetof(struct bench_flags, rounds),
     .value = "N",
     .least = 1,
     .most = 99,
     .help = "Number of measurements for each median. Default 5."},
    {.name = "precision",
     .type = MR_OPTION_CHOICE,
     .offset = offsetof(struct bench_flags, precision),
     .choices = "single|double",
     .help = "Type of the values that a pass adds up. Default single."},
    MR_PLOT_OPTION(offsetof(struct bench_flags, plot),
                   "Also write a picture of the times to FILE, such as speed.svg: a bar for each."),
    {0}};

static const char *backend_text(enum mr_queue_backend backend)
{
    return backend == MR_QUEUE_URING ? "io_uring" : "pread";
}

static void print_row(const char *label, double ns, double bytes_per_link)
{
    if (isnan(ns)) {
        printf("%-20s%10s\n", label, "-");
    } else if (bytes_per_link > 0) {
        printf("%-20s%10.3f%10.2f\n", label, ns, bytes_per_link / ns);
    } else {
        printf("%-20s%10.3f\n", label, ns);
    }
}

/* Returns the time per edge that the builder predicted for decoding and adding, with all threads
 * at work. */
static double predicted_ns(const struct mr_store_info *info, unsigned threads)
{
    const struct mr_pass_cost cost = mr_pass_cost_of(info);
    return 1e-3 * (double)(cost.keys_ps + cost.corners_ps) / (double)info->n_edges / threads;
}

static void print_text(const struct mr_store_info *info, const struct mr_store_speed *speed)
{
    const double bytes = (double)info->links_bytes / (double)info->n_edges;
    const char *limit;
    const double limit_ns = mr_store_speed_limit(speed, &limit);
    char links[32];

    printf("%s links, %.3f bytes each; %u threads, %s, %s%s; medians of %u\n",
           mr_count_text(info->n_edges, links), bytes, speed->threads, speed->decoder,
           backend_text(speed->backend), speed->direct ? ", O_DIRECT" : "", speed->rounds);
    printf("%-20s%10s%10s\n", "", "ns/link", "GB/s");
    print_row("disk", speed->disk_ns, bytes);
    print_row("checksums", speed->checksum_ns, bytes);
    if (speed->decompress_ns > 0) {
        print_row("zstd", speed->decompress_ns, bytes);
    }
    print_row("decoding", speed->decode_ns, 0);
    print_row("adding", speed->add_ns, 0);
    print_row("decoding + adding", speed->apply_ns, 0);
    print_row("  as predicted", predicted_ns(info, speed->threads), 0);
    print_row(speed->is_decoded ? "pass, links decoded" : "pass from memory", speed->pinned_ns,
              bytes);
    print_row("pass from disk", speed->cold_ns, bytes);
    printf("limit: %s; a pass from disk runs at %.2f of the speed of this limit, and its threads "
           "wait for the disk in %.0f%% of their time\n",
           limit, limit_ns / speed->cold_ns, 100 * speed->cold_wait_share);
}

static enum mr_status draw(struct mr_session *session, const char *path,
                           const struct mr_store_speed *speed, struct mr_error *err)
{
    const struct mr_bar bars[] = {
        {"disk", speed->disk_ns},
        {"checksums", speed->checksum_ns},
        {"zstd", speed->decompress_ns > 0 ? speed->decompress_ns : (double)NAN},
        {"decoding", speed->decode_ns},
        {"adding", speed->add_ns},
        {"decoding + adding", speed->apply_ns},
        {speed->is_decoded ? "pass, links decoded" : "pass from memory", speed->pinned_ns},
        {"pass from disk", speed->cold_ns}};
    struct mr_picture picture = {0};

    enum mr_status status = mr_plot_bars("Time per link of each part of a pass", "ns per link",
                                         bars, sizeof bars / sizeof *bars, &picture, err);
    if (status == MR_OK) {
        status = mr_picture_write(session, &picture, path, err);
    }
    mr_picture_free(&picture);
    return status;
}

static enum mr_status print_json(const char *path, const struct mr_store_info *info,
                                 const struct mr_store_speed *speed, struct mr_error *err)
{
    struct mr_json json = mr_json_create();
    const char *limit;
    const double limit_ns = mr_store_speed_limit(speed, &limit);

    mr_json_text(&json, "store", path);
    mr_json_count(&json, "edges", info->n_edges);
    mr_json_count(&json, "links_bytes", info->links_bytes);
    mr_json_count(&json, "threads", speed->threads);
    mr_json_count(&json, "rounds", speed->rounds);
    mr_json_text(&json, "decoder", speed->decoder);
    mr_json_text(&json, "io", backend_text(speed->backend));
    mr_json_flag(&json, "direct", speed->direct);
    mr_json_flag(&json, "registered_buffers", speed->registered_buffers);
    mr_json_real(&json, "disk_ns", speed->disk_ns);
    mr_json_real(&json, "checksum_ns", speed->checksum_ns);
    mr_json_real(&json, "decompress_ns", speed->decompress_ns);
    mr_json_real(&json, "decode_ns", speed->decode_ns);
    mr_json_real(&json, "add_ns", speed->add_ns);
    mr_json_real(&json, "apply_ns", speed->apply_ns);
    mr_json_real(&json, "predicted_apply_ns", predicted_ns(info, speed->threads));
    mr_json_real(&json, "pinned_pass_ns", speed->pinned_ns);
    mr_json_flag(&json, "pinned_decoded", speed->is_decoded);
    mr_json_real(&json, "cold_pass_ns", speed->cold_ns);
    mr_json_real(&json, "cold_wait_share", speed->cold_wait_share);
    mr_json_text(&json, "limit", limit);
    mr_json_real(&json, "limit_ns", limit_ns);
    const enum mr_status status = mr_json_print(&json, stdout, err);
    mr_json_destroy(&json);
    return status;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct bench_flags *flags = data;
    const enum mr_value value = flags->precision == 0 ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE;
    const struct mr_store_speed_options options = {.struct_size = sizeof options,
                                                   .rounds = (unsigned)flags->rounds,
                                                   .value = value,
                                                   .backend = session->backend};
    struct mr_store_speed speed;
    struct mr_store *store = NULL;

    enum mr_status status = mr_store_open(&session->context, parsed->operands[0], &store, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_store_info *info = mr_store_get_info(store);
    if (flags->common.estimate) {
        const struct mr_pass_options pass = {.struct_size = sizeof pass};
        const struct mr_estimate estimate = {.memory_bytes = mr_session_peak_bytes() +
                                                             mr_pass_minimum_memory(info, &pass) +
                                                             8 * mr_pass_vector_length(info),
                                             .passes = 3.0 * (double)flags->rounds};
        status = mr_session_estimate(session, &estimate, err);
    } else {
        status = mr_store_speed_measure(&session->context, store, &options, &speed, err);
        if (status == MR_OK && flags->common.json) {
            status = print_json(parsed->operands[0], info, &speed, err);
        } else if (status == MR_OK) {
            print_text(info, &speed);
        }
        if (status == MR_OK && flags->plot != NULL) {
            status = draw(session, flags->plot, &speed, err);
        }
    }
    mr_store_close(store);
    return status;
}

const struct mr_command mr_command_bench = {
    .name = "bench",
    .summary = "measure the speed of a pass over a store, and what limits it",
    .usage = "bench STORE [OPTIONS]",
    .text =
        "Measures, one at a time and in nanoseconds per link: reading the links from disk, their "
        "checksums, decompression, decoding, and adding up values along them. Then measures whole "
        "passes, from memory (- if --memory cannot hold all links) and from disk. In a pass, "
        "decoding and adding overlap. The predicted time of both is what the builder used to "
        "choose encodings; it is the same on every machine. Run nothing else meanwhile.",
    .examples = "  millrace bench web.mill\n"
                "  millrace bench web.mill --threads 1 --json\n",
    .groups = {{.title = "Options", .options = bench_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("tmp")},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    .run = run,
};
