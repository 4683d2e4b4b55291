package windrow.spark.standalone

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.windrow.SparkInside
import windrow.WindowFamily._
import windrow._
import windrow.spark.input.{ColumnNames, KeyCheck}
import windrow.spark.policy.PolicyColumns

/** Creates standalone operators from JSON specs: those of [[OperatorJson]] with the additional field `input`, which
  * describes the rows. For an aggregate or full state, it contains `name`, `schema`, `time`, `key`, `gap` and `offset`;
  * for a join, `on` (column names) and `streams`. `aggregates` are SQL texts.
  */
object OperatorFactory {
  private val mapper = new ObjectMapper()

  /** Opens an operator.
    *
    * @param session
    *   resolves names, types and aggregates; runs no query
    * @param folder
    *   the folder of its state, or null to keep it in memory
    * @param name
    *   the operator in error messages
    * @param sends
    *   whether the caller sends the outputs; otherwise they wait for `flush`
    * @throws windrow.SpecError
    *   with all problems
    */
  def open(
      session: SparkSession,
      json: String,
      folder: String,
      name: String = "the operator",
      sends: Boolean = false): StandaloneOperator = SparkInside.inSession(session) {
    val node     = mapper.readTree(json).asInstanceOf[ObjectNode]
    val operator = made(session, node)
    operator.open(folder, name, sends)
    operator
  }

  private def made(session: SparkSession, node: ObjectNode): StandaloneOperator = {
    val input = node.remove("input")
    val texts = InputSpec.texts(node, "aggregates")
    val kind  = node.path("operator").asText("aggregate")
    if (kind != "full_state" || PolicySpecJson.isPolicy(node)) node.remove("aggregates")
    if (PolicySpecJson.isPolicy(node) && !Several.contains(kind)) policies(session, node, input, texts)
    else OperatorJson.read(node, Map.empty) match {
      case Right(CheckedSpec.Aggregate(spec)) if spec.window.isNamed =>
        throw SpecError(spec.window.toString, Seq(SpecProblem("NAMED_WINDOWS.OPERATOR")))
      case Right(CheckedSpec.Aggregate(spec)) => aggregated(session, spec, input, texts)
      case Right(CheckedSpec.FullState(spec)) => fullState(session, spec, input)
      case Right(CheckedSpec.Join(spec))      => join(session, spec, input)
      case Right(CheckedSpec.CoGroup(spec))   => coGroup(session, spec, input)
      case Right(only @ (_: CheckedSpec.Dedup | _: CheckedSpec.Match)) =>
        throw SpecError(
          only.toString,
          Seq(SpecProblem("VALUE_NOT_SUPPORTED.OPERATOR", "value" -> kind, "allowed" -> OperatorJson.Standalone)))
      case Left(found) =>
        val window  = if (Several.contains(kind)) None else windowOf(node)
        val ofInput = window.flatMap(resolved(session, _, None, input).left.toOption).getOrElse(Nil)
        throw SpecError(Several.get(kind).orElse(window.map(_.toString)).getOrElse("the spec"), found ++ ofInput)
    }
  }

  /** Operators on several streams, with their names in error messages. */
  private val Several = Map("join" -> "a join", "cogroup" -> "a co-group")

  private def windowOf(node: ObjectNode): Option[WindowKind] = {
    node.remove("operator")
    SpecJson.read(node, Map.empty).toOption.map(_.window)
  }

  private def aggregated(session: SparkSession, spec: WindowOperatorSpec, node: JsonNode, texts: Seq[String]) = {
    if (spec.window.takesPanes)
      throw SpecError(
        spec.window.toString,
        Seq(SpecProblem("INHERIT_NOT_HERE")))
    val input  = one(session, spec.window, spec.maxFuture, node)
    val format = new RowFormat(Vector(input))
    val fold   = or(spec.window, SqlAggregates.resolve(session, input, texts, format, Some(spec)))
    new AggregateOperator(session, spec, input, format, fold)
  }

  private def policies(session: SparkSession, node: ObjectNode, of: JsonNode, texts: Seq[String]) = {
    val subject = "Policy"
    val stated  = PolicySpecJson.ofOperator(node)
    val named   = InputSpec.read(InputSpec.text(of, "name").getOrElse("messages"), of, InputSpec.texts(of, "key"))
    val read    = Input.resolve(session, named, needsTime = false)
    val none = Option.when(texts.isEmpty)(SpecProblem(
      "AGGREGATE_NOT_STATED.POLICY"))
    val found = stated.left.getOrElse(Nil) ++ none ++ InputSpec.twice("key", named.key) ++ read.left.getOrElse(Nil)
    if (found.nonEmpty) throw SpecError(subject, found)
    val spec    = or(subject, stated)
    val input   = or(subject, read)
    val format  = new RowFormat(Vector(input))
    val columns = or(subject, PolicyColumns.of(spec, input.column(session, _), input.schema.map(_.name)))
    val fold    = or(subject, SqlAggregates.resolve(session, input, texts, format, None))
    new Policies(session, spec, input, format, fold, columns)
  }

  private def fullState(session: SparkSession, spec: FullStateSpec, node: JsonNode) = {
    val input = one(session, spec.window, spec.maxFuture, node)
    once(session, spec.window, input.key.map(_._1))
    new FullState(session, spec, input, new RowFormat(Vector(input)))
  }

  private def one(session: SparkSession, window: WindowKind, maxFuture: Option[TimeSpan], node: JsonNode): Input =
    or(window, resolved(session, window, maxFuture, node))

  private def resolved(
      session: SparkSession,
      window: WindowKind,
      maxFuture: Option[TimeSpan],
      node: JsonNode): Either[Seq[SpecProblem], Input] = {
    val spec  = InputSpec.read(InputSpec.text(node, "name").getOrElse("messages"), node, InputSpec.texts(node, "key"))
    val twice = InputSpec.twice("key", spec.key)
    val read  = Input.resolve(session, spec, needsTime(window), Some(window), maxFuture)
    if (twice.isEmpty) read else Left(twice ++ read.left.getOrElse(Nil))
  }

  private def needsTime(window: WindowKind): Boolean = window.bounds != Positions

  private def join(session: SparkSession, spec: JoinSpec, node: JsonNode) = {
    JoinCheck.standalone(spec)
    val inputs = several(session, "a join", spec.names, node, needsTime = true, windowOf(spec), spec.maxFuture)
    once(session, "a join", inputs.head.key.map(_._1) ++ spec.how.shown(spec.names))
    new Join(session, spec, inputs, new RowFormat(inputs))
  }

  private def windowOf(spec: JoinSpec): Option[WindowKind] = Some(spec.within).collect {
    case Within.SameWindow(windows) => windows
  }

  private def coGroup(session: SparkSession, spec: CoGroupSpec, node: JsonNode) = {
    def isMarked(sessions: GapFamily) = sessions match {
      case cuts: CutSessions => cuts.isMarked
      case _: Sessions       => false
    }
    spec.window.window.family match {
      case sessions: GapFamily if sessions.gap.isDefined && !isMarked(sessions) => ()
      case _: GapFamily | _: MessageWindows =>
        throw SpecError("a co-group", Seq(SpecProblem("WINDOW_NOT_SUPPORTED.COGROUP", "window" -> spec.window.window)))
      case _: Aligned | SingleWindow | _: Inherited | _: DistinctSets | _: Numbered | _: OffsetFamily | _: Several =>
        ()
    }
    val inputs = several(
      session,
      "a co-group",
      spec.streams,
      node,
      needsTime(spec.window.window),
      Some(spec.window.window),
      spec.window.maxFuture)
    once(session, "a co-group", inputs.head.key.map(_._1))
    new CoGroupOperator(session, spec, inputs, new RowFormat(inputs))
  }

  private def several(
      session: SparkSession,
      subject: String,
      names: Seq[String],
      node: JsonNode,
      needsTime: Boolean,
      windows: Option[WindowKind],
      maxFuture: Option[TimeSpan]): Vector[Input] = {
    val on = InputSpec.texts(node, "on")
    val reads = names.map { name =>
      val spec = InputSpec.read(name, node.path("streams").path(name), on)
      Input.resolve(session, spec, needsTime, windows, maxFuture)
    }
    val inputs = reads.flatMap(_.toOption).toVector
    val found = InputSpec.twice("on", on) ++ reads.flatMap(_.left.getOrElse(Nil)) ++
      (if (inputs.size == names.size) differing(inputs, on) else Nil)
    if (found.nonEmpty) throw SpecError(subject, found)
    inputs
  }

  /** Checks that all output columns have different names (SEMANTICS B6). */
  private def once(session: SparkSession, subject: Any, columns: Seq[String]): Unit = {
    val found = ColumnNames.twice(SparkInside.resolver(session), "the output", columns, "Rename one of them.")
    if (found.nonEmpty) throw SpecError(subject.toString, found)
  }

  /** Returns a problem for keys of different types, because the keys of several streams are compared by their bytes. */
  private def differing(inputs: Seq[Input], on: Seq[String]): Seq[SpecProblem] = on.indices.flatMap { i =>
    val types = inputs.map(input => input.name -> input.key(i)._2.dataType)
    Option.when(types.map(_._2).distinct.size > 1)(KeyCheck.differing(s"on='${on(i)}'", types))
  }

  private def or[T](subject: Any, read: Either[Seq[SpecProblem], T]): T =
    read.fold(found => throw SpecError(subject.toString, found), identity)
}
