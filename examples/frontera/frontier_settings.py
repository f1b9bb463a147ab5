# SPDX-License-Identifier: Apache-2.0
BACKEND = "frontera.contrib.backends.sqlalchemy.Distributed"
STRATEGY = "ranked_strategy.RankedStrategy"
SQLALCHEMYBACKEND_ENGINE = "sqlite:///frontier.db"
SQLALCHEMYBACKEND_DROP_ALL_TABLES = False
SQLALCHEMYBACKEND_CLEAR_CONTENT = False
SPIDER_FEED_PARTITIONS = 1
