/* SPDX-License-Identifier: Apache-2.0 */
/* How files of links become a store: what the flags of the program say, which its table of options
 * writes here, and what the options of the public face say. Every file of the import reads them. */
#ifndef MR_LIBRARY_IMPORT_OPTIONS_H
#define MR_LIBRARY_IMPORT_OPTIONS_H

#include "engine/builder/build.h"
#include "formats/graph_format.h"

struct mr_store_info;

/* Of several dated captures of a page in the inputs. */
enum mr_captures_wanted { MR_CAPTURES_NEWEST, MR_CAPTURES_ALL };

/* Which column links to the other. */
struct mr_columns_wanted {
    bool is_said;
    enum mr_edge_columns order;
    const char *names; /* of a table: SOURCE,TARGET[,WEIGHT], or NULL */
};
/* The format called `text`, a name of formats/graph_format.h, or NULL for "auto". Errors: USAGE
 * naming those there are. */
enum mr_status mr_format_choose(const char *text, const struct mr_graph_format **out,
                                struct mr_error *err) MR_WARN_UNUSED;
/* The sum of enum mr_link_kind for names with commas between. Errors: USAGE naming them. */
enum mr_status mr_link_kinds_choose(const char *text, unsigned *kinds,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* The meaning of "source-target", "target-source" or columns of a table. Keeps `text`. */
enum mr_status mr_columns_choose(const char *text, struct mr_columns_wanted *columns,
                                 struct mr_error *err) MR_WARN_UNUSED;

struct mr_import_options {
    bool force; /* replace an existing store */
    struct mr_publish_group *together; /* as in struct mr_build_options */
    const struct mr_graph_format *format; /* NULL: by content */
    struct mr_columns_wanted columns;
    char separator; /* between the columns of a table; '\0': the lines decide */
    const char *where; /* COLUMN=VALUE of the rows of a table to read, or NULL */
    bool undirected, directed; /* of each link its reverse, too; none, whatever an input says */
    int duplicates; /* 0 merge, 1 keep, -1: not said, which is merge */
    int self_loops; /* 0 keep, 1 drop */
    uint64_t vertices; /* UINT64_MAX: not said */
    const char *vertices_from; /* file of a vertex list, or NULL */
    const char *names_from; /* file of names of numbered vertices, or NULL */
    unsigned link_kinds; /* 0: not said */
    bool drop_nofollow;
    enum mr_outlinks outlinks_from;
    enum mr_captures_wanted captures;
    const char *profile, *rules; /* or NULL; see mr_profile_choose */
    enum mr_class_rule class_rule;
    int zstd_level; /* 0: plain */
    enum mr_encoding encoding;
    bool transpose;
    enum mr_weights_wanted weights;
    const char *ignores_weights; /* why weights are not wanted, for a note; NULL: no --weights */
    enum mr_bad_lines bad_lines;
    uint64_t max_bad; /* 0: not said */
    /* NULL, or the store that the links are for: by its names, and its flags instead of those
     * above. */
    const struct mr_store_info *onto;
    const char *onto_path; /* where that is */
    const char *const *seeds; /* [n_seeds]: lists of vertices that are added */
    size_t n_seeds;
    struct mr_vertex_set *fetched; /* NULL, or for struct mr_build_options */
    bool replaces; /* the links of a page replace others: the inputs must have all of them */
};

/* The note that there are weights, and nobody wants them: `ignores_weights` says why; NULL: no
 * --weights. */
void mr_import_note_weights(const struct mr_context *context, const char *ignores_weights);

#define MR_IMPORT_DEFAULTS                                                                         \
    {                                                                                              \
        .duplicates = -1, .vertices = UINT64_MAX                                                   \
    }

/* What rows of an input of this format have; NULL is none. */
static inline enum mr_graph_rows mr_rows_of(const struct mr_graph_format *format)
{
    return format != NULL ? format->rows : MR_ROWS_OTHER;
}

#endif
