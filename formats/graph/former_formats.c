/* SPDX-License-Identifier: Apache-2.0 */
/* Formats that Millrace does not read any more. It still detects their files, because most of them
 * look like lines of links: the first line of an SMAT file like a link with a weight, an arc of
 * DIMACS like a link from "a". Each has a command that writes its links as lines. The rows stand in
 * the list of formats/graph_format.c, which refuses them with that command. */
#include <string.h>

#include "engine/base/decimal.h"
#include "engine/io/io.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/output.h"
#include "formats/table/table.h"

/* ---- Words ---- */

static bool is_word(const struct mr_table_field *field, const char *words)
{
    return field->bytes < MR_TABLE_WORD_BYTES && mr_table_is(field, words);
}

static bool is_count(const struct mr_table_field *field, uint64_t *value)
{
    return mr_decimal_whole(field->text, field->text + field->bytes, value);
}

/* The whole numbers in the first `n` fields. */
static bool are_counts(const struct mr_table_row *row, unsigned from, unsigned n, uint64_t *values)
{
    bool are = row->n_fields >= from + n;
    for (unsigned i = 0; i < n && are; i++) {
        are = is_count(&row->fields[from + i], &values[i]);
    }
    return are;
}

/* ---- DIMACS: "p sp N M", then "a U V W"; "p edge N M", then "e U V" ---- */

enum dimacs { NO_DIMACS, ARCS, EDGES, HEADLESS };

static enum dimacs dimacs_of(const struct mr_graph_probe *probe)
{
    struct mr_table_rows rows = mr_table_begin_rows(probe->data, probe->bytes);
    struct mr_table_row row;
    uint64_t counts[2];
    bool is_good;

    while (mr_table_next(&rows, ' ', &row, &is_good)) {
        const struct mr_table_field *first = &row.fields[0];
        if (is_good && is_word(first, " p ") && are_counts(&row, 2, 2, counts)) {
            return is_word(&row.fields[1], " sp max min asn ") ? ARCS : EDGES;
        }
        if (is_good && is_word(first, " a e ") && are_counts(&row, 1, 2, counts)) {
            return HEADLESS;
        }
        if (row.line[0] != 'c') { /* a comment */
            return NO_DIMACS;
        }
    }
    return NO_DIMACS;
}

static bool detect_arcs(const struct mr_graph_probe *probe)
{
    return dimacs_of(probe) == ARCS;
}

static bool detect_edges(const struct mr_graph_probe *probe)
{
    return dimacs_of(probe) == EDGES;
}

static bool detect_headless(const struct mr_graph_probe *probe)
{
    return dimacs_of(probe) == HEADLESS;
}

/* ---- Ligra: its first word, then n, m, n offsets, m targets, perhaps m weights ---- */

static bool begins_with(const struct mr_graph_probe *probe, const char *word)
{
    const size_t length = strlen(word);
    return probe->bytes > length && memcmp(probe->data, word, length) == 0 &&
           strchr(" \t\r\n", probe->data[length]) != NULL;
}

static bool detect_ligra(const struct mr_graph_probe *probe)
{
    return begins_with(probe, "AdjacencyGraph");
}

static bool detect_weighted_ligra(const struct mr_graph_probe *probe)
{
    return begins_with(probe, "WeightedAdjacencyGraph");
}

/* ---- Graphalytics: BASE.v, BASE.e and perhaps BASE.properties ---- */

static bool ends(const char *path, const char *suffix)
{
    const size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static bool detect_graphalytics(const struct mr_graph_probe *probe)
{
    if (ends(probe->path, ".properties")) {
        return memmem(probe->data, probe->bytes, "graph.", 6) != NULL &&
               memmem(probe->data, probe->bytes, ".vertex-file", 12) != NULL;
    }
    char other[4096]; /* no allocation, which could fail and change the format */
    const size_t length = strlen(probe->path);
    if (length >= sizeof other || (!ends(probe->path, ".v") && !ends(probe->path, ".e"))) {
        return false;
    }
    memcpy(other, probe->path, length + 1);
    other[length - 1] = other[length - 1] == 'v' ? 'e' : 'v';
    return mr_io_exists(probe->path) && mr_io_exists(other);
}

/* ---- The others ---- */

static bool detect_wsg(const struct mr_graph_probe *probe)
{
    return mr_output_has_suffix(probe->path, ".wsg");
}

/* SMAT: "ROWS COLUMNS ENTRIES", then as many lines "ROW COLUMN VALUE", counted from 0. */
static bool detect_smat(const struct mr_graph_probe *probe)
{
    struct mr_table_rows rows = mr_table_begin_rows(probe->data, probe->bytes);
    const bool is_named = mr_output_has_suffix(probe->path, ".smat");
    struct mr_table_row row;
    uint64_t head[3], ends_of_row[2], n_rows = 0;
    bool is_good;

    if (!mr_table_next(&rows, ' ', &row, &is_good) || !are_counts(&row, 0, 3, head) ||
        row.n_fields != 3 || (head[0] != head[1] && !is_named)) {
        return false;
    }
    for (; !is_named && mr_table_next(&rows, ' ', &row, &is_good); n_rows++) {
        if (row.n_fields != 3 || !are_counts(&row, 0, 2, ends_of_row) ||
            ends_of_row[0] >= head[0] || ends_of_row[1] >= head[1]) {
            return false;
        }
    }
    return is_named || (n_rows > 0 && (rows.is_cut ? n_rows < head[2] : n_rows == head[2]));
}

/* GraphChi: each line has a vertex, the number of its neighbours, and these; a line has two or
 * more. */
static bool detect_adjlist(const struct mr_graph_probe *probe)
{
    struct mr_table_rows rows = mr_table_begin_rows(probe->data, probe->bytes);
    struct mr_table_row row;
    bool is_good, is_longer = false;
    uint64_t counts[2];

    for (unsigned n = 0; n < 64 && mr_table_next(&rows, ' ', &row, &is_good); n++) {
        if (!are_counts(&row, 0, 2, counts) || counts[1] != row.n_fields - 2) {
            return false;
        }
        is_longer |= row.n_fields > 3;
    }
    return is_longer;
}

/* ---- The rows ---- */

const struct mr_graph_format mr_former_arcs = {
    .title = "DIMACS",
    .mark = "dimacs",
    .detect = detect_arcs,
    .way_out = "sed -n 's/^a[[:blank:]]//p' < FILE | millrace ... --format wel -"};
const struct mr_graph_format mr_former_edges = {.title = "DIMACS",
                                                .mark = "dimacs",
                                                .detect = detect_edges,
                                                .way_out =
                                                    "sed -n 's/^e[[:blank:]]//p; /^[0-9]/p' < FILE "
                                                    "| millrace ... --format edges --undirected -"};
const struct mr_graph_format mr_former_headless = {
    .title = "DIMACS",
    .detect = detect_headless,
    .way_out =
        "sed -n 's/^[ae][[:blank:]]//p' < FILE | millrace ... --format edges -; if the letter is a "
        "page, say --format urls"};
const struct mr_graph_format mr_former_ligra = {
    .title = "Ligra's adjacency graph",
    .mark = "ligra",
    .detect = detect_ligra,
    .way_out = "tr -s '[:space:]' '\\n' < FILE | awk 'NR==2{n=$1} NR==3{m=$1} "
               "NR>3&&NR<n+4{o[NR-4]=$1} NR>n+3&&NR<n+4+m{while(v+1<n&&o[v+1]<=NR-n-4)v++;"
               "print v+0,$1}' | millrace ... --format edges -"};
const struct mr_graph_format mr_former_weighted_ligra = {
    .title = "Ligra's adjacency graph",
    .mark = "ligra",
    .detect = detect_weighted_ligra,
    .way_out = "tr -s '[:space:]' '\\n' < FILE | awk 'NR==2{n=$1} NR==3{m=$1} "
               "NR>3&&NR<n+4{o[NR-4]=$1} NR>n+3&&NR<n+4+m{t[NR-n-4]=$1} NR>n+3+m{i=NR-n-m-4;"
               "while(v+1<n&&o[v+1]<=i)v++;print v+0,t[i],$1}' | millrace ... --format wel -"};
const struct mr_graph_format mr_former_graphalytics = {
    .title = "LDBC Graphalytics",
    .detect = detect_graphalytics,
    .way_out = "its .e file has the links: millrace ... --format edges BASE.e, with --format wel "
               "for weights, with --undirected if BASE.properties says directed = false"};
const struct mr_graph_format mr_former_wsg = {
    .title = "GAPBS's weighted graph",
    .detect = detect_wsg,
    .way_out = "python3 -c 'import struct as s;d=open(0,\"rb\").read();"
               "n,=s.unpack_from(\"<q\",d,9);o=s.unpack_from(\"<%dq\"%(n+1),d,17);"
               "t=s.unpack_from(\"<%di\"%(2*o[n]),d,25+8*n);[print(v,*t[2*i:2*i+2])for v in "
               "range(n)for i in range(o[v],o[v+1])]' < FILE | millrace ... --format wel -"};
const struct mr_graph_format mr_former_smat = {
    .title = "SMAT",
    .detect = detect_smat,
    .way_out = "tail -n +2 FILE | millrace ... --format wel -; if its first line is a link, say "
               "--format edges"};
const struct mr_graph_format mr_former_adjlist = {
    .title = "GraphChi's adjacency list",
    .detect = detect_adjlist,
    .way_out = "awk '{for (i = 3; i <= NF; i++) print $1, $i}' < FILE | millrace ... --format "
               "edges -; if each line is a link, say --format edges"};
