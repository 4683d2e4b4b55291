package org.apache.spark.kafka010

import java.util
import org.apache.spark.SparkConf
import scala.jdk.CollectionConverters._

/* Replaces the classes from which Spark's Kafka source requests delegation tokens for a login. The broker of the tests
 * does not require a login, and not every registry has the original artifact. This file contains only the parts that
 * the source calls without tokens. */

/** The settings of a client, which can be extended. */
final case class KafkaConfigUpdater(module: String, kafkaParams: Map[String, Object]) {
  private val settings = new util.HashMap[String, Object](kafkaParams.asJava)

  def set(name: String, value: Object): this.type = {
    settings.put(name, value)
    this
  }

  def setIfUnset(name: String, value: Object): this.type = {
    settings.putIfAbsent(name, value)
    this
  }

  def setAuthenticationConfigIfNeeded(): this.type = this

  def setAuthenticationConfigIfNeeded(cluster: Option[KafkaTokenClusterConf]): this.type = {
    require(cluster.isEmpty, "delegation tokens are not supported")
    this
  }

  def build(): util.Map[String, Object] = settings
}

/** A cluster that accepts tokens. Never created. */
sealed abstract class KafkaTokenClusterConf

object KafkaTokenUtil {
  def findMatchingTokenClusterConfig(conf: SparkConf, servers: String): Option[KafkaTokenClusterConf] = None

  def needTokenUpdate(params: util.Map[String, Object], cluster: Option[KafkaTokenClusterConf]): Boolean = false
}

object KafkaRedactionUtil {

  /** Returns parameters for a log. Nothing in them is secret without tokens. */
  def redactParams(params: Seq[(String, Object)]): Seq[(String, String)] =
    params.map { case (name, value) => name -> String.valueOf(value) }
}
