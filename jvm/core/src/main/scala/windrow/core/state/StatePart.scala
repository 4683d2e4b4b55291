package windrow.core.state

/** A part of the state of a shard. Its directory stands in the header of the shard. */
trait StatePart {

  /** Reads the directory when the shard is opened with an existing state. */
  def readDirectory(in: ByteReader): Unit

  /** Writes the changes of a step to the store. Called before the directory is written. */
  def flush(): Unit = ()

  def writeDirectory(out: ByteWriter): Unit
}
