package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions._
import windrow.WindowFamily._
import windrow.WindowOperatorSpec
import windrow.core.time.{EventTime, Position, Watermark}
import windrow.spark.pack.Pack
import windrow.spark.version.Arithmetic

/** Selects the rows that are sent to the shard with their original columns: those that the shard may reject. The shard
  * makes the decision.
  *
  * @param watermark
  *   not below the watermark by which the shard judges. If it is None, the watermark is unknown and every row may be
  *   too late.
  */
object RejectableRows {

  def apply(spec: WindowOperatorSpec, pack: Pack, watermark: Option[Watermark]): Expression = {
    val tooLate = watermark match {
      case None                          => Literal(true)
      case Some(mark) if !mark.isDefined => Literal(false)
      case Some(mark) if mark.isEnd      => Literal(true)
      case Some(mark)                    => isBelow(pack, spec, mark, pack.value.headOption)
    }
    (IsNull(pack.time) +: pack.tooFar :+ tooLate).reduce(Or)
  }

  /** @param value
    *   the value of the row for its windows, if they need one
    */
  private def isBelow(
      pack: Pack,
      spec: WindowOperatorSpec,
      watermark: Watermark,
      value: Option[Expression]): Expression = {
    lazy val left                   = watermark.leaves(spec.latenessInTime)
    def earlierThan(bound: => Long) = LessThan(pack.time, BatchConstant(bound))
    spec.window.family match {
      case SingleWindow =>
        spec.retention.time.fold[Expression](Literal(false))(t =>
          earlierThan(Position.minus(watermark.micros, t.micros)))
      case _: Numbered                                           => Literal(false) // no row is late for them
      case _ if left == EventTime.Min                            => Literal(false)
      case _ if spec.latenessInTime.value >= EventTime.Limit / 2 => Literal(true)  // avoids an overflow
      case windows: Aligned =>
        earlierThan(windows.grid.firstStart(left))
      case _: CutSessions => earlierThan(left) // all sessions that are closed end before
      case _: Sessions    => LessThanOrEqual(Arithmetic.add(pack.time, value.get), BatchConstant(left))
      case DistinctSets(size, granularity) =>
        earlierThan(left - size.micros + granularity.micros)
      case _: Inherited | _: MessageWindows | _: OffsetFamily => Literal(true)
      case _: Several => spec.named.map { case (_, own) =>
          isBelow(pack, own, watermark, gap(own).map(Literal(_)))
        }.distinct.reduce(Or)
    }
  }

  private def gap(spec: WindowOperatorSpec): Option[Long] = spec.window.family match {
    case Sessions(gap) => gap.map(_.micros)
    case _             => None
  }
}
