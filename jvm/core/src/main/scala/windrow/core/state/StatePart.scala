package windrow.core.state

/** A part of the state of a shard. Its directory stands in the header of the shard. */
trait StatePart {

  /** Reads the directory when the shard is opened with an existing state. */
  def readDirectory(in: ByteReader): Unit

  /** Writes the changes of a step to the store. Called before the directory is written. */
  def flush(): Unit = ()

  def writeDirectory(out: ByteWriter): Unit
}

/** A part of the state that consists of parts. Their directories follow one another. */
trait StateParts extends StatePart {

  /** The parts in the order of their directories. */
  protected def parts: Seq[StatePart]

  def readDirectory(in: ByteReader): Unit   = parts.foreach(_.readDirectory(in))
  override def flush(): Unit                = parts.foreach(_.flush())
  def writeDirectory(out: ByteWriter): Unit = parts.foreach(_.writeDirectory(out))
}
