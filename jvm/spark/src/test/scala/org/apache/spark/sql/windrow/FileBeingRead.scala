package org.apache.spark.sql.windrow

import org.apache.spark.rdd.InputFileBlockHolder

/** Makes the calling thread look like a task that reads a file. */
object FileBeingRead {
  def set(path: String, from: Long): Unit = InputFileBlockHolder.set(path, from, 1000)
  def unset(): Unit                       = InputFileBlockHolder.unset()
}
