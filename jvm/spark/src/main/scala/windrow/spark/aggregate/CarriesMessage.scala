package windrow.spark.aggregate

import org.apache.spark.sql.catalyst.expressions._
import windrow._
import windrow.core.time.EventTime
import windrow.core.time.Position
import windrow.core.time.Watermark
import windrow.core.window.SliceGrid
import windrow.spark.pack.Pack

/** Which messages travel with their original row: those that the shard might refuse; whether it does is decided there.
  *
  * @param watermark
  *   not below the one that the shard judges by; None: not known, so any message may be too late
  */
object CarriesMessage {

  def apply(spec: WindowOperatorSpec, pack: Pack, watermark: Option[Watermark]): Expression = {
    val tooLate = watermark match {
      case None                          => Literal(true)
      case Some(mark) if !mark.isDefined => Literal(false)
      case Some(mark) if mark.isEnd      => Literal(true)
      case Some(mark)                    => isBelow(pack, spec, mark)
    }
    (IsNull(pack.time) +: pack.tooFar :+ tooLate).reduce(Or)
  }

  private def isBelow(pack: Pack, spec: WindowOperatorSpec, watermark: Watermark): Expression = {
    lazy val left                   = watermark.leaves(spec.latenessInTime)
    def earlierThan(bound: => Long) = LessThan(pack.time, BatchConstant(bound))
    spec.window match {
      case Global =>
        spec.retention.time.fold[Expression](Literal(false))(t =>
          earlierThan(Position.minus(watermark.micros, t.micros)))
      case _: Count                                              => Literal(false) // nothing is late for them
      case _ if left == EventTime.Min                            => Literal(false)
      case _ if spec.latenessInTime.value >= EventTime.Limit / 2 => Literal(true)  // not to be reckoned with
      case windows: AlignedWindows =>
        earlierThan(SliceGrid(windows).firstStart(left))
      case _: Session => LessThanOrEqual(Add(pack.time, pack.gap.head), BatchConstant(left))
      case Sliding(size, granularity) =>
        earlierThan(left - size.micros + granularity.micros)
      case _ => Literal(true)
    }
  }
}
