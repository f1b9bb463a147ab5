/* Text edge lists and vertex lists into a builder.
 *
 * Edge lists are lines of two endpoints; further columns are ignored and counted.
 *
 * Numbers (ids SPARSE or DENSE): unsigned decimal below 2^64, separated by blanks, tabs and at most
 * one comma ("1 2", "1<TAB>2", "1,2", "1 , 2"). '#' or '%' begins a comment anywhere on a line.
 * This reads SNAP, GAP .el, Graphalytics .e and CSV.
 *
 * Names (ids TEXT): a name is a run of bytes other than blank, tab and line end; commas, '#' and
 * '%' belong to it, since URLs have them. So a comment is a line that begins with '#' or '%' followed
 * by a blank, a tab or its end. Names with blanks in them must have been escaped (%20) by who wrote
 * them.
 *
 * Blank lines are skipped; CR LF is a line end. A line that is none of this is a bad line. */
#ifndef MR_FORMATS_GRAPH_EDGE_TEXT_H
#define MR_FORMATS_GRAPH_EDGE_TEXT_H

#include "engine/build/build.h"
#include "formats/graph/link_kinds.h"
#include "formats/stream/input.h"

enum mr_edge_columns { MR_COLUMNS_SOURCE_TARGET, MR_COLUMNS_TARGET_SOURCE };
enum mr_bad_lines { MR_BAD_LINES_FAIL, MR_BAD_LINES_SKIP };

/* What to do about a bad line: among good ones, and where there are no others. */
#define MR_ADVICE_SKIP    "skip such lines with --bad-lines skip"
#define MR_ADVICE_ALL_BAD "no line is any better: check the file and its --format"

struct mr_edge_text_options {
    size_t struct_size; /* sizeof(struct mr_edge_text_options) */
    enum mr_id_kind ids; /* the builder's */
    uint64_t n_vertices; /* DENSE: the builder's */
    enum mr_edge_columns columns;
    enum mr_bad_lines bad_lines; /* the first SKIPped ones are noted */
    uint64_t max_bad; /* SKIP: more than this in all inputs is an error; 0: no limit */
    uint64_t bytes_before; /* for progress over several inputs: bytes of the earlier ones, */
    unsigned link_kinds; /* crawls: a sum of enum mr_link_kind; 0: MR_LINKS_DEFAULT */
    bool drop_nofollow; /* WAT: not the links with rel=nofollow */
    uint64_t bytes_total; /* of all; 0: this input's own */
};

/* What was read. Each call adds to it: zero it before the first of several inputs. */
struct mr_edge_text_summary {
    uint64_t lines; /* = comments + blank + bad_lines + edges (or vertices) */
    uint64_t comments;
    uint64_t blank;
    uint64_t edges;
    uint64_t vertices; /* by mr_vertex_list_read */
    uint64_t bad_lines;
    uint64_t extra_columns; /* lines whose third and further columns were ignored */
    uint64_t other_kinds; /* links and lines of crawls left out, as link_kinds lacks their kind */
};

/* Hand all edges of `input`, from where it stands, to `build`. Errors: INPUT at FILE:LINE for a bad
 * line, an id the builder does not know, a damaged file; whatever the builder returns. Reports
 * progress "parse". 50-60 M lines/s of numbers (14 bytes each) and 1 GB/s of names on one core. */
enum mr_status mr_edge_text_read(const struct mr_context *context, struct mr_input *input,
                                 struct mr_build *build, const struct mr_edge_text_options *options,
                                 struct mr_edge_text_summary *summary,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* A vertex list: one id or name per line, by the same rules; further columns ignored and counted.
 * Declares each to `build` (ids SPARSE: mr_build_vertex; TEXT: mr_build_name) and does not freeze,
 * so that there can be several lists: call mr_build_freeze after the last. `options->columns` and
 * `n_vertices` do not matter; `ids` must not be DENSE. */
enum mr_status mr_vertex_list_read(const struct mr_context *context, struct mr_input *input,
                                   struct mr_build *build,
                                   const struct mr_edge_text_options *options,
                                   struct mr_edge_text_summary *summary,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* The two numbers that an edge list begins with (mr_input_peek), behind comments and blank lines. False: it does not. */
bool mr_edge_text_first_row(const char *data, size_t bytes, uint64_t row[2]);

/* What the beginning of an edge list (mr_input_peek) holds: MR_IDS_SPARSE when the first two fields
 * of its first line that is neither blank nor a comment are numbers, or those of the next such line
 * are (the first being a header, which will be reported as a bad line); else MR_IDS_TEXT. Nothing
 * but comments is SPARSE. The same over one column serves vertex lists: `n_fields` 1 or 2. */
enum mr_id_kind mr_edge_text_detect(const char *data, size_t bytes, unsigned n_fields);

#endif
