package org.apache.spark.kafka010

import java.util
import org.apache.spark.SparkConf
import scala.jdk.CollectionConverters._

/* Spark's Kafka source asks these for delegation tokens by which to log in. The broker of the tests wants no login, and
 * not every registry has the artifact that knows of tokens: here is what the source needs of it when there are none. */

/** The settings of a client that are given, and more. */
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

/** A cluster that takes tokens: there is none. */
sealed abstract class KafkaTokenClusterConf

object KafkaTokenUtil {
  def findMatchingTokenClusterConfig(conf: SparkConf, servers: String): Option[KafkaTokenClusterConf] = None

  def needTokenUpdate(params: util.Map[String, Object], cluster: Option[KafkaTokenClusterConf]): Boolean = false
}

object KafkaRedactionUtil {

  /** Parameters as they may stand in a log: without tokens nothing in them is secret. */
  def redactParams(params: Seq[(String, Object)]): Seq[(String, String)] =
    params.map { case (name, value) => name -> String.valueOf(value) }
}
