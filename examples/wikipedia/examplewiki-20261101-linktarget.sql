-- MySQL dump 10.19  Distrib 10.3.38-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: examplewiki
-- ------------------------------------------------------
/*!40101 SET NAMES utf8mb4 */;

--
-- Table structure for table `linktarget`
--

DROP TABLE IF EXISTS `linktarget`;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `linktarget` (
  `lt_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `lt_namespace` int(11) NOT NULL,
  `lt_title` varbinary(255) NOT NULL,
  PRIMARY KEY (`lt_id`)
) ENGINE=InnoDB DEFAULT CHARSET=binary ROW_FORMAT=COMPRESSED;

--
-- Dumping data for table `linktarget`
--

/*!40000 ALTER TABLE `linktarget` DISABLE KEYS */;
INSERT INTO `linktarget` VALUES (501,0,'PageRank'),(502,0,'Larry_Page'),(503,0,'Markov_chain'),(504,0,'O\'Reilly_Media'),(505,0,'Page_rank'),(506,0,'Stochastic_process'),(507,0,'Random_\"walk\",_(1,0,\'');
INSERT INTO `linktarget` VALUES (508,0,'Pagerank_algorithm'),(509,4,'PageRank'),(510,0,'Missing_page'),(511,0,'Circle_A'),(512,0,'Eigenvector'),(513,0,'Zürich'),(514,0,'Back\\slash');
/*!40000 ALTER TABLE `linktarget` ENABLE KEYS */;

-- Dump completed on 2026-11-01  3:14:15
