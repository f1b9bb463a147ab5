/* SPDX-License-Identifier: Apache-2.0 */
/* Adds files of edges to a store. It builds the new edges as a small temporary store first, so that
 * it reads inputs as a build does. The store changes in one step. */
#include "engine/base/sort.h"
#include "engine/builder/append.h"
#include "engine/builder/store_edges.h"
#include "engine/scan/edges.h"
#include "formats/pages/page_list.h"
#include "formats/url/host.h"
#include "formats/url/surt.h"
#include "library/import/import_files.h"

enum mr_status mr_append_check_options(const struct mr_import_options *import,
                                       const struct mr_store_append_options *options,
                                       size_t n_inputs, struct mr_error *err)
{
    const char *name = import->undirected        ? "--undirected"
                       : import->duplicates >= 0 ? "--duplicates"
                       : import->self_loops != 0 ? "--self-loops"
                       : import->transpose       ? "--transpose"
                       : import->profile != NULL ? "--profile"
                       : import->rules != NULL   ? "--rule"
                       : import->class_rule != 0 ? "--classes"
                                                 : NULL;
    if (name != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "append: the build of the store fixed %s; leave it out", name);
    }
    if (n_inputs == 0 && options->n_gone == 0 && options->n_seeds == 0 && options->n_without == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "append: needs an input file (- for standard input), --gone FILE or "
                            "--seeds FILE; 'millrace help append' shows how");
    }
    if (options->replace && n_inputs == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--replace needs an input with the new links; leave it out");
    }
    return options->drop_unlinked && options->n_gone == 0
               ? mr_error_set(err, MR_ERROR_USAGE,
                              "--drop-unlinked drops gone pages; say which with --gone FILE")
               : MR_OK;
}

/* Sets the options of the append. The caller closes their name_group_data with
 * mr_host_groups_close, also after an error. */
static enum mr_status resolve(const struct mr_store_info *info,
                              const struct mr_import_options *import,
                              const struct mr_store_append_options *wanted, bool has_input,
                              struct mr_append_options *options, struct mr_error *err)
{
    const int zstd_level = import->zstd_level;

    *options = (struct mr_append_options){
        .name_key = info->name_kind == MR_NAMES_TEXT ? mr_name_key_of(info->name_key_number) : NULL,
        .zstd_level = zstd_level == MR_ZSTD_LEVEL_OF_STORE ? info->zstd_level : zstd_level,
        .encoding = import->encoding,
        .replaces = wanted->replace,
        .drops_unlinked = wanted->drop_unlinked,
        .without_delta = !has_input,
        .together = import->together};
    struct mr_host_groups *groups = NULL;
    /* The new edges get the same classes. */
    const enum mr_status status = mr_host_groups_of_store(info, &groups, err);
    options->name_group = groups != NULL ? mr_host_group : NULL;
    options->name_group_data = groups;
    return status;
}

/* Builds a temporary store of the new edges, or without `wanted` of edges that go. */
static enum mr_status build_delta(const struct mr_context *context, const char *path,
                                  const char *const *inputs, size_t n_inputs,
                                  const struct mr_import_options *given,
                                  const struct mr_store_append_options *wanted,
                                  struct mr_append *append, struct mr_vertex_set *fetched,
                                  struct mr_import_summary *summary, struct mr_error *err)
{
    struct mr_import_options import = *given;

    import.force = true;
    import.together = NULL;
    import.onto = mr_append_store(append);
    import.onto_path = path;
    import.weights = MR_WEIGHTS_NONE;
    import.ignores_weights = wanted != NULL ? "the store has none" : "links that go need none";
    import.zstd_level = 0; /* the temporary store is read only once */
    import.encoding = MR_ENCODING_KEYS;
    if (wanted != NULL) {
        import.seeds = wanted->seeds;
        import.n_seeds = wanted->n_seeds;
        import.weights = import.onto->has_weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
        import.replaces = wanted->replace;
        import.fetched = wanted->replace || wanted->n_gone > 0 ? fetched : NULL;
    }
    return mr_import_files(context, mr_append_delta_path(append), inputs, n_inputs, &import,
                           summary, err);
}

/* Reads the lists of pages that are gone, as far as the store at `path` has them. */
static enum mr_status read_gone(const struct mr_context *context, const char *path,
                                const struct mr_store_append_options *wanted, uint64_t max_unknown,
                                mr_name_key key, struct mr_page_list *gone, struct mr_error *err)
{
    struct mr_store *store = NULL;
    struct mr_names *names = NULL;

    if (wanted->n_gone == 0) {
        return MR_OK;
    }
    enum mr_status status = mr_store_open(context, path, &store, err);
    if (status == MR_OK) {
        status = mr_names_open(context, store, key, &names, err);
    }
    if (status == MR_OK) {
        status = mr_page_list_read(context, wanted->gone, wanted->n_gone, names,
                                   mr_store_get_info(store), MR_FETCH_WANTS_GONE, 0, max_unknown,
                                   gone, err);
    }
    mr_names_close(names);
    mr_store_close(store);
    return status;
}

/* ---- Links that go ---- */

struct going_links {
    uint32_t *vertices; /* of the store at `path`, by those of the list; MR_LEFT_OUT: it has none */
    uint64_t *keys; /* [n] */
    uint64_t n;
};

static enum mr_status take_going(void *data, const uint32_t (*pairs)[2], const float *weights,
                                 size_t n_pairs, struct mr_error *err)
{
    struct going_links *links = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t from = links->vertices[pairs[i][0]], to = links->vertices[pairs[i][1]];
        if (from != MR_LEFT_OUT && to != MR_LEFT_OUT) {
            links->keys[links->n++] = (uint64_t)from << 32 | to;
        }
    }
    return MR_OK;
}

/* Finds the pages of `list` in the store at `path`. */
static enum mr_status find_vertices(const struct mr_context *context, const char *path,
                                    struct mr_store *list, mr_name_key key, uint32_t *vertices,
                                    struct mr_error *err)
{
    struct mr_store *store = NULL;
    struct mr_names *names = NULL, *listed = NULL;

    enum mr_status status = mr_store_open(context, path, &store, err);
    if (status == MR_OK) {
        status = mr_names_open(context, store, key, &names, err);
    }
    if (status == MR_OK) {
        status = mr_names_open(context, list, key, &listed, err);
    }
    for (uint32_t v = 0; status == MR_OK && v < mr_store_get_info(list)->n_vertices; v++) {
        const char *name = NULL;
        size_t bytes = 0;
        bool found = false;
        status = mr_names_get(listed, v, &name, &bytes, err);
        if (status == MR_OK) {
            status = mr_names_find(names, name, bytes, &vertices[v], &found, err);
            vertices[v] = found ? vertices[v] : MR_LEFT_OUT;
        }
    }
    mr_names_close(listed);
    mr_names_close(names);
    mr_store_close(store);
    return status;
}

/* Reads the links that the store at `path` is to lose, from a store of them in the place of the
 * delta, which is written later. The caller frees links->keys. */
static enum mr_status read_going(const struct mr_context *context, const char *path,
                                 const struct mr_import_options *import,
                                 const struct mr_store_append_options *wanted,
                                 struct mr_append *append, mr_name_key key,
                                 struct going_links *links, struct mr_error *err)
{
    struct mr_import_summary ignored;
    struct mr_store *list = NULL;

    enum mr_status status = build_delta(context, path, wanted->without, wanted->n_without, import,
                                        NULL, append, NULL, &ignored, err);
    if (status == MR_OK) {
        status = mr_store_open(context, mr_append_delta_path(append), &list, err);
    }
    if (status == MR_OK) {
        const struct mr_store_info *info = mr_store_get_info(list);
        const struct mr_memory_wanted arrays[] = {
            MR_WANTED("pages of links that go", info->n_vertices + 1, &links->vertices),
            MR_WANTED("links that go", info->n_edges + 1, &links->keys)};
        status = mr_memory_arrays(context->memory, arrays, err);
    }
    if (status == MR_OK) {
        status = find_vertices(context, path, list, key, links->vertices, err);
    }
    if (status == MR_OK) {
        status = mr_edges_read(context, list, NULL, take_going, links, err);
        mr_sort_u64_in_place(links->keys, links->n);
    }
    mr_memory_free(context->memory, links->vertices);
    mr_store_close(list);
    return status;
}

enum mr_status mr_append_inputs(const struct mr_context *context, const char *path,
                                const char *const *inputs, size_t n_inputs,
                                const struct mr_import_options *import,
                                const struct mr_store_append_options *wanted,
                                struct mr_import_summary *summary,
                                struct mr_store_append_figures *figures, struct mr_error *err)
{
    struct mr_append *append = NULL;
    struct mr_append_options options = {0};
    struct mr_page_list gone[2] = {{0}, {0}}; /* of the store and of the new edges */
    struct mr_vertex_set fetched = {0};
    struct going_links going = {.n = 0};
    const bool has_input = n_inputs > 0 || wanted->n_seeds > 0;

    *summary = (struct mr_import_summary){0};
    enum mr_status status = mr_append_begin(context, path, wanted->to, &append, err);
    if (status == MR_OK) {
        status = resolve(mr_append_store(append), import, wanted, has_input, &options, err);
    }
    if (status == MR_OK) {
        status = mr_append_check(append, &options, wanted->n_gone > 0, err);
    }
    if (status == MR_OK && has_input) {
        status =
            mr_page_list_refuse_pipes("--gone with an input", wanted->gone, wanted->n_gone, err);
    }
    if (status == MR_OK) { /* the lock of the append holds the store as it is */
        status =
            read_gone(context, path, wanted, wanted->max_unknown, options.name_key, &gone[0], err);
    }
    if (status == MR_OK && wanted->n_without > 0) {
        status = read_going(context, path, import, wanted, append, options.name_key, &going, err);
    }
    if (status == MR_OK && has_input) {
        status = build_delta(context, path, inputs, n_inputs, import, wanted, append, &fetched,
                             summary, err);
    }
    if (status == MR_OK && has_input) {
        struct mr_context silent = *context; /* the first reading has noted what there is */
        silent.note = NULL;
        status = read_gone(&silent, mr_append_delta_path(append), wanted, UINT64_MAX,
                           options.name_key, &gone[1], err);
    }
    for (unsigned i = 0; i < 2; i++) {
        options.gone[i] = gone[i].pages;
        options.n_gone[i] = gone[i].n_pages;
    }
    options.without = going.keys;
    options.n_without = going.n;
    options.fetched = fetched.n_vertices > 0 ? &fetched : NULL;
    if (status != MR_OK) {
        mr_append_abandon(append);
    } else {
        status = mr_append_finish(append, &options, figures, err);
    }
    figures->input_edges = summary->build.input_edges;
    figures->bad_lines = summary->text.bad_lines;
    mr_memory_free(context->memory, going.keys);
    mr_page_list_free(&gone[0]);
    mr_page_list_free(&gone[1]);
    mr_vertex_set_destroy(&fetched);
    mr_host_groups_close(options.name_group_data);
    return status;
}
