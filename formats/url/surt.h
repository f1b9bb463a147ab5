/* SPDX-License-Identifier: Apache-2.0 */
/* Sort keys of URLs: the pages of a host become neighbours, and so do the hosts of a domain.
 *
 * The key of a URL (canonicalisation profile "none") is its host with the labels reversed, then
 * port, path with query, scheme and user:
 *
 *     https://www.Example.com:8080/a?b   ->   com,Example,www):8080/a?b\0S
 *
 * The form follows the Sort-friendly URI Reordering Transform of Heritrix and the Wayback Machine.
 * Here two different names always have different keys, whatever their bytes (surt.c has the layout
 * and the proof). Pages of one host share a prefix whatever their scheme. Numeric IPv4 hosts and
 * bracketed IPv6 hosts are not reversed. A name without "://" sorts before all URLs, in the order
 * of its bytes. */
#ifndef MR_FORMATS_URL_SURT_H
#define MR_FORMATS_URL_SURT_H

#include "engine/names/names.h"

/* The numbers of the key functions. A store records a number whose lowest 8 bits are one of these
 * (formats/url/canonical.h describes the other bits). 0 is never used. */
#define MR_NAME_KEY_SURT 1u /* mr_surt_key */
#define MR_NAME_KEY_BARE 2u /* mr_bare_key */
#define MR_NAME_KEY_HOST 3u /* mr_host_key */

/* Write the key of `name[name_bytes]` to `key[MR_NAME_KEY_MAX_BYTES]`: at most name_bytes + 16
 * bytes. Returns their number. name_bytes <= MR_NAME_MAX_BYTES. An mr_name_key. Thread-safe, uses
 * no locale. */
size_t mr_surt_key(const char *name, size_t name_bytes, char *key);

/* The same for names that begin with the host ("example.com/path"): the key of "http://" and the
 * name, with a flag that marks it. A name that is a full URL gets the key of mr_surt_key. */
size_t mr_bare_key(const char *name, size_t name_bytes, char *key);

/* The same for reversed hosts ("org.example.www"): the key is the name, because such names sort
 * well as they are. */
size_t mr_host_key(const char *name, size_t name_bytes, char *key);

/* The key function of a store's number; NULL when there is none. */
mr_name_key mr_name_key_of(uint32_t number);

#endif
