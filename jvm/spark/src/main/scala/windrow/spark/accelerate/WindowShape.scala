package windrow.spark.accelerate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import scala.util.{Random, Try}
import windrow._

/** Recognizes windows by evaluation: the query's own expressions compute the windows of some times, a kind is fitted to
  * them, and the fit is verified on many more times. No arithmetic of Spark's is repeated here.
  */
private object WindowShape {

  /** The number of times on which a fit is verified. */
  val Probes = 10000

  /** The number of times to which a kind is fitted. */
  private val Fitted = 200

  /** The greatest number of windows that are computed to verify a fit. It limits the time of a start. */
  private val MostWindows = 1000000

  private type Windows = Seq[(Long, Long)]

  /** Returns the kind of windows that the expressions compute, or the reason why there is none. */
  def of(origin: WindowOrigin, isSession: Boolean): Either[SpecProblem, WindowKind] =
    if (!isSession) fitted(windowsOf(origin), isSession)
    else if (isConstant(origin)) fitted(windowsOf(origin), isSession).orElse(ofOwnGap(origin))
    else ofOwnGap(origin)

  /** Whether the gap of a session reads no column: the end reads the event time once, and so does the start. */
  private def isConstant(origin: WindowOrigin) =
    origin.session.exists { case (_, gap) => gap.collect { case column: Attribute => column }.size == 2 }

  /** Returns sessions whose gap depends on the row, if they start at the event time. */
  private def ofOwnGap(origin: WindowOrigin): Either[SpecProblem, WindowKind] = {
    val starts = origin.session.map { case (start, _) =>
      BindReferences.bindReference(start, AttributeSeq(Seq(origin.time)))
    }
    val random = new Random(42)
    def isTime(start: Expression) =
      Iterator.fill(Probes)(time(random)).forall(micros => start.eval(InternalRow(micros)) == micros)
    Either.cond(starts.exists(isTime), Session.OfMessage, unknown("it does not start at the event time"))
  }

  /** Returns the windows of a time in microseconds. A time for which an expression fails has none. */
  private def windowsOf(origin: WindowOrigin): Long => Windows = {
    val structs = origin.structs.map(BindReferences.bindReference(_, AttributeSeq(Seq(origin.time))))
    val conditions =
      origin.conditions.map(BindReferences.bindReference(_, AttributeSeq(Seq(origin.time, origin.window))))
    micros =>
      Try(structs.flatMap { struct =>
        val window = struct.eval(InternalRow(micros)).asInstanceOf[InternalRow]
        Option.when(window != null && !window.isNullAt(0) && !window.isNullAt(1) &&
          conditions.forall(_.eval(InternalRow(micros, window)) == true))((window.getLong(0), window.getLong(1)))
      }.sorted).getOrElse(Nil)
  }

  /** Returns the kind that computes the same windows for all verified times.
    *
    * @param windows
    *   the windows of a time, sorted
    */
  private[accelerate] def fitted(windows: Long => Windows, isSession: Boolean): Either[SpecProblem, WindowKind] = {
    val random = new Random(42)
    val kind   = if (isSession) session(windows) else aligned(windows, Seq.fill(Fitted)(time(random)))
    val each   = windows(0L).size.max(1)
    kind.flatMap { case (found, expected) =>
      val wrong = Iterator.fill((MostWindows / each).max(Fitted).min(Probes))(time(random)).find(micros =>
        windows(micros) != expected(micros))
      wrong.map(micros =>
        unknown(s"it differs from $found at the time $micros microseconds after 1970")).toLeft(found)
    }
  }

  private def unknown(why: String): SpecProblem = SpecProblem("WINDOW_NOT_RECOGNIZED", "why" -> why)

  /** Returns a time between the years -5000 and 9900, of this epoch in milliseconds, or within a second of 1970. */
  private def time(random: Random): Long = random.nextInt(4) match {
    case 0 => First + (random.nextDouble() * (Last - First)).toLong
    case 1 => random.nextInt().toLong * 1000000L
    case 2 => (random.nextInt(2000000000).toLong - 1000000000L) * 1000L
    case _ => random.nextInt(2000000).toLong - 1000000L
  }

  private val First = -219950000000000000L
  private val Last  = 250246000000000000L

  private def session(windows: Long => Windows): Either[SpecProblem, (WindowKind, Long => Windows)] =
    windows(0L) match {
      case Seq((0L, gap)) if gap > 0 => Right((Session(Some(TimeSpan(gap))), time => Seq((time, time + gap))))
      case _                         => Left(unknown("its gap is not constant"))
    }

  private def aligned(
      windows: Long => Windows,
      times: Seq[Long]): Either[SpecProblem, (WindowKind, Long => Windows)] = {
    val all = times.map(windows).filter(_.nonEmpty)
    if (all.isEmpty) Left(unknown("it has no windows"))
    else if (all.exists(_.exists { case (from, to) => to <= from })) Left(unknown("its end is not after its start"))
    else {
      val (start, end) = all.head.head
      val size         = end - start
      val steps        = all.flatMap(of => of.zip(of.drop(1)).map { case (one, next) => next._1 - one._1 })
      val step         = steps.minOption.filter(_ > 0).getOrElse(size)
      val first        = Math.floorMod(start, step)
      def expected(time: Long): Windows = {
        val last = time - Math.floorMod(time - first, step)
        Iterator.iterate(last)(_ - step).takeWhile(_ + size > time).map(from => (from, from + size)).toSeq.sorted
      }
      val kind =
        if (step == size) Tumbling(TimeSpan(size), TimeSpan(first))
        else Hopping(TimeSpan(size), TimeSpan(step), TimeSpan(first))
      Right((kind, expected))
    }
  }
}
