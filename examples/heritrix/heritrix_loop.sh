#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rounds of the N best pages until none is left: heritrix_loop.sh N. jobs/loop has crawler-beans.cxml, and the first pages in
# seeds.txt.
logs=()
for ((round = 1; ; round++)); do
  (cd jobs && java -cp "$HERITRIX_HOME/lib/*" org.archive.crawler.Heritrix -a admin:admin -p 8499 -j . -r loop)
  launch=$(readlink -f jobs/loop/latest)
  logs+=("--fetched=$launch/logs/crawl.log")
  if [ -e crawl.mill ]; then
    millrace append crawl.mill "$launch"/warcs/*.warc.gz --replace --gone "$launch/logs/crawl.log"
  else
    millrace build -o crawl.mill "$launch"/warcs/*.warc.gz --profile heritrix
  fi
  millrace pagerank crawl.mill -o ranks.tsv --force
  millrace precedence ranks.tsv "${logs[@]}" --only unfetched --retries 1 --levels 126 -o "precedence-$round.txt" || break
  millrace pagerank crawl.mill "${logs[@]}" --retries 1 --next "${1-1000}" --urls-only >jobs/loop/seeds.txt
  [ -s jobs/loop/seeds.txt ] || break
  java -cp "$HERITRIX_HOME/lib/*" org.archive.crawler.frontier.precedence.PrecedenceLoader \
    "precedence-$round.txt" jobs/loop/state
done
