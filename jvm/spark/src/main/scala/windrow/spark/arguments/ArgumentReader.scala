package windrow.spark.arguments

import java.util.Locale
import scala.util.Try
import windrow._

/** Reads the arguments of an SQL function and collects every problem. */
private[spark] class ArgumentReader(values: Map[String, Any]) extends WindowFields {
  private val found = Seq.newBuilder[SpecProblem]

  def problems: Seq[SpecProblem] = found.result()

  def refuse[T](problem: SpecProblem): Option[T] = {
    found += problem
    None
  }

  /** Returns a specification, or its problems together with those of the arguments. */
  def checked[T](spec: Either[Seq[SpecProblem], T], others: Seq[SpecProblem]): Either[Seq[SpecProblem], T] = {
    val own   = spec.left.getOrElse(Nil).filterNot(problem => isUnread(problem.code))
    val found = others ++ problems ++ own
    spec.filterOrElse(_ => found.isEmpty, Nil).left.map(_ => found)
  }

  /** Whether a missing-argument problem concerns an argument that was given but not understood. */
  private def isUnread(code: String): Boolean = problems.nonEmpty && ArgumentReader.saying(code).exists(isSet)

  def isSet(name: String): Boolean = values.contains(name)

  def nameIfSet(name: String): Option[String] = values.get(name).map(_.toString)

  def namesIfSet(name: String): Option[Seq[String]] = values.get(name).map(NamedConstants.names)

  /** Returns a map from names to texts, in its order; empty if it is not set. */
  def textsIfSet(name: String): Seq[(String, String)] = values.get(name).toSeq.flatMap {
    case all: Map[_, _] => all.toSeq.map { case (key, text) => key.toString -> text.toString }
    case other =>
      refuse[Unit]("MAP_NOT_UNDERSTOOD", "name" -> name, "value" -> s"'$other'")
      Nil
  }

  /** Returns the fields of windows by name. The argument is a struct with a field for each window, itself a struct of
    * the kind and its settings.
    */
  def windowsIfSet(name: String): Option[Seq[(String, WindowFields)]] = values.get(name).flatMap {
    case StructArgument(windows) =>
      val read = windows.flatMap {
        case (window, StructArgument(fields)) => Some(window -> part(window, fields))
        case (window, other)                  => notStruct[(String, WindowFields)](s"$name.$window", other)
      }
      Option.when(read.nonEmpty || windows.isEmpty)(read) // still finds the problems of the others
    case other => notStruct(name, other)
  }

  private def notStruct[T](name: String, value: Any): Option[T] =
    refuse("NAMED_WINDOWS.STRUCT", "name" -> name, "value" -> ArgumentReader.shown(value))

  /** A reader of a struct that reports its problems here. */
  private def part(name: String, fields: Seq[(String, Any)]): ArgumentReader = {
    val all = this
    new ArgumentReader(fields.map { case (field, value) => field.toLowerCase(Locale.ROOT) -> value }.toMap) {
      override def refuse[T](problem: SpecProblem): Option[T] = all.refuse(problem.in(s"window '$name'"))
    }
  }

  def onlyOf(kind: String, inJson: Seq[String], inSql: Seq[String]): Unit = {
    val allowed = "kind" +: inSql
    values.keys.toSeq.sorted.filterNot(allowed.contains).foreach(name =>
      refuse("ARGUMENT_UNKNOWN", "name" -> name, "allowed" -> allowed.mkString(", ")))
  }

  def spanIfSet(name: String): Option[TimeSpan] =
    values.get(name).flatMap(ArgumentReader.span(_).fold(wrong => refuse(wrong.in(name)), Some(_)))

  def countIfSet(name: String): Option[Long] = values.get(name).flatMap {
    case number: Long => Some(number)
    case other        => refuse("COUNT_NOT_UNDERSTOOD.NUMBER", "name" -> name, "value" -> s"'$other'")
  }

  def flagIfSet(name: String): Option[Boolean] = values.get(name).flatMap {
    case truth: Boolean => Some(truth)
    case other          => refuse("FLAG_NOT_UNDERSTOOD", "name" -> name, "value" -> s"'$other'")
  }

  /** Returns how long gaps are filled. The argument is a duration, true (no limit) or false. */
  def gapsIfSet(name: String): Option[TimeSpan] = values.get(name).flatMap {
    case truth: Boolean => Some(FillGaps.of(truth))
    case text: String   => FillGaps.parse(name, text).fold(refuse(_), Some(_))
    case other => ArgumentReader.span(other).toOption.orElse(
        refuse(FillGaps.notUnderstood(name, ArgumentReader.shown(other))))
  }

  /** Returns the values of windows without rows. The argument is a method, or a map from columns to methods. */
  def gapValuesIfSet(name: String, atMost: String): Option[GapValues] = {
    val limit = spanIfSet(atMost)
    values.get(name).map { value =>
      val methods = value match {
        case all: Map[_, _] => all.toSeq.map { case (column, method) => column.toString -> method }
        case one            => Seq(GapValues.Every -> one)
      }
      val read = methods.flatMap { case (column, method) =>
        GapMethod.read(name, ArgumentReader.number(method)).fold(refuse[GapMethod](_), Some(_)).map(column -> _)
      }
      GapValues(read, limit)
    }
  }

  def wordIfSet[T](name: String, all: Seq[T], condition: String): Option[T] = nameIfSet(name).flatMap(text =>
    all.find(_.toString.equalsIgnoreCase(text)).orElse(refuse(SpecProblem.unknown(name, text, all, condition))))

  /** Reads the delay of a watermark, which must not be negative. */
  def delayIfSet(name: String): Option[TimeSpan] = spanIfSet(name).flatMap(span =>
    if (span.micros >= 0) Some(span)
    else refuse("WATERMARK_NEGATIVE", "name" -> name, "value" -> span))

  /** Reads a trigger: 'never', 'each_message', 'each_batch', '1000 messages' or the number alone, a period, or an array
    * of these.
    */
  def triggerIfSet(name: String): Option[PaneTrigger] = values.get(name).flatMap(value =>
    ArgumentReader.trigger(value).orElse(refuse(
      "TRIGGER_UNKNOWN.SQL",
      "name"  -> name,
      "value" -> ArgumentReader.shown(value))))

  def retention: Retention =
    Retention(spanIfSet("retain_time"), countIfSet("retain_messages"), countIfSet("retain_windows"))
}

private object ArgumentReader {

  /** The arguments whose absence a problem reports. */
  private def saying(code: String): Seq[String] = code match {
    case "LATENESS_NOT_STATED"     => Seq("lateness")
    case "ACCUMULATION_NOT_STATED" => Seq("accumulation_mode")
    case "RETENTION_NOT_STATED"    => Seq("retain_time", "retain_messages", "retain_windows")
    case "TRIGGER_NOT_STATED"      => Seq("early")
    case "WITHIN_NOT_STATED"       => Seq("within")
    case "NO_WATERMARK"            => Seq("watermark", "processing_time_watermark")
    case _                         => Nil
  }

  private def span(value: Any): Either[SpecProblem, TimeSpan] = value match {
    case span: TimeSpan => Right(span)
    case text           => TimeSpan.parse(text.toString)
  }

  /** Returns a number or boolean that is written as text, because all values of a map have one type. */
  private def number(value: Any): Any = value match {
    case text: String =>
      val finite = Try(BigDecimal(text).toDouble).toOption.filterNot(_.isInfinite) // Java also reads "1d" as a number
      (text.toLongOption: Option[Any]).orElse(finite).orElse(text.toBooleanOption).getOrElse(text)
    case other => other
  }

  private def trigger(value: Any): Option[PaneTrigger] = value match {
    case all: Seq[_] =>
      val read = all.map(trigger)
      Option.unless(read.contains(None))(AnyOf(read.flatten))
    case number: Long   => Some(PaneTrigger.ofMessages(number))
    case text: String   => PaneTrigger.read(text)
    case span: TimeSpan => Some(EveryPeriod(span))
    case _              => None
  }

  private def shown(value: Any): String = value match {
    case all: Seq[_] => all.map(shown).mkString("array(", ", ", ")")
    case text        => s"'$text'"
  }
}
