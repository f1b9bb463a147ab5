-- MySQL dump 10.19  Distrib 10.3.38-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: examplewiki
-- ------------------------------------------------------
/*!40101 SET NAMES utf8mb4 */;

--
-- Table structure for table `pagelinks`
--

DROP TABLE IF EXISTS `pagelinks`;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `pagelinks` (
  `pl_from` int(8) unsigned NOT NULL DEFAULT 0,
  `pl_from_namespace` int(11) NOT NULL DEFAULT 0,
  `pl_target_id` bigint(20) unsigned NOT NULL,
  PRIMARY KEY (`pl_from`,`pl_target_id`)
) ENGINE=InnoDB DEFAULT CHARSET=binary ROW_FORMAT=COMPRESSED;

--
-- Dumping data for table `pagelinks`
--

/*!40000 ALTER TABLE `pagelinks` DISABLE KEYS */;
INSERT INTO `pagelinks` VALUES (10,0,502),(10,0,503),(10,0,512),(11,0,501),(11,0,505),(12,0,506),(12,0,507),(12,0,512),(13,0,508),(13,0,510),(14,0,501),(15,0,503);
INSERT INTO `pagelinks` VALUES (15,0,507),(16,0,503),(16,0,506),(18,1,502),(19,0,503),(19,0,509),(21,0,511),(23,0,502),(23,0,511),(24,0,513),(10,0,514),(12,0,505);
/*!40000 ALTER TABLE `pagelinks` ENABLE KEYS */;

-- Dump completed on 2026-11-01  3:14:15
