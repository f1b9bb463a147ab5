-- MySQL dump 10.19  Distrib 10.3.38-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: examplewiki
-- ------------------------------------------------------
/*!40101 SET NAMES utf8mb4 */;

--
-- Table structure for table `page`
--

DROP TABLE IF EXISTS `page`;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `page` (
  `page_id` int(8) unsigned NOT NULL AUTO_INCREMENT,
  `page_namespace` int(11) NOT NULL DEFAULT 0,
  `page_title` varbinary(255) NOT NULL DEFAULT '',
  `page_is_redirect` tinyint(1) unsigned NOT NULL DEFAULT 0,
  `page_is_new` tinyint(1) unsigned NOT NULL DEFAULT 0,
  `page_random` double unsigned NOT NULL DEFAULT 0,
  `page_touched` binary(14) NOT NULL,
  `page_links_updated` varbinary(14) DEFAULT NULL,
  `page_latest` int(8) unsigned NOT NULL DEFAULT 0,
  `page_len` int(8) unsigned NOT NULL DEFAULT 0,
  `page_content_model` varbinary(32) DEFAULT NULL,
  `page_lang` varbinary(35) DEFAULT NULL,
  PRIMARY KEY (`page_id`)
) ENGINE=InnoDB DEFAULT CHARSET=binary ROW_FORMAT=COMPRESSED;

--
-- Dumping data for table `page`
--

/*!40000 ALTER TABLE `page` DISABLE KEYS */;
INSERT INTO `page` VALUES (10,0,'PageRank',0,0,0.35,'20261031120000',NULL,1010,210,'wikitext',NULL),(11,0,'Larry_Page',0,0,0.36,'20261031120000','20261031120000',1011,211,'wikitext',NULL),(12,0,'Markov_chain',0,0,0.37,'20261031120000',NULL,1012,212,'wikitext',NULL),(13,0,'O\'Reilly_Media',0,0,0.38,'20261031120000','20261031120000',1013,213,'wikitext',NULL),(14,0,'Page_rank',1,0,0.39,'20261031120000',NULL,1014,214,'wikitext',NULL),(15,0,'Stochastic_process',0,0,0.4,'20261031120000','20261031120000',1015,215,'wikitext',NULL),(16,0,'Random_\"walk\",_(1,0,\'',0,0,0.41000000000000003,'20261031120000',NULL,1016,216,'wikitext',NULL),(17,0,'Pagerank_algorithm',1,0,0.42000000000000004,'20261031120000','20261031120000',1017,217,'wikitext',NULL);
INSERT INTO `page` VALUES (18,1,'PageRank',0,0,0.43,'20261031120000',NULL,1018,218,'wikitext',NULL),(19,0,'Eigenvector',0,0,0.44,'20261031120000','20261031120000',1019,219,'wikitext',NULL),(20,0,'Orphan',0,0,0.45,'20261031120000',NULL,1020,220,'wikitext',NULL),(21,0,'Circle_A',1,0,0.45999999999999996,'20261031120000','20261031120000',1021,221,'wikitext',NULL),(22,0,'Circle_B',1,0,0.47,'20261031120000',NULL,1022,222,'wikitext',NULL),(23,0,'Zürich',0,0,0.48,'20261031120000','20261031120000',1023,223,'wikitext',NULL),(24,0,'Back\\slash',0,0,0.49,'20261031120000',NULL,1024,224,'wikitext',NULL);
/*!40000 ALTER TABLE `page` ENABLE KEYS */;

-- Dump completed on 2026-11-01  3:14:15
