package org.apache.spark.sql.windrow

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}

/** Occupies the memory of the running task and never frees any for others. */
final class MemoryTaken private extends MemoryConsumer(TaskContext.get().taskMemoryManager(), MemoryMode.ON_HEAP) {
  override def spill(size: Long, trigger: MemoryConsumer): Long = 0
}

object MemoryTaken {

  /** Occupies all memory except `left` bytes until the task ends. */
  def allBut(left: Long): Unit = {
    val taken = new MemoryTaken
    taken.acquireMemory(Long.MaxValue / 2)
    taken.freeMemory(left)
    TaskContext.get().addTaskCompletionListener[Unit](_ => taken.freeMemory(taken.getUsed))
    ()
  }
}
