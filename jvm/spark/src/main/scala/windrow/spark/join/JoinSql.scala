package windrow.spark.join

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Coalesce, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import windrow._
import windrow.spark.arguments.{ArgumentReader, NamedInput, StreamArguments, TableArguments}
import windrow.spark.output.OutputKind

/** Plans a SQL function over a table `SELECT * FROM a JOIN b ON …`, in which the join is the specification. */
private[spark] sealed abstract class JoinFunction(val Name: String) {

  private[spark] val Allowed: Seq[String] =
    own ++ Seq("lateness", "max_future", "output", "early", "time", "watermark", "source") ++
      Seq("processing_time_watermark", "invalid", "partition", "offset", "watermark_by") ++ StreamArguments.Watermark

  /** When rows are emitted by default. */
  protected def usual: PaneTrigger

  /** The arguments of this function alone. */
  protected def own: Seq[String]

  /** @param isRetained
    *   whether a retention is set
    */
  protected def within(table: JoinTable, reader: ArgumentReader, isRetained: Boolean): Within

  /** A problem of the table, as the user of this function understands it. */
  protected def understood(problem: SpecProblem): SpecProblem = problem

  /** Reads the joins of the table, in the order in which they run. */
  protected def tables(table: LogicalPlan): Either[Seq[SpecProblem], Seq[JoinTable]] = JoinTable.of(table).map(Seq(_))

  /** Problems of the table. */
  protected def problems(table: JoinTable): Seq[SpecProblem]

  def plan(expressions: Seq[Expression]): LogicalPlan = {
    val arguments                       = TableArguments.read(Name, expressions, Allowed)
    val session                         = SparkSession.active
    def refuse(found: Seq[SpecProblem]) = throw SpecError(Name, arguments.problems ++ found)
    val joins                           = tables(arguments.table).fold(found => refuse(found.map(understood)), identity)
    val inputs = joins.zipWithIndex.map { case (joined, number) =>
      joined.sides.zipWithIndex.drop(if (number == 0) 0 else 1).map { case ((name, table), i) =>
        NamedInput(session, arguments, name, table, joined.times.map(_(i)), joined.keys.map(_._2(i)))
      }
    }
    val reader    = new ArgumentReader(arguments.values)
    val part      = reader.wordIfSet("output", OutputKind.OfRows).getOrElse(OutputKind.Rows)
    val watermark = StreamArguments.watermark(reader)
    val behind    = reader.delayIfSet("processing_time_watermark")
    val drafts    = joins.map(joined => drafted(joined, reader, isLast = joined eq joins.last))
    val invalid   = StreamArguments.invalid(reader)
    val isRead    = reader.problems.isEmpty
    val found = (if (isRead) drafts.flatMap(_.check.left.getOrElse(Nil)) else reader.problems) ++
      joins.flatMap(problems) ++ joins.flatMap(ofTime(_, reader)) ++ JoinSql.ofChain(joins, drafts) ++
      inputs.flatten.flatMap(_.problems)
    if (found.nonEmpty || arguments.problems.nonEmpty) refuse(found.distinct)
    val options = joins.zip(drafts).map { case (joined, draft) =>
      JoinOptions(draft.checked, joined.keys.map(_._1), part, invalid, behind)
    }
    if (joins.sizeIs == 1) JoinPlan(session, options.head, inputs.head.map(_.input(watermark)), joins.head.rest)
    else {
      val steps = joins.zip(options).zip(inputs).zipWithIndex.map { case (((joined, option), added), number) =>
        val isFirst = number == 0
        JoinStep(
          option,
          added.map(_.input(watermark)),
          if (isFirst) Nil else joined.keys.map(_._2.head),
          if (isFirst) None else joined.times.map(_.head),
          joined.rest)
      }
      new JoinChain(session, steps, JoinSql.shown(joins)).plan
    }
  }

  private def drafted(table: JoinTable, reader: ArgumentReader, isLast: Boolean): JoinDraft = {
    val retention = reader.retention
    JoinDraft(
      table.sides.map { case (name, _) => JoinStream(name) },
      table.keys.nonEmpty,
      within(table, reader, retention.isStated),
      table.how,
      reader.spanIfSet("lateness"),
      if (isLast) reader.triggerIfSet("early").getOrElse(usual) else usual,
      retention,
      reader.spanIfSet("max_future"),
      reader.wordIfSet("expect", Seq(ExpectedSize.Small, ExpectedSize.Large))
        .getOrElse(ExpectedSize.Large))
  }

  private def ofTime(joined: JoinTable, reader: ArgumentReader): Seq[SpecProblem] =
    if (joined.times.isDefined && reader.isSet("time"))
      Seq(SpecProblem("TIME_TWICE"))
    else if (joined.times.isEmpty && !reader.isSet("time"))
      Seq(SpecProblem("TIME_NOT_STATED.JOIN"))
    else Nil
}

/** Plans `windrow_join(TABLE(SELECT * FROM a JOIN b ON …), …)`. */
private[spark] object JoinSql extends JoinFunction("windrow_join") {
  protected def usual: PaneTrigger = EachMessage
  protected def own: Seq[String]   = Seq("expect", "retain_time", "retain_messages")

  protected def within(table: JoinTable, reader: ArgumentReader, isRetained: Boolean): Within =
    if (table.ranges.nonEmpty) Within.Ranges(table.ranges)
    else if (isRetained) Within.Everything
    else Within.OwnWindows

  protected def problems(table: JoinTable): Seq[SpecProblem] = Nil

  override protected def tables(table: LogicalPlan): Either[Seq[SpecProblem], Seq[JoinTable]] = JoinTable.chained(table)

  /** Returns the problems of a chain of joins: options that it does not have, and ranges of other times. */
  def ofChain(joins: Seq[JoinTable], drafts: Seq[JoinDraft]): Seq[SpecProblem] =
    if (joins.sizeIs == 1) Nil
    else drafts.flatMap(JoinCheck.ofChain) ++ ofTimes(joins)

  /** A range must use the event time of a stream, by which Windrow knows how long its rows wait. */
  private def ofTimes(joins: Seq[JoinTable]): Seq[SpecProblem] =
    joins.zipWithIndex.tail.flatMap { case (joined, number) =>
      val known = joins.take(number).flatMap(_.times.getOrElse(Nil))
      joined.times.map(_.head).filterNot(time => known.exists(_.canonicalized == time.canonicalized)).map(time =>
        SpecProblem("RANGE_NOT_UNDERSTOOD.TIMES", "times" -> (time +: known).map(_.sql).distinct.mkString(" and ")))
    }

  /** The equality columns that all joins of a chain share, with the value of the first stream that has a row. */
  def shown(joins: Seq[JoinTable]): Seq[(String, Expression)] = {
    def isIn(group: Seq[Expression])(key: Expression): Boolean =
      group.exists(_.canonicalized == key.canonicalized) || (key match {
        case Coalesce(several) => several.forall(isIn(group))
        case _                 => false
      })
    val groups = joins.tail.foldLeft(joins.head.keys) { (known, joined) =>
      known.flatMap { case (name, group) =>
        joined.keys.collectFirst { case (_, earlier +: added) if isIn(group)(earlier) => name -> (group ++ added) }
      }
    }
    groups.map { case (name, group) => name -> Coalesce(group) }
  }
}

/** Plans `windrow_asof_join(TABLE(SELECT * FROM a LEFT JOIN b ON a.key = b.key), …)`. */
private[spark] object AsofJoinSql extends JoinFunction("windrow_asof_join") {
  protected def usual: PaneTrigger = EachBatch
  protected def own: Seq[String]   = Seq("direction", "tolerance")

  protected def within(table: JoinTable, reader: ArgumentReader, isRetained: Boolean): Within = Within.AsOf(
    reader.wordIfSet("direction", AsofDirection.All).getOrElse(AsofDirection.Backward),
    reader.spanIfSet("tolerance"))

  override protected def understood(problem: SpecProblem): SpecProblem =
    if (problem.code == "RANGE_NOT_UNDERSTOOD") SpecProblem("ASOF_CONDITION", "condition" -> "the event times")
    else problem

  /** The table has equal columns only, because the nearest row would otherwise depend on other conditions. */
  protected def problems(table: JoinTable): Seq[SpecProblem] =
    (table.rest.toSeq ++ Option.when(table.times.isDefined)(table.times.get.head)).headOption.map(one =>
      SpecProblem("ASOF_CONDITION", "condition" -> one.sql)).toSeq
}
