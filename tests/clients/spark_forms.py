# SPDX-License-Identifier: Apache-2.0
"""Runs inside Spark for client_spark.py: reads the shards parts/LAYOUT of each LAYOUT as docs/performance.md does, into
read/LAYOUT.json, and writes links (links.tsv, numbers.tsv) and ranks in the forms that Spark has."""

import json
import os
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")


def read(layout):
    """Rows of pages and of links."""
    folders = f"parts/{layout}/vertices", f"parts/{layout}/edges"
    if "graphframes" in layout:
        schemas = "id LONG, name STRING", "src LONG, dst LONG, weight DOUBLE" if "weights" in layout else "src LONG, dst LONG"
        return [spark.read.csv(folder, header=True, schema=schema).collect() for folder, schema in zip(folders, schemas)]
    return [spark.sparkContext.textFile(folder).map(lambda line: line.split("\t")).collect() for folder in folders]


def write(folder, frame, pair):
    """A frame in all forms; `pair` has the two columns that a tuple or a line with a tab takes."""
    two = frame.select(*pair)
    two.write.csv(f"{folder}/tab", sep="\t")
    two.rdd.map(lambda row: f"({row[0]},{row[1]})").saveAsTextFile(f"{folder}/tuples")
    two.rdd.saveAsTextFile(f"{folder}/rows")
    for name, options in (("csv", {}), ("header", {"header": True}), ("quoted", {"quoteAll": True, "header": True}),
                          ("gzip", {"compression": "gzip"}), ("bzip2", {"compression": "bzip2"})):
        frame.write.csv(f"{folder}/{name}", **options)
    frame.limit(0).union(frame).write.csv(f"{folder}/empty-parts", header=True)
    frame.write.json(f"{folder}/json")
    frame.write.json(f"{folder}/json-gzip", compression="gzip")
    frame.write.parquet(f"{folder}/parquet")
    frame.write.orc(f"{folder}/orc")


def table(name, schema):
    with open(name, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return spark.createDataFrame([tuple(map(int, row)) if "LONG" in schema else row for row in rows], schema).repartition(3)


os.makedirs("read")
for wanted in sys.argv[1:]:
    with open(f"read/{wanted}.json", "w", encoding="utf-8") as out:
        json.dump(read(wanted), out)
for kind, type_name in (("links", "STRING"), ("numbers", "LONG")):
    write(kind, table(f"{kind}.tsv", f"src {type_name}, dst {type_name}"), ("src", "dst"))
links = table("links.tsv", "src STRING, dst STRING")
links.selectExpr("xxhash64(src) AS src", "xxhash64(dst) AS dst").write.csv("hashes", header=True)
table("numbers.tsv", "src LONG, dst LONG").rdd.map(lambda row: f"Edge({row[0]},{row[1]},1)").saveAsTextFile("numbers/edges")
pages = spark.read.csv("parts/graphframes/vertices", header=True, schema="id LONG, name STRING")
write("ranks", pages.selectExpr("id", "name", "id + 0.5D AS pagerank"), ("name", "pagerank"))
