package windrow.core.state

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{LinkedHashMap => JLinkedHashMap}
import scala.jdk.CollectionConverters._
import windrow.{CheckpointError, ErrorConditions}

/** A store that buffers writes until `commit` and then applies them atomically. `commit` first writes all changes as
  * one value, the journal. After a crash between any two writes there is either no journal and the old state, or a
  * journal that the next start applies (SEMANTICS R25, R26).
  *
  * @param target
  *   any store whose spaces keep a value until it is removed
  */
final class JournaledStore(target: ShardStore) extends ShardStore {
  import JournaledStore._

  private val journal = target.space("journal")
  private val changes = new JLinkedHashMap[(String, Long), Option[Array[Byte]]]
  private var head    = Option.empty[Array[Byte]]
  private val undo    = new JLinkedHashMap[(String, Long), Option[Option[Array[Byte]]]] // old values since begin
  private var oldHead = Option.empty[Array[Byte]]

  Option(journal.get(Only)).foreach { bytes =>
    carryOut(ByteReader.unsealed(bytes, "the journal"))
    journal.remove(Only)
  }

  /** The header, or null if it is empty: a store cannot remove a header, so an empty one represents its absence. */
  def header: Array[Byte] = {
    val bytes = head.getOrElse(target.header)
    if (bytes == null || bytes.isEmpty) null else bytes.clone()
  }

  def putHeader(bytes: Array[Byte]): Unit = head = Some(bytes.clone())

  override def largeFrom: Int = target.largeFrom

  def space(name: String): Space = {
    val kept = target.space(name)
    new Space {
      def get(id: Long): Array[Byte] = {
        val changed = changes.get((name, id))
        if (changed == null) kept.get(id) else changed.fold(null: Array[Byte])(_.clone())
      }
      def put(id: Long, bytes: Array[Byte]): Unit = change((name, id), Some(bytes.clone()))
      def remove(id: Long): Unit                  = change((name, id), None)
    }
  }

  private def change(at: (String, Long), to: Option[Array[Byte]]): Unit = {
    undo.putIfAbsent(at, Option(changes.get(at)))
    changes.put(at, to)
    ()
  }

  /** Starts a unit of changes that `undoAll` can revert. */
  def begin(): Unit = {
    undo.clear()
    oldHead = head
  }

  /** Reverts all uncommitted changes since `begin`. Shards that have read any of them must not be used anymore. */
  def undoAll(): Unit = {
    undo.forEach { (at, was) => was.fold(changes.remove(at))(changes.put(at, _)); () }
    head = oldHead
    begin()
  }

  /** Writes all changes: messages, then metadata, then the header with the applied offsets. */
  def commit(): Unit = if (!changes.isEmpty || head.isDefined) {
    val out = new ByteWriter(4096)
    val all = changes.entrySet.asScala.toSeq.sortBy { entry =>
      (if (entry.getKey._1 == "messages") 0 else 1, entry.getKey)
    }
    out.count(all.size.toLong)
    all.foreach { change =>
      out.bytes(change.getKey._1.getBytes(UTF_8))
      out.long(change.getKey._2)
      writeOption(change.getValue, out)
    }
    writeOption(head, out)
    val bytes = out.sealedResult()
    journal.put(Only, bytes)
    carryOut(ByteReader.unsealed(bytes, "the journal"))
    journal.remove(Only)
    changes.clear()
    head = None
    begin()
  }

  /** The complete contents as one value, including uncommitted changes.
    *
    * @throws windrow.CheckpointError
    *   if the store cannot list its contents
    */
  def image(): Array[Byte] = {
    val all = listed.filterNot { case (space, id) => changes.containsKey((space, id)) }
      .map { case (space, id) => (space, id, target.space(space).get(id)) } ++
      changes.asScala.collect { case ((space, id), Some(bytes)) => (space, id, bytes) }
    val out = new ByteWriter(4096)
    out.count(all.size.toLong)
    all.sortBy(one => (one._1, one._2)).foreach { case (space, id, bytes) =>
      out.bytes(space.getBytes(UTF_8))
      out.long(id)
      out.bytes(bytes)
    }
    out.bytes(Option(header).getOrElse(Array.emptyByteArray))
    out.sealedResult()
  }

  /** Replaces the contents by an image, or removes them if it is None. Shards that have read the old contents must not
    * be used anymore.
    *
    * @throws windrow.core.state.DamagedStateError
    *   if the image is damaged; nothing has changed then
    */
  def replaceBy(image: Option[Array[Byte]]): Unit = {
    val in = image.map(ByteReader.unsealed(_, "a checkpoint"))
    val came = in.fold(Seq.empty[((String, Long), Array[Byte])])(in =>
      Seq.fill(in.size())((new String(in.bytes(), UTF_8), in.long()) -> in.bytes()))
    val known = listed
    changes.clear()
    known.foreach(changes.put(_, None))
    came.foreach { case (at, bytes) => changes.put(at, Some(bytes)) }
    head = Some(in.fold(Array.emptyByteArray)(_.bytes()))
    begin()
  }

  private def listed: Seq[(String, Long)] = target match {
    case listed: ListedStore => listed.entries.map { case (space, id, _) => (space, id) }.toSeq
    case _ => throw new CheckpointError(ErrorConditions.message("STORE_NOT_LISTED", "store" -> target.getClass.getName))
  }

  private def carryOut(in: ByteReader): Unit = {
    (0 until in.size()).foreach { _ =>
      val space = target.space(new String(in.bytes(), UTF_8))
      val id    = in.long()
      readOption(in).fold(space.remove(id))(space.put(id, _))
    }
    readOption(in).foreach(target.putHeader)
  }
}

private object JournaledStore {
  private val Only = 0L

  private def writeOption(bytes: Option[Array[Byte]], out: ByteWriter): Unit = {
    out.byte(if (bytes.isDefined) 1 else 0)
    bytes.foreach(out.bytes)
  }

  private def readOption(in: ByteReader): Option[Array[Byte]] = Option.when(in.byte() == 1)(in.bytes())
}
