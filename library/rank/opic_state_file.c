/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the state file of OPIC. The names in it have the order of a key function, which
 * formats/url knows by its number; the table of rows by name is the engine's. This file brings both
 * to the algorithm, because algorithms must not use formats. */
#include "library/rank/opic_state_file.h"

#include "engine/io/io.h"
#include "formats/url/surt.h"

enum mr_status mr_opic_state_load(const struct mr_context *context, struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info, struct mr_opic_merge *merge,
                                  bool *found, struct mr_error *err)
{
    struct mr_name_table_reader *reader = NULL;

    *found = mr_io_exists(path);
    if (!*found) {
        return MR_OK;
    }
    enum mr_status status =
        mr_name_table_open(context, path, MR_OPIC_STATE_KIND, MR_OPIC_STATE_VERSION, &reader, err);
    if (status == MR_OK) {
        status =
            mr_opic_load(opic, reader, names, mr_name_key_of(info->name_key_number), merge, err);
    }
    mr_name_table_close(reader);
    return status;
}

enum mr_status mr_opic_state_save(const struct mr_context *context, const struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info, struct mr_error *err)
{
    struct mr_name_table_writer *writer = NULL;
    struct mr_name_table_shape shape;
    uint8_t head[MR_OPIC_HEAD_BYTES];

    mr_opic_describe(opic, &shape, head);
    enum mr_status status =
        mr_name_table_create(context, path, names, info, &shape, head, &writer, err);
    if (status == MR_OK) {
        status = mr_opic_write(opic, writer, err);
    }
    if (status != MR_OK) {
        mr_name_table_abandon(writer);
        return status;
    }
    return mr_name_table_commit(writer, err);
}
