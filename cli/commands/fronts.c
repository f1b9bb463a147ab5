/* SPDX-License-Identifier: Apache-2.0 */
/* What the program adds to kinds of rankings. */
#include "cli/program/command.h"

const struct mr_kind_front *const mr_kind_fronts[] = {
    &mr_components_front, &mr_hits_front, &mr_opic_front, &mr_pagerank_front, &mr_ppr_front, NULL};
