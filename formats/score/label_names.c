/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/score/label_names.h"

#include <string.h>

#include "engine/base/memory.h"

enum { N_KEPT = 1 << 13, KEPT_BYTES = 500 };

struct mr_label_names {
    struct mr_memory *memory;
    struct mr_names *names;
    struct kept_name {
        uint32_t vertex;
        uint32_t bytes; /* 0: empty */
        char text[KEPT_BYTES];
    } kept[N_KEPT]; /* by the low bits of the vertex */
};

uint64_t mr_label_names_memory(void)
{
    return sizeof(struct mr_label_names);
}

enum mr_status mr_label_names_open(const struct mr_context *context, struct mr_names *names,
                                   struct mr_label_names **out, struct mr_error *err)
{
    const enum mr_status status = mr_memory_array(context->memory, "names of labels", 1, out, err);

    if (status == MR_OK) {
        (*out)->memory = context->memory;
        (*out)->names = names;
    }
    return status;
}

void mr_label_names_close(struct mr_label_names *labels)
{
    if (labels != NULL) {
        mr_memory_free(labels->memory, labels);
    }
}

enum mr_status mr_label_names_get(struct mr_label_names *labels, uint32_t vertex, const char **name,
                                  size_t *name_bytes, struct mr_error *err)
{
    struct kept_name *kept = &labels->kept[vertex % N_KEPT];

    if (kept->bytes > 0 && kept->vertex == vertex) {
        *name = kept->text;
        *name_bytes = kept->bytes;
        return MR_OK;
    }
    const enum mr_status status = mr_names_get(labels->names, vertex, name, name_bytes, err);
    if (status == MR_OK && *name_bytes <= KEPT_BYTES) {
        memcpy(kept->text, *name, *name_bytes);
        kept->vertex = vertex;
        kept->bytes = (uint32_t)*name_bytes;
    }
    return status;
}
