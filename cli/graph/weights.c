/* Opens and reads files of names and weights for the rankings: --teleport, --seeds, --trusted
 * and others. The parser is in formats/score; this function only adds the file. */
#include "cli/graph/weights.h"

enum mr_status mr_weights_open(struct mr_session *session, const char *path, bool weighted,
                               uint64_t max_unknown, struct mr_names *names,
                               struct mr_vertex_weights *weights, struct mr_error *err)
{
    const struct mr_vertex_weights_options options = {
        .struct_size = sizeof options, .weighted = weighted, .max_unknown = max_unknown};
    struct mr_input *input = NULL;

    enum mr_status status = mr_input_open(&session->context, path, &input, err);
    if (status == MR_OK) {
        status = mr_vertex_weights_read(&session->context, input, names, &options, weights, err);
    }
    mr_input_close(input);
    return status;
}
