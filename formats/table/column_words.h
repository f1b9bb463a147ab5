/* SPDX-License-Identifier: Apache-2.0 */
/* The words by which tables and JSON objects name their columns, for all readers of formats/: what
 * a page, a score, the ends of a link and a fetch are called. Words are written as mr_table_word
 * writes them, with a blank around each. If a table has several words of a list, the first in the
 * list counts. The lists differ, because a word means different things beside other columns: "page"
 * is a page beside a score, and an end of a link beside "target". */
#ifndef MR_FORMATS_TABLE_COLUMN_WORDS_H
#define MR_FORMATS_TABLE_COLUMN_WORDS_H

/* Pages. MR_WORDS_URL says by itself that a table is about pages. */
#define MR_WORDS_URL " url uri pageurl "
/* The page of a table whose other end has a name. The second list counts if no word of the first is
 * there. */
#define MR_WORDS_LINKS_PAGE MR_WORDS_URL "page pageuri address "
#define MR_WORDS_LINKS_THING                                                                       \
    " urlname user package module paper article project repository site host domain node vertex "  \
    "person "                                                                                      \
    "account employee tweet post item id "
#define MR_WORDS_JSON_PAGE  MR_WORDS_URL "address endpoint "
#define MR_WORDS_FETCH_PAGE MR_WORDS_URL "original address name page node host domain "
/* Beside a weight, if no word of the others is there. */
#define MR_WORDS_WEIGHT_PAGE " vertex id key label title "
#define MR_WORDS_SCORE_PAGE                                                                        \
    " name url uri page node nodeid pageurl address hostrev host domain vertex id key label "      \
    "title "

/* Scores and weights */
/* A rank, a value or a weight may be any number: it is the score if there is no other. */
#define MR_WORDS_SCORE        " trust authority pagerank pageranks pr prval score "
#define MR_WORDS_FETCH_WEIGHT " weight score value pagerank rank "
#define MR_WORDS_LINK_WEIGHT  " weight weights w value "

/* The ends of a link, and what may stand before or behind each of them: "from", "fromNodeId",
 * "url_from". A word with '=' stands alone. A digit never does. No blank is before the first. */
#define MR_WORDS_SOURCE                                                                            \
    "source src from =u =start =startid =startnode =startnodeid origin referrer referer "          \
    "referring linking parent caller follower citing subject sender outv predecessor "             \
    "linkedfrom =backlink =inlink =inboundlink =incominglink citedby requiredby usedby "           \
    "importedby followedby likedby iscitedby dependent foundon foundat discoveredfrom "            \
    "discoveredon quelle origen origine origem fuente 1 "
#define MR_WORDS_TARGET                                                                            \
    "target dst dest destination to =v =end =endid =endnode =endnodeid =link =linkurl =outlink "   \
    "=href linkto linksto linked child callee followee followed cited object recipient receiver "  \
    "inv successor tgt dependency dependson requires imports reference cites follows following "   \
    "imported quoted payee ratee arrival friend manager childof partof inreplyto =outboundlink "   \
    "=outgoinglink ziel cible destino "                                                            \
    "destinazione 2 "
/* The same where a field holds several pages. A header of such words says that it is a list. */
#define MR_WORDS_SOURCES                                                                           \
    " sources referrers referers parents callers followers backlinks inlinks incominglinks "       \
    "inboundlinks linksin predecessors dependents "
#define MR_WORDS_TARGETS                                                                           \
    " targets destinations children callees followees successors neighbors neighbours "            \
    "dependencies references citations friends links outlinks outgoinglinks outboundlinks "        \
    "linksout linksurl linkurls hrefs urls internallinks externallinks internaloutlinks "          \
    "externaloutlinks "
/* Words that name the columns of two names, and no page. */
#define MR_WORDS_PLAIN                                                                             \
    " url uri page link links user package module paper article project repository site host "     \
    "domain node vertex person account name title id key label text anchor author coauthor "       \
    "word synonym category gene protein item product customer movie song artist album "            \
    "kind type city country entity concept term topic tag group team member library artifact "     \
    "version "

/* Pairs of them name two ends, and not which is the source. */
#define MR_WORDS_PAIRS " head tail ego alter buyer seller giver taker voter candidate "

#define MR_WORDS_AFFIX                                                                             \
    "url uri page node id vertex name host domain ip address key paper user person entity v "

/* JSON: the links of a page, those that lead to it, and the page that a link leads to */
#define MR_WORDS_LINKS                                                                             \
    " links outlinks outgoinglinks outboundlinks linksurl linkurls hrefs urls internallinks "      \
    "externallinks internaloutlinks externaloutlinks "
#define MR_WORDS_INLINKS " inlinks incominglinks inboundlinks backlinks "
/* Beside a page: the one that it was found on, if the value is an absolute URL */
#define MR_WORDS_PARENT                                                                            \
    " parent parenturl parenturi referer refererurl referrer referrerurl referringurl foundon "    \
    "foundonurl "
#define MR_WORDS_LINK_URL " url href link uri to tourl target targeturl "

/* What tables of crawlers say of a link */
#define MR_WORDS_LINK_TYPE " type linktype "
#define MR_WORDS_LINK_REL  " rel linkrel relattribute "
#define MR_WORDS_FOLLOW    " follow dofollow isfollow "
#define MR_WORDS_NOFOLLOW  " nofollow isnofollow "

/* Fetches */
#define MR_WORDS_FETCH_STATE                                                                       \
    " statusname state statuscode httpstatus httpstatuscode fetchstatus crawlstatus status "       \
    "result "
#define MR_WORDS_FETCH_TIME                                                                        \
    " lastprocesseddate metadatalastprocesseddate lastfetchdate lastfetched lastfetch fetchdate "  \
    "fetchedat fetched lastcrawled lastcrawl crawledat crawltime crawled lastvisit visited "       \
    "scrapedat loadedtime handledat timestamp ts "
#define MR_WORDS_FETCH_FLAG                                                                        \
    " fetched isfetched crawled iscrawled visited isvisited done brozzlecount handledat "
#define MR_WORDS_FETCH_NEXT     " fetchtime "
#define MR_WORDS_FETCH_INTERVAL " retryintervalseconds fetchinterval "
#define MR_WORDS_FETCH_METADATA " metadata "
#define MR_WORDS_FETCH_DIGEST                                                                      \
    " digest payloaddigest warcpayloaddigest contentdigest contenthash signature checksum sha1 "   \
    "sha256 md5 "
#define MR_WORDS_FETCH_TRIES " fetcherrorcount retriessincefetch retries "

#endif
