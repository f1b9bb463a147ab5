/* Files of lines that begin with a name: what the readers of teleports, batches and page lists share.
 * Internal to formats/score/. */
#ifndef MR_FORMATS_SCORE_NAME_LINES_H
#define MR_FORMATS_SCORE_NAME_LINES_H

#include "engine/base/context.h"
#include "formats/stream/input.h"
#include "formats/stream/lines.h"

struct mr_name_lines {
    const struct mr_context *context;
    struct mr_input *input;
    const char *what; /* a name should be: "vertex", "page" */
    uint64_t max_unknown; /* names that may be none */
    uint64_t unknown; /* names that were none */
    struct mr_lines *lines; /* while they are read */
};

struct mr_name_line {
    const char *text; /* [bytes], the whole line */
    size_t bytes;
    const char *name; /* [name_bytes], its first field */
    size_t name_bytes;
    const char *at; /* behind the name: for mr_lines_field */
};

typedef enum mr_status (*mr_name_line_take)(void *data, const struct mr_name_line *line,
                                            struct mr_error *err);

/* Hand every line to `take`, in order. Blank lines and lines of '#' followed by a blank, a tab or
 * nothing are skipped. */
enum mr_status mr_name_lines_read(struct mr_name_lines *lines, mr_name_line_take take, void *data,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* MR_ERROR_INPUT at the line last taken: the line in quotes and the reason. */
enum mr_status mr_name_lines_bad(const struct mr_name_lines *lines, const struct mr_name_line *line,
                                 const char *reason, struct mr_error *err);

/* Checks that no field follows `at`; a comment (#) may. INPUT with the line and `reason` otherwise. */
enum mr_status mr_name_lines_over(const struct mr_name_lines *lines,
                                  const struct mr_name_line *line, const char *at,
                                  const char *reason, struct mr_error *err) MR_WARN_UNUSED;

/* The name at line `number` is none of the store: counts it, notes the first few, and is
 * MR_ERROR_INPUT when there are more than max_unknown. */
enum mr_status mr_name_lines_unknown(struct mr_name_lines *lines, const char *name,
                                     size_t name_bytes, uint64_t number,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
