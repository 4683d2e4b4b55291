package windrow.operators

import java.nio.charset.StandardCharsets.UTF_8
import windrow.core.state.{ByteReader, ByteWriter, ShardStore, Space}
import windrow.{CheckpointError, ErrorConditions}

/** Stores, in addition to the state of an operator, its identity and its clock, because periods continue to count while
  * an operator is closed (SEMANTICS R63).
  *
  * @param identity
  *   the properties with which the operator was created and which may not change; none if it is empty
  */
private[operators] final class OperatorRecord(store: ShardStore, identity: Seq[String]) {
  import OperatorRecord._

  private val properties = store.space("standalone")
  private val time       = store.space("clock")

  /** Compares the identity with the stored one (SEMANTICS S2).
    *
    * @throws windrow.CheckpointError
    *   if they differ
    */
  def check(): Unit = stored(properties, "the identity of the operator").foreach { in =>
    read(in).zipAll(identity, "nothing", "nothing").find { case (was, is) => was != is }.foreach { case (was, is) =>
      throw new CheckpointError(ErrorConditions.message("SPEC_CHANGED.OPERATOR", "found" -> was, "stated" -> is))
    }
  }

  /** The last processing time. */
  def clock: Option[Long] = stored(time, "the clock").map(_.long())

  def write(now: Option[Long]): Unit = {
    if (identity.nonEmpty && properties.get(Only) == null) put(properties) { out =>
      out.count(identity.size.toLong)
      identity.foreach(one => out.bytes(one.getBytes(UTF_8)))
    }
    now.filterNot(clock.contains).foreach(micros => put(time)(_.long(micros)))
  }
}

private object OperatorRecord {
  private val Only = 0L

  private def stored(space: Space, what: String): Option[ByteReader] =
    Option(space.get(Only)).map(ByteReader.unsealed(_, what))

  private def put(space: Space)(content: ByteWriter => Unit): Unit = {
    val out = new ByteWriter
    content(out)
    space.put(Only, out.sealedResult())
  }

  private def read(in: ByteReader): Seq[String] = Seq.fill(in.size())(new String(in.bytes(), UTF_8))
}
