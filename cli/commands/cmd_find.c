/* SPDX-License-Identifier: Apache-2.0 */
/* millrace find: prints the names that match a regular expression. It walks all names of a store
 * in order, because an expression may match anywhere in a name. The expressions are those of
 * regex(7), which every system has. */
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <xxhash.h>

#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"

struct find_flags {
    struct mr_common_flags common;
    struct mr_rows_flags rows;
    bool ignore_case;
    bool vertices;
    bool hashes;
    bool count;
    uint64_t top; /* 0: all */
};

static const struct find_flags defaults = {.common = MR_COMMON_DEFAULTS};

enum { NAMES_PER_REPORT = 1 << 16 };

#define FIELD(name) offsetof(struct find_flags, name)
static const struct mr_option find_options[] = {
    {"ignore-case", 'i', MR_OPTION_FLAG, FIELD(ignore_case),
     .help = "Treat capital and small letters as equal.", .often = true},
    {"top", 'n', MR_OPTION_COUNT, FIELD(top), "K", .alias = "limit", .least = 1, .most = UINT64_MAX,
     .help = "Stop after K names. Default: all.", .often = true},
    {"count", 0, MR_OPTION_FLAG, FIELD(count), .help = "Print only the number of matches.",
     .often = true},
    {"vertices", 0, MR_OPTION_FLAG, FIELD(vertices),
     .help = "Print the number of the page and a tab before each name."},
    {"hashes", 0, MR_OPTION_FLAG, FIELD(hashes),
     .help = "Print the hash of the page that export --to pages has, and a tab before each name."},
    MR_ROWS_OPTIONS(FIELD(rows)),
    {0}};
#undef FIELD

static enum mr_status out_of_memory(const char *pattern, struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_BUDGET,
                        "find: %s needs more memory than is left; write it with smaller counts, or "
                        "raise --memory",
                        pattern);
}

/* The system's functions take as much memory for an expression as they like: counts multiply
 * (`(((a{1,99}){1,99}){1,99})`), and matching keeps what it has seen. The kernel therefore limits
 * what this process may allocate from now on to what is left of the budget. */
static void limit_memory(const struct mr_session *session)
{
    unsigned long long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (statm == NULL) {
        return;
    }
    /* The sixth number: data and stack, which is what RLIMIT_DATA counts. */
    const int n_read = fscanf(statm, "%*u %*u %*u %*u %*u %llu", &pages);
    (void)fclose(statm);
    struct rlimit limit;
    if (n_read != 1 || getrlimit(RLIMIT_DATA, &limit) != 0) {
        return;
    }
    const uint64_t now = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t most = now + mr_memory_available(session->context.memory);
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most) {
        limit.rlim_cur = most;
        (void)setrlimit(RLIMIT_DATA, &limit);
    }
}

static enum mr_status compile(const struct find_flags *flags, const char *pattern, regex_t *regex,
                              struct mr_error *err)
{
    const int failure =
        regcomp(regex, pattern, REG_EXTENDED | (flags->ignore_case ? REG_ICASE : 0));
    char reason[128];

    if (failure == 0) {
        return MR_OK;
    }
    if (failure == REG_ESPACE) {
        return out_of_memory(pattern, err);
    }
    (void)regerror(failure, regex, reason, sizeof reason);
    return mr_error_set(
        err, MR_ERROR_USAGE,
        "find: %s is not an extended regular expression: %s; .* is any text, and \\. "
        "a dot, as in '\\.pdf$'",
        pattern, reason);
}

/* Names may contain NUL bytes, so the end of the text is passed with REG_STARTEND. `*failed` is set
 * if the memory does not suffice. */
static bool matches(const regex_t *regex, const char *text, size_t bytes, bool *failed)
{
    regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)bytes};
    errno = 0; /* without memory, glibc may say that nothing matches */
    const int code = regexec(regex, text, 0, &range, REG_STARTEND);
    *failed = *failed || (code != 0 && (code != REG_NOMATCH || errno == ENOMEM));
    return code == 0;
}

static bool matches_any(const regex_t *regex, const struct mr_name_cursor *cursor, const char *name,
                        size_t name_bytes, bool *failed)
{
    size_t bytes, spelling_bytes;
    const char *at = mr_name_cursor_spellings(cursor, &bytes), *spelling;

    if (matches(regex, name, name_bytes, failed)) {
        return true;
    }
    while ((spelling = mr_name_next_spelling(&at, &bytes, &spelling_bytes)) != NULL) {
        if (matches(regex, spelling, spelling_bytes, failed)) {
            return true;
        }
    }
    return false;
}

static enum mr_status print_found(struct mr_row_writer *rows, uint64_t vertex, const char *name,
                                  size_t name_bytes, struct mr_error *err)
{
    char hash[17];
    const int bytes =
        snprintf(hash, sizeof hash, "%016" PRIx64, (uint64_t)XXH3_64bits(name, name_bytes));
    const struct mr_cell cells[4] = {{.count = vertex},
                                     {.text = hash, .bytes = (size_t)bytes},
                                     {.text = name, .bytes = name_bytes}};
    return mr_row_writer_add(rows, cells, err);
}

static enum mr_status search(struct mr_session *session, const struct find_flags *flags,
                             struct mr_graph *graph, const char *pattern, const regex_t *regex,
                             struct mr_row_writer *rows, struct mr_error *err)
{
    bool failed = false;
    uint64_t n_found = 0;
    const uint64_t n_vertices = mr_store_get_info(graph->store)->n_vertices;
    struct mr_name_cursor *cursor = NULL;
    enum mr_status status = mr_name_cursor_open(graph->names, 0, &cursor, err);

    for (uint64_t vertex = 0; status == MR_OK && vertex < n_vertices; vertex++) {
        const char *name = NULL;
        size_t name_bytes = 0;

        if (vertex % NAMES_PER_REPORT == 0) {
            status = mr_context_report(&session->context, "find", "names", vertex, n_vertices, err);
        }
        if (status == MR_OK) {
            status = mr_name_cursor_next(cursor, &name, &name_bytes, err);
        }
        const bool found = status == MR_OK && matches_any(regex, cursor, name, name_bytes, &failed);
        if (status == MR_OK && failed) {
            status = out_of_memory(pattern, err);
        }
        if (status != MR_OK || !found) {
            continue;
        }
        n_found++;
        status = flags->count ? MR_OK : print_found(rows, vertex, name, name_bytes, err);
        if (n_found == flags->top) {
            break;
        }
    }
    mr_name_cursor_close(cursor);
    if (status == MR_OK && flags->count) {
        status = mr_row_writer_add(rows, (const struct mr_cell[]){[3] = {.count = n_found}}, err);
    }
    return status;
}

static enum mr_status run_find(struct mr_session *session, const void *data,
                               const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct find_flags *flags = data;
    struct mr_graph graph = {0};
    const struct mr_row_column columns[] = {
        {"vertex", MR_CELL_COUNT, !flags->vertices || flags->count},
        {"hash", MR_CELL_LABEL, !flags->hashes || flags->count},
        {"name", MR_CELL_NAME, flags->count},
        {"count", MR_CELL_COUNT, !flags->count}};
    struct mr_row_writer rows = {.columns = columns,
                                 .n_columns = sizeof columns / sizeof columns[0]};
    regex_t regex;

    if (flags->common.estimate) {
        const struct mr_rank_costs estimate = {.memory_bytes = MR_MEMORY_FLOOR_BYTES};
        return mr_session_estimate(session, &estimate, err);
    }
    if (flags->common.json) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "find has no --json, because it prints names; say -o FILE.jsonl");
    }
    /* The store and the output first: what is left after them is for the expression. */
    bool is_compiled = false;
    enum mr_status status = mr_session_check_rows(&flags->rows, err);
    if (status == MR_OK) {
        status = mr_graph_open_at(session, parsed->operands[0], &graph, err);
    }
    if (status == MR_OK) {
        mr_session_insist();
        limit_memory(session);
        status = compile(flags, parsed->operands[1], &regex, err);
        is_compiled = status == MR_OK;
    }
    if (status == MR_OK) {
        status = mr_session_open_rows(session, &flags->rows, &rows, err);
    }
    if (status == MR_OK) {
        status = search(session, flags, &graph, parsed->operands[1], &regex, &rows, err);
    }
    status = mr_row_writer_end(&rows, status, err);
    mr_graph_close(session, &graph);
    if (is_compiled) {
        regfree(&regex);
    }
    return status;
}

const struct mr_command mr_command_find = {
    .name = "find",
    .summary = "print the names that match a regular expression",
    .usage = "find STORE REGEX [OPTIONS]",
    .text = "Prints the names of a store that match a POSIX extended regular expression, or that "
            "have a spelling which matches it, in the order of the names. It reads all names, one "
            "after the other. The expression works on bytes.",
    .examples = "  millrace find web.mill '^https://[^/]*\\.example\\.com/.*\\.pdf$'\n"
                "  millrace find web.mill python --ignore-case --top 20\n",
    .groups = {{.title = "Search", .options = find_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("json")},
    .store_first = true,
    .min_operands = 2,
    .max_operands = 2,
    .operand_files = MR_OPERANDS_FIRST,
    .operands = "a store and a regular expression",
    MR_COMMAND_RUNS(defaults, run_find),
};
