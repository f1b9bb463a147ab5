/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of unknown origin; its memory is charged before it is taken. Internal to formats/. */
#ifndef MR_FORMATS_TABLE_JSON_INPUT_H
#define MR_FORMATS_TABLE_JSON_INPUT_H

#include <stdbool.h>

#include <jansson.h>

#include "engine/base/memory.h"
#include "formats/table/lines.h"

struct mr_json_input {
    json_t *root; /* NULL: the text is not JSON */
    char reason[MR_LINES_QUOTE_BYTES]; /* why the text is not JSON, quoted */
    struct mr_memory *memory;
    uint64_t charged_bytes;
};

/* Parse `text[bytes]` with jansson's decoding `flags` and JSON_ALLOW_NUL. Text that is not JSON is
 * not an error: `root` is then NULL. Errors: BUDGET. Call mr_json_input_free afterwards in any
 * case. The charge is an upper bound, counted from the text at about 1 GB/s: the three bytes "{},"
 * make an object of some 250. */
enum mr_status mr_json_input_parse(struct mr_memory *memory, const char *text, size_t bytes,
                                   size_t flags, struct mr_json_input *json,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_json_input_free(struct mr_json_input *json);

/* Does a text begin with an object that has a key or is empty, perhaps inside an array? */
bool mr_json_begins(const char *text, size_t bytes);

/* The answer of a search engine: hits.hits of OpenSearch, response.docs of Solr. NULL: it is none,
 * but a record itself. */
const json_t *mr_json_answer(const json_t *root);

/* What a crawler says about a page: the object itself, what Elasticsearch has in "_source", Katana
 * in "request", or URLFrontier in "known" or "discovered". NULL for a value that is none: a line of
 * Elasticsearch's bulk files that says what to do with the next one, the first line of
 * browsertrix's pages. */
json_t *mr_json_record(json_t *root);

/* The value whose key stands first in `words` (mr_table_place); NULL where there is none, or
 * null. */
json_t *mr_json_find(const json_t *object, const char *words);
/* The text of a value: a text, or the only one of a list, as Scrapy's ItemLoader writes it, or the
 * digits of a number, for which `digits` is room. NULL for other values. */
const char *mr_json_as_text(const json_t *value, char digits[32], size_t *bytes);
/* List the keys of an object for a message. Returns `list`. */
const char *mr_json_keys(json_t *object, char list[MR_LINES_QUOTE_BYTES]);

/* The most bytes that jansson allocates while it parses `text[bytes]`. */
uint64_t mr_json_input_bound(const char *text, size_t bytes);

#endif
