/* All of libmillrace's public headers. Each may be included alone as well: millrace/engine/store.h. */
#ifndef MILLRACE_H
#define MILLRACE_H

#include "algorithms/pagerank.h"
#include "algorithms/precedence.h"
#include "engine/build.h"
#include "engine/bytes.h"
#include "engine/check.h"
#include "engine/codec_choice.h"
#include "engine/context.h"
#include "engine/edges.h"
#include "engine/error.h"
#include "engine/io.h"
#include "engine/keys.h"
#include "engine/kron.h"
#include "engine/memory.h"
#include "engine/names.h"
#include "engine/pass.h"
#include "engine/publish.h"
#include "engine/queue.h"
#include "engine/store.h"
#include "engine/transpose.h"
#include "engine/version.h"
#include "engine/vertex_weight.h"
#include "formats/edge_text.h"
#include "formats/input.h"
#include "formats/output.h"
#include "formats/precedence_file.h"
#include "formats/scores.h"
#include "formats/surt.h"
#include "formats/vertex_weights.h"

#endif
