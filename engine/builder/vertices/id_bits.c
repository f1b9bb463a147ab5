/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the kernel that looks up many ids in the bitmap of an id set: the fastest one that this
 * processor can run. Without one, id_set_find.c uses its portable loop. All of them give the same
 * results. */
#include "engine/builder/vertices/id_bits.h"

const struct mr_id_bits *mr_id_bits_best(void)
{
#if defined(__x86_64__)
    return mr_id_bits_avx512.is_usable() ? &mr_id_bits_avx512
           : mr_id_bits_bmi2.is_usable() ? &mr_id_bits_bmi2
                                         : NULL;
#else
    return NULL;
#endif
}
