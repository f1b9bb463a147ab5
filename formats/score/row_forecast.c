/* SPDX-License-Identifier: Apache-2.0 */
/* Nobody knows how many lines a file has before it is read, so the arrays for them grow on the way.
 * Where the budget ends this, an error would ask for the next size alone, again and again. So each
 * time an array grows, the rows taken so far and the place in the file say how many there will be.
 * Of a compressed file the place is known by its compressed bytes, a little less well. */
#include "formats/score/row_forecast.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum { FIRST_ROOM = 1 << 16 };

uint64_t mr_row_forecast(const struct mr_input *input, uint64_t n_rows, struct mr_line_place place)
{
    uint64_t done = place.done;

    if (input == NULL) {
        return 0;
    }
    done -= mr_input_codec(input) == MR_INPUT_PLAIN ? mr_min_u64(done, place.pending) : 0;
    return done == 0 || place.total < done
               ? 0
               : (uint64_t)(1.01 * (double)n_rows / (double)done * (double)place.total) + 1024;
}

static uint64_t next_room(struct mr_memory *memory, uint64_t n_rows,
                          const struct mr_row_array *array)
{
    const uint64_t room = array->room;
    if (room == 0) {
        return FIRST_ROOM;
    }
    const uint64_t next = room + room / 2;
    const uint64_t others =
        mr_memory_limit(memory) - mr_memory_available(memory) - room * array->item_bytes;
    const uint64_t all = others + mr_max_u64(next, n_rows) * array->item_bytes;
    const uint64_t later = n_rows * array->later_row_bytes;
    mr_memory_foresee(memory, mr_max_u64(all, all + later - mr_min_u64(array->freed_bytes, all)));
    return n_rows > room && n_rows < next ? n_rows : next;
}

enum mr_status mr_row_array_grow(struct mr_memory *memory, uint64_t n_rows,
                                 struct mr_row_array *array, void *items, struct mr_error *err)
{
    const uint64_t room = next_room(memory, n_rows, array);
    uint64_t bytes;
    enum mr_status status = mr_memory_size(array->name, room, array->item_bytes, 0, &bytes, err);
    if (status == MR_OK) {
        status = (mr_memory_resize)(memory, array->name, items, bytes, err);
    }
    array->room = status == MR_OK ? room : array->room;
    return status;
}
