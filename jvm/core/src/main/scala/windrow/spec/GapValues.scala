package windrow

/** How a result column of a window without rows gets its value (SEMANTICS R120). */
sealed abstract class GapMethod(override val toString: String) extends Serializable

object GapMethod {

  /** The value of the last window of the key that has rows. */
  case object Previous extends GapMethod("previous")

  /** A value between those of the last and the next window of the key that have rows. */
  case object Linear extends GapMethod("linear")

  /** A constant.
    *
    * @param value
    *   a number or a boolean
    */
  final case class Value(value: Any) extends GapMethod(value.toString)

  private val Words = Seq(Previous, Linear)

  /** Reads a method.
    *
    * @param name
    *   name of the setting, for the problem
    * @param value
    *   `previous`, `linear`, a number, or a boolean
    */
  def read(name: String, value: Any): Either[SpecProblem, GapMethod] = value match {
    case text: String => Words.find(_.toString.equalsIgnoreCase(text)).toRight(notUnderstood(name, s"'$text'"))
    case _: Int       => Right(Value(value.asInstanceOf[Int].toLong))
    case _: Long | _: Double | _: Boolean => Right(Value(value))
    case other                            => Left(notUnderstood(name, other))
  }

  def notUnderstood(name: String, value: Any): SpecProblem =
    SpecProblem("GAP_VALUES.NOT_UNDERSTOOD", "name" -> name, "value" -> value)
}

/** The values of windows without rows (SEMANTICS R120).
  *
  * @param methods
  *   a method for each column; [[GapValues.Every]] stands for all result columns
  * @param atMost
  *   how long after the last window with rows its values are carried; required for `previous` and `linear`
  */
final case class GapValues(methods: Seq[(String, GapMethod)], atMost: Option[TimeSpan] = None) {

  /** Whether values depend on those of other windows. */
  private[windrow] def carries: Boolean = isLinear || methods.exists(_._2 == GapMethod.Previous)

  /** Whether windows wait for the next one with rows. */
  private[windrow] def isLinear: Boolean = methods.exists(_._2 == GapMethod.Linear)

  /** The windows that fire if `fillGaps` does not limit them otherwise. */
  private[windrow] def silence: TimeSpan = atMost.getOrElse(TimeSpan.Endless)

  /** The same text for every order of the columns. */
  override def toString: String = methods.sortBy(_._1).map { case (column, method) =>
    if (column == GapValues.Every) method.toString else s"$column: $method"
  }.mkString(", ") + atMost.fold("")(limit => s" for at most $limit")
}

object GapValues {

  /** Stands for all result columns. */
  val Every = "*"

  /** The same method for all columns. */
  def every(method: GapMethod, atMost: Option[TimeSpan] = None): GapValues = GapValues(Seq(Every -> method), atMost)
}
