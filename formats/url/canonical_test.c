/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/url/canonical.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/url/surt.h"

#define ID32 "0123456789abcdefghijklemopqrstuv"
#define ID24 "4hqa0555fwsecu455xqckv45"
#define ASP  "ASPSESSIONIDAQBSDSRT=EOHBLBDDPFCLHKPGGKLILNAM"

/* A sample: a name and its canonical name. `rules` NULL: the profile's default rules. */
struct sample {
    const char *rules, *name, *canonical;
};

/* Published: the classes' documentation and tests in Heritrix 3. */
static const struct sample heritrix[] = {
    {NULL, "http://www.archive.org/index.html", "http://archive.org/index.html"},
    {NULL, "http://www0001.archive.org/index.html", "http://archive.org/index.html"},
    {NULL, "https://WWW2.Archive.org/Index.html", "https://archive.org/index.html"},
    {NULL, "http://www.archive.org/", "http://www.archive.org/"}, /* slash pages stay */
    {NULL, "http://www.archive.org", "http://www.archive.org"},
    {NULL, "http://www.archive.org/?a", "http://archive.org/?a"},
    {NULL, "ftp://www.archive.org/a", "ftp://www.archive.org/a"},
    {NULL, "http://wwwarchive.org/a", "http://wwwarchive.org/a"},
    {NULL, "http://www.www.archive.org/a", "http://www.archive.org/a"}, /* once */
    {NULL, "http://www2a.archive.org/a", "http://www2a.archive.org/a"},
    {"-www", "http://www.archive.org/index.html", "http://www.archive.org/index.html"},
    {NULL, "http://stack:psswrd@archive.org/index.htm", "http://archive.org/index.htm"},
    {NULL, "http://stack@archive.org/index.htm", "http://archive.org/index.htm"},
    {NULL, "http://a@b@archive.org/", "http://archive.org/"},
    {NULL, "ftps://stack:psswrd@archive.org/", "ftps://archive.org/"},
    {NULL, "ftp://u:p@archive.org/", "ftp://archive.org/"},
    {NULL, "gopher://u:p@archive.org/", "gopher://u:p@archive.org/"},
    {NULL, "http://archive.org/a@b", "http://archive.org/a@b"},
    {NULL, "http://@archive.org/", "http://archive.org/"},
    {NULL, "http://archive.org?x=u@h/p", "http://h/p"}, /* as the published rule gives it */
    {"-userinfo", "http://u@archive.org/", "http://u@archive.org/"},
    {NULL, "http://www.archive.org/index.html?JSESSIONID=" ID32, "http://archive.org/index.html"},
    {NULL, "http://a.org/i?jsessionid=" ID32 "&x=y", "http://a.org/i?x=y"},
    {NULL, "http://a.org/i?one=two&jsessionid=" ID32 "&x=y", "http://a.org/i?one=two&x=y"},
    {NULL, "http://a.org/i?one=two&jsessionid=" ID32, "http://a.org/i?one=two"},
    {NULL, "http://a.org/i?jsessionid=" ID32 "0", "http://a.org/i?jsessionid=" ID32 "0"},
    {NULL, "http://a.org/i?" ASP "&x=y", "http://a.org/i?x=y"},
    {NULL, "http://a.org/i?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVW", /* one letter short */
     "http://a.org/i?aspsessionidabcdefgh=abcdefghijklmnopqrstuvw"},
    {NULL, "http://a.org/i?PHPSESSID=9682993c8daa2c5497996114facdc805&x=y", "http://a.org/i?x=y"},
    {NULL, "http://a.org/i?sid=9682993c8daa2c5497996114facdc805&x=y", "http://a.org/i?x=y"},
    {NULL, "http://a.org/i?sid=9682993c8daa2c5497996114facdc805&jsessionid=" ID32,
     "http://a.org/i"},
    {NULL, "http://a.org/i;jsessionid=" ID32, "http://a.org/i;"},
    {NULL, "http://a.org/i;jsessionid=" ID32 "?x=y", "http://a.org/i;jsessionid=" ID32 "?x=y"},
    {NULL, "http://a.org/i?sid=" ID32 "&sid=" ID32, "http://a.org/i?sid=" ID32}, /* the last one */
    {"-session-ids", "http://a.org/i?sid=" ID32, "http://a.org/i?sid=" ID32},
    {NULL, "http://a.org/boo?CFID=1169580&CFTOKEN=48630702&dtstamp=22%2F08%2F2006",
     "http://a.org/boo?dtstamp=22%2f08%2f2006"},
    {NULL, "http://a.org/boo?CFID=12412453&CFTOKEN=15501799&dt=19_08_2006_22_39_28",
     "http://a.org/boo?dt=19_08_2006_22_39_28"},
    {NULL, "http://a.org/boo?CFID=14475712&CFTOKEN=2D89F5AF-3048-2957-DA4EE4B6B13661AB&r=4&m=f",
     "http://a.org/boo?r=4&m=f"},
    {NULL, "http://a.org/boo?CFID=3304324&CFTOKEN=57491900&jsessionid=a63098d96360$B0$D9$A",
     "http://a.org/boo?jsessionid=a63098d96360$b0$d9$a"},
    {NULL, "http://a.org/boo?CFID=3304324&CFTOKEN=57491900", "http://a.org/boo"},
    {NULL, "http://a.org/boo?CFID=&CFTOKEN=1", "http://a.org/boo?cfid=&cftoken=1"},
    {"-cfid", "http://a.org/?CFID=1&CFTOKEN=2", "http://a.org/?cfid=1&cftoken=2"},
    {NULL, "http://archive.org/index.html?", "http://archive.org/index.html"},
    {NULL, "http://archive.org/index.html?&", "http://archive.org/index.html"},
    {NULL, "http://archive.org/index.html?&x=y", "http://archive.org/index.html?x=y"},
    {NULL, "http://archive.org/index.html?x=y&", "http://archive.org/index.html?x=y"},
    {NULL, "http://archive.org/index.html?x=y&&", "http://archive.org/index.html?x=y&"},
    /* only the last question mark counts */
    {NULL, "http://archive.org/?a?&b", "http://archive.org/?a?b"},
    {NULL, "?", "?"}, /* a "?" at the start stays */
    {"-query", "http://archive.org/?", "http://archive.org/?"},
    {NULL, "http://a.org//b///c", "http://a.org//b///c"},
    {"+extra-slashes", "http://a.org//b///c", "http://a.org/b/c"},
    {"extra-slashes,-lowercase", "http://A.org//B", "http://a.org/B"},
    {"-lowercase", "http://WWW.A.org/B", "http://a.org/B"},
    {NULL, "http://a.org/b#Frag", "http://a.org/b#frag"}, /* Heritrix never has fragments */
    {NULL, "dns:www.archive.org", "dns:www.archive.org"},
    {NULL, "http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"},
    {NULL, "http://a.org:80/", "http://a.org/"},
    {NULL, "HTTP://\xc3\x89.org/\xff\xfe", "http://xn--9ca.org/\xff\xfe"}, /* bytes of paths stay */
    {NULL, "http://a.org/%7Ea/../b", "http://a.org/b"},
};

/* Published: AggressiveUrlCanonicalizerTest of OpenWayback. */
static const struct sample wayback[] = {
    {NULL, "http://foo.com/", "foo.com/"},
    {NULL, "http://www.foo.com/", "foo.com/"},
    {NULL, "http://www.foo.com", "foo.com/"},
    {NULL, "http://www12.foo.com/", "foo.com/"},
    {NULL, "www12.foo.com/", "foo.com/"},
    {NULL, "foo.com/", "foo.com/"},
    {NULL, "foo.com", "foo.com/"},
    {NULL, "www12.foo.com", "foo.com/"},
    {NULL, "foo.com/boo", "foo.com/boo"},
    {NULL, "foo.com/pa%20th?a=b", "foo.com/pa+th?a=b"},
    {NULL, "foo.com/pa%20th", "foo.com/pa+th"},
    {NULL, "foo.com/pa%20th/", "foo.com/pa+th/"},
    {NULL, "foo.com//goo", "foo.com/goo"},
    {NULL, "foo.com///goo", "foo.com/goo"},
    {NULL, "foo.com/b?jar=//goo", "foo.com/b?jar=//goo"},
    {NULL, "foo.com///goo/", "foo.com/goo/"},
    {NULL, "foo.com/pa%20th/?a=b", "foo.com/pa+th/?a=b"},
    {NULL, "foo.com/pa%20th?a%20a=b", "foo.com/pa+th?a%20a=b"},
    {NULL, "foo.com/pa%20th?a=b%20b", "foo.com/pa+th?a=b%20b"},
    {NULL, "foo.com/pa!th", "foo.com/pa!th"},
    {NULL, "foo.com/pa+th", "foo.com/pa+th"},
    {NULL, "foo.com/pa%21th", "foo.com/pa!th"},
    {NULL, "foo.com/pa%th", "foo.com/pa%th"},
    {NULL, "foo.com/pa%25th", "foo.com/pa%th"},
    {NULL, "foo.com/pa%20t%21h?a%20a=b", "foo.com/pa+t!h?a%20a=b"},
    {NULL, "foo.com/pa%20t%02h?a%20a=b", "foo.com/pa+t%02h?a%20a=b"},
    {NULL, "http://foo.com/bar?bo=lo&jsessionid=" ID32 "&gum=yum", "foo.com/bar?bo=lo&gum=yum"},
    {NULL, "http://foo.com/bar?bo=lo&PHPSESSID=" ID32 "&gum=yum", "foo.com/bar?bo=lo&gum=yum"},
    {NULL, "http://foo.com/bar?bo=lo&sid=" ID32 "&gum=yum", "foo.com/bar?bo=lo&gum=yum"},
    {NULL, "http://foo.com/bar?bo=lo&" ASP "&gum=yum", "foo.com/bar?bo=lo&gum=yum"},
    {NULL, "http://foo.com/bar?bo=lo&CFID=12412453&CFTOKEN=15501799&gum=yum",
     "foo.com/bar?bo=lo&gum=yum"},
    {NULL,
     "http://foo.com/bar?bo=lo&CFID=3304324&CFTOKEN=57491900&jsessionid=a63098d96360$B0$D9$A"
     "&gum=yum",
     "foo.com/bar?bo=lo&gum=yum"},
    {NULL, "http://legislature.mi.gov/(S(" ID24 "))/mileg.aspx", "legislature.mi.gov/mileg.aspx"},
    {NULL, "http://legislature.mi.gov/(" ID24 ")/mileg.aspx", "legislature.mi.gov/mileg.aspx"},
    {NULL,
     "http://legislature.mi.gov/(a(" ID24 ")S(" ID24 ")f(" ID24
     "))/mileg.aspx?page=sessionschedules",
     "legislature.mi.gov/mileg.aspx?page=sessionschedules"},
    {NULL, "http://www.chub.org:80/foo", "chub.org/foo"},
    {NULL, "http://www.chub.org:8080/foo", "chub.org:8080/foo"},
    {NULL, "https://www.chub.org:443/foo", "chub.org/foo"},
    {NULL, "https://www.chub.org:80/foo", "chub.org:80/foo"},
    {NULL, "http://chub.org:/foo", "chub.org/foo"},
    {"-default-port", "http://chub.org:80/foo", "chub.org:80/foo"},
    {NULL, "dns:foo.com", "dns:foo.com"},
    {NULL, "http://u:p@foo.com/", "foo.com/"},
    {NULL, "http://foo.com/a/./b/../c#frag", "foo.com/a/c"},
    {"-fragment", "http://foo.com/a#f", "foo.com/a%23f"},
    {"-scheme", "https://www.foo.com/a", "https://foo.com/a"},
    {"-plus,-slashes", "foo.com//a%20b", "foo.com//a%20b"},
    {"-unescape", "foo.com/%41", "foo.com/%41"},
    {"-lowercase", "http://Foo.com/A", "foo.com/A"},
    {NULL,
     "http://b\xc3\xbc"
     "cher.ch/",
     "xn--bcher-kva.ch/"},
    {"-idn",
     "http://b\xc3\xbc"
     "cher.ch/",
     "b\xc3\xbc"
     "cher.ch/"},
    {NULL, "http://[::1]:80/a", "[::1]/a"},
    {NULL, "mailto:a@b.c", "mailto:a@b.c"},
    {NULL, "http://foo.com/%c3%a9", "foo.com/%C3%A9"},
    {NULL, "http://foo.com/\xff", "foo.com/%FF"},
    {NULL, "http://foo.com?x=1", "foo.com/?x=1"},
    {NULL, "http://foo.com/a%3fb%23c", "foo.com/a%3Fb%23c"},
};

/* Published: tests/test_surt.py, the Java tests it names, and the Google examples in them. */
static const struct sample surt[] = {
    {NULL, "http://www.archive.org/", "org,archive)/"},
    {NULL, "http://archive.org/", "org,archive)/"},
    {NULL, "http://archive.org/goo/", "org,archive)/goo"},
    {NULL, "http://archive.org/goo/?", "org,archive)/goo"},
    {NULL, "http://archive.org/goo/?b&a", "org,archive)/goo?a&b"},
    {NULL, "http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"},
    {NULL, "http://archive.org:/", "org,archive)/"},
    {NULL, "filedesc:foo.arc.gz", "filedesc:foo.arc.gz"},
    {NULL, "filedesc://foo.arc.gz", "filedesc://foo.arc.gz"},
    {NULL, "warcinfo:foo.warc.gz", "warcinfo:foo.warc.gz"},
    {NULL, "dns:alexa.com", "dns:alexa.com"},
    {NULL, "mailto:foo@example.com", "mailto:foo@example.com"},
    {NULL, "whois://whois.isoc.org.il/shaveh.co.il", "il,org,isoc,whois)/shaveh.co.il"},
    {NULL, "http://archive.org/index.php?PHPSESSID=" ID32 "&action=profile;u=4221",
     "org,archive)/index.php?action=profile;u=4221"},
    {NULL,
     "http://visit.webhosting.yahoo.com/visit.gif?&r=http%3A//web.archive.org/web/20090517140029/"
     "http%3A//anthonystewarthead.electric-chi.com/&b=Netscape%205.0%20%28Windows%3B%20en-US%29"
     "&s=1366x768&o=Win32&c=24&j=true&v=1.2",
     "com,yahoo,webhosting,visit)/visit.gif?&b=netscape%205.0%20(windows;%20en-us)&c=24&j=true"
     "&o=win32&r=http://web.archive.org/web/20090517140029/http://anthonystewarthead.electric-chi"
     ".com/&s=1366x768&v=1.2"},
    {"-scheme", "http://www.example.com/", "http://(com,example)/"},
    {"-scheme,-www", "ftp://www.example.com/", "ftp://(com,example,www)/"},
    {"-www", "http://www.example.com/", "com,example,www)/"},
    {NULL, "http://example.com/app?item=Wroc%C5%82aw", "com,example)/app?item=wroc%c5%82aw"},
    {NULL, "http://192.168.1.254/info/", "254,1,168,192)/info"},
    {NULL, "https://[2600:1f18:200d:fb00:2b74:867c:ab0c:150a]/robots.txt",
     "2600:1f18:200d:fb00:2b74:867c:ab0c:150a)/robots.txt"},
    {NULL, "http://1kr.ua/newslist.html?tag=%E4%EE%F8%EA%EE%EB%FC%ED%EE%E5",
     "ua,1kr)/newslist.html?tag=%e4%ee%f8%ea%ee%eb%fc%ed%ee%e5"},
    {NULL, "http://www.aluroba.com/tags/%C3%CE%CA%C7%D1%E5%C7.htm",
     "com,aluroba)/tags/%c3%ce%ca%c7%d1%e5%c7.htm"},
    {NULL, "dskgfljsdlkgjslkj", "dskgfljsdlkgjslkj)/"},
    {NULL, "http:////////////////www.vikings.com", "com,vikings)/"},
    {NULL, "http://https://order.1and1.com", "com,1and1,order)/"},
    {NULL, "http://mineral.galleries.com:/minerals/c.htm", "com,galleries,mineral)/minerals/c.htm"},
    {NULL, "http://www.archive.org:80/", "org,archive)/"},
    {NULL, "https://www.archive.org:80/", "org,archive:80)/"},
    {NULL, "http://www.archive.org:443/", "org,archive:443)/"},
    {NULL, "https://www.archive.org:443/", "org,archive)/"},
    {"-default-port", "http://www.archive.org:80/", "org,archive:80)/"},
    {NULL, "http://host/%25%32%35", "host)/%25"},
    {NULL, "http://host/%25%32%35%25%32%35", "host)/%25%25"},
    {NULL, "http://host/%2525252525252525", "host)/%25"},
    {NULL, "http://host/asdf%25%32%35asd", "host)/asdf%25asd"},
    {NULL, "http://host/%%%25%32%35asd%%", "host)/%25%25%25asd%25%25"},
    {"-www,-trailing-slash,-reverse,-scheme",
     "http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/%2E%73%65%63%75%72%65/%77%77%77%2E%65%62%61"
     "%79%2E%63%6F%6D/",
     "http://168.188.99.26/.secure/www.ebay.com/"},
    {NULL, "http://195.127.0.11/uploads/%20%20%20%20/.verify/.eBaysecure=up",
     "11,0,127,195)/uploads/%20%20%20%20/.verify/.ebaysecure=up"},
    {"-scheme,-reverse,-lowercase",
     "http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55"
     "%252B",
     "http://host%23.com/~a!b@c%23d$e%25f^00&11*22(33)44_55+"},
    {NULL, "http://3279880203/blah", "11,0,127,195)/blah"},
    {NULL, "http://39024579298/", "226,210,11,22)/"},
    {NULL, "http://017.0.0.1/", "1,0,0,15)/"},
    {NULL, "http://10.0.258/", "2,1,0,10)/"},
    {NULL, "http://1.2.3.256/", "256,3,2,1)/"},
    {"-ip", "http://3279880203/", "3279880203)/"},
    {NULL, "http://www.google.com/blah/..", "com,google)/"},
    {NULL, "http://a.b/../../c", "b,a)/c"},
    {NULL, "http://a.b/..", "b,a)/"},
    {NULL, "http://a.b/./c/./d/../e/", "b,a)/c/e"},
    {"-dot-segments", "http://a.b/c/../d", "b,a)/c/../d"},
    {NULL, "www.google.com/", "com,google)/"},
    {NULL, "www.google.com", "com,google)/"},
    {NULL, "http://www.evil.com/blah#frag", "com,evil)/blah"},
    {"-fragment", "http://www.evil.com/blah#frag", "com,evil)/blah#frag"},
    {NULL, "http://evil.com/foo#bar#baz", "com,evil)/foo"},
    {NULL, "http://www.GOOgle.com/", "com,google)/"},
    {NULL, "http://www.google.com.../", "com,google)/"},
    {NULL, "https://...foo...bar.org.../", "org,bar,foo)/"},
    {NULL, "http://www.google.com/foo\tbar\rbaz\v2", "com,google)/foobarbaz%0b2"},
    {NULL, "http://www.google.com/q?r?", "com,google)/q?r?"},
    {NULL, "http://www.google.com/q?r?s", "com,google)/q?r?s"},
    {NULL, "http://evil.com/foo?bar;", "com,evil)/foo?bar;"},
    {NULL, "http://\xc3\xbc\x01.com/", "com,%c3%bc%01)/"},
    {NULL,
     "B\xc3\xbc"
     "cher.ch:8080",
     "ch,xn--bcher-kva:8080)/"},
    {NULL,
     "http://B\xc3\xbc"
     "cher.ch:8080",
     "ch,xn--bcher-kva:8080)/"},
    {NULL, "http://xn--bcher-kva.ch/", "ch,xn--bcher-kva)/"},
    {NULL, "http://b%C3%BCcher.ch/", "ch,xn--bcher-kva)/"},
    {"-idn",
     "http://b\xc3\xbc"
     "cher.ch/",
     "ch,b%c3%bccher)/"},
    {NULL, "http://fa\xc3\x9f.de/", "de,xn--fa-hia)/"}, /* fass.de is another host */
    {NULL, "http://notrailingslash.com", "com,notrailingslash)/"},
    {NULL, "http://www.gotaport.com:1234/", "com,gotaport:1234)/"},
    {NULL, "  http://www.google.com/  ", "com,google)/"},
    {NULL, "http:// leadingspace.com/", "com,%20leadingspace)/"},
    {NULL, "%20leadingspace.com/", "com,%20leadingspace)/"},
    {NULL, "http://host.com/ab%23cd", "com,host)/ab%23cd"},
    {NULL, "http://host.com//twoslashes?more//slashes", "com,host)/twoslashes?more//slashes"},
    {NULL, "http://a.b/(S(" ID24 "))/mileg.aspx", "b,a)/mileg.aspx"},
    {NULL, "http://a.b/(" ID24 ")/mileg.aspx", "b,a)/mileg.aspx"},
    {NULL, "http://a.b/(a(" ID24 ")S(" ID24 ")f(" ID24 "))/mileg.aspx?page=s",
     "b,a)/mileg.aspx?page=s"},
    {NULL, "http://a.b/(" ID24 ")/mileg.html", "b,a)/(" ID24 ")/mileg.html"},
    {NULL, "http://a.b/photos/36050182@N05/", "b,a)/photos/36050182@n05"},
    {NULL, "http://a.b/?jsessionid=" ID32, "b,a)/"},
    {NULL, "http://a.b/?jsessionid=" ID32 "0", "b,a)/?jsessionid=" ID32 "0"},
    {NULL, "http://a.b/?one=two&jsessionid=" ID32 "&x=y", "b,a)/?one=two&x=y"},
    {NULL, "http://a.b/?one=two&phpsessid=" ID32, "b,a)/?&one=two"}, /* the "&" stays and sorts */
    {NULL, "http://a.b/?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y", "b,a)/?x=y"},
    {NULL, "http://a.b/?CFID=1169580&CFTOKEN=48630702&r=1", "b,a)/?r=1"},
    {"-session-ids", "http://a.b/?sid=" ID32, "b,a)/?sid=" ID32},
    {"-sort-query", "http://a.b/?z=1&a=2", "b,a)/?z=1&a=2"},
    {NULL, "http://a.b/?a=b&a=a", "b,a)/?a=a&a=b"},
    {NULL, "http://a.b/?b=b&a=b&b=a&a=a", "b,a)/?a=a&a=b&b=a&b=b"},
    {NULL, "http://a.b/?a=1&", "b,a)/?&a=1"},
    {"-lowercase", "http://A.b/Foo?X=Y", "b,a)/Foo?X=Y"},
    {"-trailing-slash", "http://a.b/c/", "b,a)/c/"},
    {"-empty-query", "http://a.b/c?", "b,a)/c?"},
    {NULL, "http://user:pass@a.b/", "b,a)/"},
    {"-userinfo", "http://user:pass@a.b/", "user:pass@b,a)/"},
    {NULL, "http://a.b:99999/", "http://a.b:99999/"},
    {NULL, "http://a.b:x/", "http://a.b:x/"},
    {NULL, "https://./", "https:/"},
    {NULL, "http://a.b/\xff\xfe?\xff", "b,a)/%ff%fe?%ff"},
    {NULL, "http://a.b/\x01\x7f", "b,a)/%01%7f"},
    {NULL, "   ", "   "},
};

static const struct sample none[] = {
    {NULL, "HTTP://User@WWW.A.org:80/../?", "http://User@www.a.org/?"},
    {"-dot-segments", "HTTP://User@WWW.A.org:80/../?", "http://User@www.a.org/../?"},
    {NULL, "http://a.org/x#top", "http://a.org/x"},
    {"-fragment", "http://a.org/x#top", "http://a.org/x#top"},
    {NULL, "http://a.org#top", "http://a.org"},
    {NULL, "urn:x#top", "urn:x#top"},
    {NULL, "C#", "C#"},
    {NULL, "HTTP://A.org:80", "http://a.org"}, /* an empty path stays */
    {NULL, "http://a.org:80/\xc3\xa9 <?\"#X", "http://a.org/\xc3\xa9 <?\""}, /* and its bytes */
    {NULL, "http://a.org:99999/", "http://a.org:99999/"}, /* no URL: stays */
    {NULL, "http://A.org\\%41\\.\t/ ", "http://a.org/%41/"},
    {"-dot-segments", "http://A.org\\%41\\.\t/ ", "http://a.org/%41\\.\t/ "},
    {"-host,-dot-segments", "HTTP://A.org:80\\b#c", "HTTP://A.org:80\\b#c"},
    {"-host", "http://A.org:80/b#c", "http://A.org:80/b"},
    {NULL, "A.org:80/../", "A.org:80/../"},
    {NULL, "gopher://A.org:80/../", "gopher://A.org:80/../"},
};

/* Spellings that browsers take for one page; the first is their own. */
static const char *const one_page[][4] = {
    {"http://b.example/a/c", "http://b.example/a\\c", "http://b.example/a/b/%2e%2E/c",
     "http://b.example/a/%2E/c"},
    {"http://b.example:443/", "http://b.example:0443/a/..", "http:/\\b.example:443/.",
     "http://b.example:443/x\t/../"},
    {"http://xn--bcher-kva.example/a",
     "http://b\xc3\xbc"
     "cher.example/a",
     "http://B\xc3\x9c"
     "CHER.example:80/a",
     "http://b%C3%BCcher\xe3\x80\x82"
     "example/a"},
    {"http://b.example/", "http://b.example:80/", "http://B.Example:/", "HTTP:\\\\b.example\\"},
    {"https://b.example/", "https://b.example:443/", "https:///b.example/", "https://@b.example/"},
    {"ftp://b.example/", "ftp://b.example:0021/", "fTP://b.example/", "ftp://b.exam%70le/"},
    {"http://127.0.0.1/", "http://0x7f.1/", "http://017700000001/", "http://2130706433./"},
    {"http://fa\xc3\x9f.de/", "http://xn--fa-hia.de/", "http://fa%C3%9f.DE/",
     "http://xn--FA-HIA.de/"},
    {"http://[2001:db8::1:0:0:1]/", "http://[2001:DB8:0:0:1:0:0:1]/",
     "http://[2001:db8::1:0:0:1]:80/", "http://[2001:0db8::0001:0000:0:1]:/"},
};

static char out[MR_NAME_MAX_BYTES];

static unsigned check(const char *profile, const struct sample *samples, size_t n)
{
    unsigned failed = 0;
    for (size_t i = 0; i < n; i++) {
        const struct sample *sample = &samples[i];
        struct mr_canonical canonical;
        assert_int_equal(mr_canonical_parse(profile, &canonical, NULL), MR_OK);
        if (sample->rules != NULL) {
            assert_int_equal(mr_canonical_switch(&canonical, sample->rules, NULL), MR_OK);
        }
        size_t bytes = mr_canonical_name(&canonical, sample->name, strlen(sample->name), out);
        if (bytes != strlen(sample->canonical) || memcmp(out, sample->canonical, bytes) != 0) {
            print_error("%s %s\n     name %s\n expected %s\n      got %.*s\n", profile,
                        sample->rules != NULL ? sample->rules : "", sample->name, sample->canonical,
                        (int)bytes, out);
            failed++;
        }
    }
    return failed;
}

#define CHECK(profile) check(#profile, profile, sizeof profile / sizeof profile[0])

static void profiles_do_what_their_tools_publish(void **state)
{
    (void)state;
    assert_int_equal(CHECK(none) + CHECK(heritrix) + CHECK(wayback) + CHECK(surt), 0);
}

static void spellings_of_browsers_are_one_page_in_every_profile(void **state)
{
    (void)state;
    for (int p = 0; p < MR_CANONICAL_PROFILES; p++) {
        const char *profile = mr_canonical_profile_name((enum mr_canonical_profile)p);
        for (size_t i = 0; i < sizeof one_page / sizeof one_page[0]; i++) {
            char page[100];
            struct mr_canonical canonical;
            assert_int_equal(mr_canonical_parse(profile, &canonical, NULL), MR_OK);
            page[mr_canonical_name(&canonical, one_page[i][0], strlen(one_page[i][0]), page)] =
                '\0';
            for (int k = 1; k < 4; k++) {
                const struct sample sample = {NULL, one_page[i][k], page};
                assert_int_equal(check(profile, &sample, 1), 0);
            }
        }
    }
}

static void every_rule_of_every_profile_can_be_switched(void **state)
{
    (void)state;
    for (int p = 0; p < MR_CANONICAL_PROFILES; p++) {
        const struct mr_canonical_rule *rules = mr_canonical_rules((enum mr_canonical_profile)p);
        for (unsigned i = 0; rules[i].name != NULL; i++) {
            struct mr_canonical canonical, back;
            char text[64];
            assert_int_equal(
                mr_canonical_parse(mr_canonical_profile_name((enum mr_canonical_profile)p),
                                   &canonical, NULL),
                MR_OK);
            (void)snprintf(text, sizeof text, "%c%s", rules[i].is_default ? '-' : '+',
                           rules[i].name);
            uint32_t before = canonical.rules;
            assert_int_equal(mr_canonical_switch(&canonical, text, NULL), MR_OK);
            assert_int_equal(before ^ canonical.rules, 1u << i);
            assert_true(mr_canonical_of(mr_canonical_number(&canonical), &back));
            assert_int_equal(back.profile, canonical.profile);
            assert_int_equal(back.rules, canonical.rules);
        }
    }
}

static void mistakes_name_what_there_is(void **state)
{
    struct mr_canonical canonical;
    struct mr_error err = {0};
    (void)state;
    assert_int_equal(mr_canonical_parse("heretrix", &canonical, &err), MR_ERROR_USAGE);
    assert_string_equal(err.message, "must be none, heritrix, wayback or surt");
    assert_int_equal(mr_canonical_parse("heritrix", &canonical, NULL), MR_OK);
    err = (struct mr_error){0};
    assert_int_equal(mr_canonical_switch(&canonical, "-www,-ports", &err), MR_ERROR_USAGE);
    assert_string_equal(err.message,
                        "no rule \"ports\" in profile heritrix; there are lowercase, userinfo, "
                        "www, session-ids, cfid, query, extra-slashes");
}

static void a_number_of_the_store_is_known_or_refused(void **state)
{
    struct mr_canonical canonical;
    (void)state;
    assert_int_equal(mr_canonical_parse("none", &canonical, NULL), MR_OK);
    assert_int_equal(mr_canonical_number(&canonical), MR_NAME_KEY_SURT);
    assert_true(mr_canonical_of(MR_NAME_KEY_SURT, &canonical));
    assert_int_equal(canonical.profile, MR_CANONICAL_NONE);
    assert_false(mr_canonical_of(0, &canonical));
    assert_false(mr_canonical_of(MR_NAME_KEY_BARE, &canonical));
    canonical = (struct mr_canonical){.reversed_hosts = true};
    assert_int_equal(mr_canonical_number(&canonical), MR_NAME_KEY_HOST);
    canonical.reversed_hosts = false;
    assert_true(mr_canonical_of(MR_NAME_KEY_HOST, &canonical) && canonical.reversed_hosts);
    assert_true(mr_canonical_of(MR_NAME_KEY_SURT, &canonical) && !canonical.reversed_hosts);
    assert_false(mr_canonical_of(MR_NAME_KEY_SURT | 7u << 8, &canonical));
    assert_false(mr_canonical_of(MR_NAME_KEY_SURT | 1u << 8, &canonical)); /* not with spellings */
    assert_false(mr_canonical_of(MR_NAME_KEY_SURT | 1u << 20, &canonical));
}

/* For any bytes the canonical name stays within its bounds, is never empty, and gets no new line
 * feed. */
static void any_bytes_have_a_canonical_name(void **state)
{
    static const char alphabet[] = "htp:/.w@?&=#%25aZ[]()0\\\n\t \0\xff\xc3\xbc";
    uint64_t random = 88172645463325252u;
    static char name[MR_NAME_MAX_BYTES];
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        size_t bytes = 1 + random % (round % 500 == 0 ? sizeof name : 60);
        bool has_line_feed = false;
        for (size_t i = 0; i < bytes; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            name[i] = alphabet[random % (sizeof alphabet - 1)];
            has_line_feed |= name[i] == '\n';
        }
        for (unsigned p = 0; p < MR_CANONICAL_PROFILES; p++) {
            struct mr_canonical canonical;
            assert_int_equal(
                mr_canonical_parse(mr_canonical_profile_name((enum mr_canonical_profile)p),
                                   &canonical, NULL),
                MR_OK);
            canonical.rules ^= (uint32_t)(random >> 40) & (round % 2 != 0 ? 0x1ffff : 0);
            size_t out_bytes = mr_canonical_name(&canonical, name, bytes, out);
            assert_in_range(out_bytes, 1, MR_NAME_MAX_BYTES);
            assert_true(has_line_feed || memchr(out, '\n', out_bytes) == NULL);
        }
    }
}

static void the_longest_name_that_grows_too_long_stays(void **state)
{
    static char name[MR_NAME_MAX_BYTES];
    struct mr_canonical canonical;
    (void)state;
    memset(name, 0xff, sizeof name);
    memcpy(name, "http://a.b/", 11);
    assert_int_equal(mr_canonical_parse("surt", &canonical, NULL), MR_OK);
    assert_int_equal(mr_canonical_name(&canonical, name, sizeof name, out), sizeof name);
    assert_memory_equal(out, name, sizeof name);
    size_t third = sizeof name / 3;
    assert_int_equal(mr_canonical_name(&canonical, name, third, out), 3 * (third - 11) + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_do_what_their_tools_publish),
        cmocka_unit_test(spellings_of_browsers_are_one_page_in_every_profile),
        cmocka_unit_test(every_rule_of_every_profile_can_be_switched),
        cmocka_unit_test(mistakes_name_what_there_is),
        cmocka_unit_test(a_number_of_the_store_is_known_or_refused),
        cmocka_unit_test(any_bytes_have_a_canonical_name),
        cmocka_unit_test(the_longest_name_that_grows_too_long_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
