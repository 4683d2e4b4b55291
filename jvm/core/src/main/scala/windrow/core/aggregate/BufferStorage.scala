package windrow.core.aggregate

/** Manages buffers that contain their messages. The buffer of a slice or of a session owns the messages that it has
  * moved to the store; buffers derived from it may read them as long as the owner exists.
  */
private[windrow] trait BufferStorage[B] { self =>

  /** The number of messages in a buffer. */
  def messages(buffer: B): Long

  /** Moves most of a buffer to the store if it is large, before its owner is written. */
  def putApart(buffer: B): Unit

  /** Removes the stored messages of a buffer whose owner is removed. */
  def release(buffer: B): Unit

  final def of[C](inner: C => B): BufferStorage[C] = new BufferStorage[C] {
    def messages(buffer: C): Long = self.messages(inner(buffer))
    def putApart(buffer: C): Unit = self.putApart(inner(buffer))
    def release(buffer: C): Unit  = self.release(inner(buffer))
  }
}
