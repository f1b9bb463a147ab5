#include "cli/program/meta.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/memory.h"
#include "formats/stream/output.h"
#include "millrace/version.h"

static const char meta_suffix[] = ".meta.json";

void mr_meta_run(struct mr_json *json, const struct mr_session *session)
{
    mr_json_texts(json, "argv", session->argv, session->argc);
    mr_json_text(json, "version", MR_VERSION);
    mr_json_count(json, "memory_limit_bytes", session->memory_limit);
    mr_json_count(json, "memory_peak_bytes", mr_memory_peak(session->context.memory));
    mr_json_count(json, "peak_rss_bytes", mr_session_peak_bytes());
}

void mr_meta_store(struct mr_json *json, const char *path, const struct mr_store_info *info)
{
    mr_json_text(json, "store", path);
    mr_json_id(json, "store_id", info->store_id);
    mr_json_id(json, "graph_id", info->graph_id);
    mr_json_count(json, "vertices", info->n_vertices);
    mr_json_count(json, "edges", info->n_edges);
    mr_json_count(json, "links_bytes", info->links_bytes);
    if (info->n_classes > 1) {
        mr_json_text(json, "links",
                     info->classes == MR_CLASSES_ALL           ? "all"
                     : info->classes == 1u << MR_LINK_INTERNAL ? "internal"
                                                               : "external");
    }
    if (info->weighs_classes) {
        mr_json_real(json, "internal_weight", info->class_weights[MR_LINK_INTERNAL]);
        mr_json_real(json, "external_weight", info->class_weights[MR_LINK_EXTERNAL]);
    }
}

static const char *backend_text(enum mr_queue_backend backend)
{
    switch (backend) {
    case MR_QUEUE_URING:
        return "io_uring";
    case MR_QUEUE_PREAD:
        return "pread";
    case MR_QUEUE_AUTO:
        break;
    }
    return "none"; /* nothing was read */
}

void mr_meta_figures(struct mr_json *json, const struct mr_pass_figures *figures)
{
    mr_json_text(json, "io", backend_text(figures->backend));
    mr_json_flag(json, "direct", figures->direct);
    mr_json_flag(json, "registered_buffers", figures->registered_buffers);
    mr_json_count(json, "threads", figures->threads);
    mr_json_count(json, "edge_visits", figures->edge_visits);
    mr_json_count(json, "bytes_read", figures->bytes_read);
    mr_json_count(json, "degree_bytes_read", figures->degree_bytes_read);
    mr_json_count(json, "pinned_bytes", figures->pinned_bytes);
    mr_json_count(json, "decoded_bytes", figures->decoded_bytes);
    mr_json_count(json, "packed_bytes", figures->packed_bytes);
    mr_json_count(json, "pinned_degree_bytes", figures->pinned_degree_bytes);
    mr_json_real(json, "pass_seconds", figures->seconds);
    mr_json_real(json, "wait_seconds", figures->wait_seconds);
}

static enum mr_status write_file(struct mr_session *session, const char *text, const char *path,
                                 struct mr_error *err)
{
    struct mr_output *output = NULL;

    enum mr_status status = mr_output_open(&session->context, path, true, &output, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_output_write(output, text, strlen(text), err);
    if (status != MR_OK) {
        mr_output_abandon(output);
        return status;
    }
    return mr_output_commit(output, err);
}

enum mr_status mr_meta_write(struct mr_session *session, const struct mr_json *json,
                             const char *path, struct mr_error *err)
{
    char *text = NULL;
    char *meta_path = NULL;
    struct stat info;
    enum mr_status status;

    if (mr_is_standard_output(path) || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return MR_OK;
    }
    status = mr_json_dump(json, &text, err);
    if (status != MR_OK) {
        return status;
    }
    const size_t path_bytes = strlen(path);
    meta_path = malloc(path_bytes + sizeof meta_suffix);
    if (meta_path == NULL) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a file name");
        goto out;
    }
    memcpy(meta_path, path, path_bytes);
    memcpy(meta_path + path_bytes, meta_suffix, sizeof meta_suffix);
    status = write_file(session, text, meta_path, err);
out:
    free(meta_path);
    free(text);
    return status;
}
