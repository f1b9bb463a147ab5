# SPDX-License-Identifier: Apache-2.0
"""Ranks with GraphX what `millrace export STORE --shards N -o SHARDS` wrote, and writes lines NAME<TAB>SCORE:

    spark-submit rank.py SHARDS RANKS [TOLERANCE]
    millrace certify RANKS --graph STORE

GraphX comes with Spark, and Python reaches it through the gateway to the JVM. All pages are ranked, those without links,
too. Scores have the sum n, which Millrace divides out. A page whose score changes by less than TOLERANCE (1e-9) does not
pass it on."""

import sys

from pyspark.sql import SparkSession, functions

shards, ranks, tolerance = sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 1e-9
spark = SparkSession.builder.appName("ranks of shards").getOrCreate()
jvm = spark._jvm  # pylint: disable=protected-access
graphx = jvm.org.apache.spark.graphx
level = jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK()
some = jvm.scala.reflect.ClassTag.Any()  # the type of what pages and links carry

pages = spark.read.csv(f"{shards}/vertices", sep="\t", quote="", schema="id LONG, name STRING")
ids = getattr(pages.select("id")._jdf, "as")(jvm.org.apache.spark.sql.Encoders.LONG()).rdd()
links = graphx.GraphLoader.edgeListFile(jvm.org.apache.spark.SparkContext.getOrCreate(), f"{shards}/edges",
                                        False, -1, level, level).edges()
graph = graphx.Graph.apply(ids.zip(ids, some), links, None, level, level, some, some)  # Graph(names, edges, "")
graphx.lib.PageRank.runUntilConvergence(graph, tolerance, 0.15, some, some).vertices().saveAsTextFile(f"{ranks}.ids")

scores = spark.read.text(f"{ranks}.ids").select(  # (ID,SCORE)
    functions.regexp_extract("value", r"\((\d+),", 1).cast("long").alias("id"),
    functions.regexp_extract("value", r",(.*)\)", 1).alias("score"))
pages.join(scores, "id").select("name", "score").write.csv(ranks, sep="\t", quote="", emptyValue="")
