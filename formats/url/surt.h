/* Sort keys of URLs: a host's pages become neighbours, a domain's hosts too.
 *
 * The key of a URL as it is (canonicalisation profile "none") is its host with the labels reversed,
 * then port, path with query, scheme and user:
 *
 *     https://www.Example.com:8080/a?b   ->   com,Example,www):8080/a?b\0S
 *
 * after the Sort-friendly URI Reordering Transform of Heritrix and the Wayback Machine, made
 * injective for any bytes (layout and proof in surt.c). Pages of one host share a prefix whatever
 * their scheme; numeric IPv4 and bracketed IPv6 hosts are not reversed; what is no URL with "://"
 * sorts before all URLs, in order of its bytes. */
#ifndef MR_FORMATS_URL_SURT_H
#define MR_FORMATS_URL_SURT_H

#include "engine/names/names.h"

/* Key functions by the number a store records, of which they are the lowest 8 bits
 * (formats/url/canonical.h has the others). 0 is never one. */
#define MR_NAME_KEY_SURT 1u /* mr_surt_key */
#define MR_NAME_KEY_BARE 2u /* mr_bare_key */
#define MR_NAME_KEY_HOST 3u /* mr_host_key */

/* The mr_name_key. `key[MR_NAME_KEY_MAX_BYTES]` gets at most name_bytes + 16 bytes; returns how
 * many. name_bytes <= MR_NAME_MAX_BYTES. Thread-safe, no locale. */
size_t mr_surt_key(const char *name, size_t name_bytes, char *key);

/* Likewise for names that begin with the host ("example.com/path"): the key of "http://" and the
 * name, a flag saying so; a name that is a URL already has the key that mr_surt_key gives it. */
size_t mr_bare_key(const char *name, size_t name_bytes, char *key);

/* Likewise for reversed hosts ("org.example.www"), which are in order already: the name itself. */
size_t mr_host_key(const char *name, size_t name_bytes, char *key);

/* The key function of a number; NULL when there is none. */
mr_name_key mr_name_key_of(uint32_t number);

#endif
