package windrow.spark.fullstate

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import windrow.core.fullstate.{FullStateEffect, FullStateShard}
import windrow.core.operator.{Entry, PaneLag}
import windrow.core.state.{ShardStore, SpecFingerprint}
import windrow.core.store.Incoming
import windrow.core.time.{Axis, Distance, Watermark}
import windrow.core.trigger.WindowTrigger
import windrow.spark.output.{OutputRow, OutputSchema}
import windrow.spark.packet.EntryCodec
import windrow.spark.query.{Answer, FullStateReader, Question, QuestionPacket, StateDescriptor}
import windrow.spark.rows.RowShape
import windrow.spark.shards.{OperatorRunner, ShardProgram, ShardRunner, StepPackets}
import windrow.{EachBatch, EachMessage, FullStateSpec, TimeSpan}

/** Runs the shards of full state. Stores rows unchanged; panes contain the new ones.
  *
  * @param answer
  *   answers the questions of a lookup stream
  */
final class FullStateProgram(
    spec: FullStateSpec,
    val fingerprint: SpecFingerprint,
    val shards: Int,
    schema: OutputSchema,
    answer: Option[Answer[FullStateReader]],
    override val processingTimeDelay: Option[TimeSpan],
    override val descriptor: Option[StateDescriptor])
    extends ShardProgram {
  def spaces: Seq[String] = FullStateShard.Spaces
  def hasPeriods: Boolean = processingTimeDelay.isDefined || new WindowTrigger(spec.early, spec.late).hasPeriods

  /** The lag of rows. Rows that are emitted immediately do not wait for the end of their window. */
  override def outputLag(kind: Int, column: Int): Distance[Axis.Time] = {
    val ofEnd  = PaneLag.ofEnd(spec.windows)
    val atOnce = spec.early == EachMessage || spec.early == EachBatch
    if (kind != OutputSchema.PaneKind || (atOnce && column == schema.resultsAt)) Distance.none
    else schema.lag(spec.window, ofEnd, column)
  }

  def runner(): ShardRunner = new Runner

  private final class Runner extends OperatorRunner[FullStateShard] {
    private val output = new OutputRow(schema)
    private val shape  = new RowShape(schema.message.map(_.dataType))

    protected def open(store: ShardStore): FullStateShard =
      new FullStateShard(spec, store, fingerprint, guards = guards)

    protected def run(
        shard: FullStateShard,
        packets: StepPackets,
        watermark: => Watermark,
        processingTime: Long): Iterator[Array[Byte]] = {
      val questions = Vector.newBuilder[(Question, Array[Byte])]
      val messages = packets.others.flatMap { packet =>
        if (QuestionPacket.is(packet)) { questions += QuestionPacket.read(packet); Iterator.empty }
        else incoming(packet)
      }
      // All questions are known, and the state is final for this step, once all panes have been consumed.
      val deltas = shard.step(messages, watermark, Some(processingTime), packets.progress)
      output.packets(
        deltas.map(Right(_)) ++ questions.result().iterator.map(Left(_)),
        (shard.counters, shard.counters.panes)) {
        case Right(delta) => write(delta, processingTime)
        case Left((question, asks)) =>
          answer.foreach(all => output.answer(asks, all(new FullStateReader(shard), question)))
      }
    }

    private val isOwn = spec.window.rowValue.isOwn

    private def incoming(packet: Array[Byte]): Iterator[Incoming] =
      EntryCodec.read[Unit, Unit](packet, in => { in.skipBytes(); () }, (_, nothing) => nothing).map {
        (entry: Entry[Unit]) =>
          Incoming(entry.key, entry.time, entry.origin, entry.raw, Option.when(isOwn)(entry.value))
      }

    private def write(delta: FullStateEffect, processingTime: Long): Unit = delta match {
      case FullStateEffect.Fire(pane) =>
        val messages = pane.value.map(message => shape.of(message.payload))
        output.pane(pane.copy(value = new GenericInternalRow(Array[Any](new GenericArrayData(messages.toArray[Any])))))
      case FullStateEffect.Reject(message, reason, watermark) =>
        output.rejected(message.payload, reason, watermark, processingTime)
    }
  }
}
