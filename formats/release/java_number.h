/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text in the way of Java's Double.toString and Float.toString (JDK 19 and later): the
 * shortest decimal that reads back as the same number, of at least two digits; plain from 10^-3 up
 * to 10^7, else like "1.25E-9". The ranks of Common Crawl are written so. */
#ifndef MR_FORMATS_SCORE_JAVA_NUMBER_H
#define MR_FORMATS_SCORE_JAVA_NUMBER_H

#include <stddef.h>

#define MR_JAVA_NUMBER_BYTES 32u

/* Write `value`, which is finite, to `text`, with a 0 at the end. Returns the length. */
size_t mr_java_double(double value, char text[MR_JAVA_NUMBER_BYTES]);
size_t mr_java_float(float value, char text[MR_JAVA_NUMBER_BYTES]);

#endif
