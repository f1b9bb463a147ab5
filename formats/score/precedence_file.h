/* Crawler precedence files: scores in, lines `URI<space>level` out, as Heritrix's PrecedenceLoader
 * reads them.
 *
 * Two passes over the scores, so that names are never held in memory: the first collects one number
 * per line, the levels are then assigned by someone else, the second writes each line's name with
 * its level. Standard input and pipes are copied to the temporary directory on the first pass. */
#ifndef MR_FORMATS_SCORE_PRECEDENCE_FILE_H
#define MR_FORMATS_SCORE_PRECEDENCE_FILE_H

#include "engine/base/context.h"

struct mr_score_file;

/* Open a score file ("-": standard input) and read one column of it (see mr_score_reader_open),
 * 8 bytes per line of memory, growing by half. Errors: INPUT at FILE:LINE; BUDGET. */
enum mr_status mr_score_file_open(const struct mr_context *context, const char *path,
                                  const char *column, struct mr_score_file **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
/* NULL is allowed. */
void mr_score_file_close(struct mr_score_file *file);

/* The scores in file order, owned by `file`. */
const double *mr_score_file_scores(const struct mr_score_file *file, uint64_t *n_scores);

struct mr_precedence_summary {
    uint64_t rows;
    uint64_t escaped; /* names with blanks or control bytes, written as %XX */
};

/* Writes what belongs to line `row` of the scores, called `name`, to `output`. `*escaped` counts names
 * that had to be. */
struct mr_output;
typedef enum mr_status (*mr_score_row_writer)(void *data, struct mr_output *output, uint64_t row,
                                              const char *name, size_t name_bytes,
                                              uint64_t *escaped, struct mr_error *err);

/* Hand every line of the scores to `write`, in order, and publish what it writes at `path`. Errors:
 * INPUT when the file changed since it was opened; what `write` returns. May be called once. */
enum mr_status mr_score_file_write(struct mr_score_file *file, mr_score_row_writer write,
                                   void *data, const char *path, bool force,
                                   struct mr_precedence_summary *summary,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Read the lines again, handing them to `visit` with no output; before the writing. */
enum mr_status mr_score_file_visit(struct mr_score_file *file, mr_score_row_writer visit,
                                   void *data, struct mr_error *err) MR_WARN_UNUSED;

#endif
