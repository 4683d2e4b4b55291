package windrow.spark.sql

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import java.io.File
import java.lang.reflect.{Method, Modifier}
import java.util.Locale
import org.scalatest.funsuite.AnyFunSuite
import scala.jdk.CollectionConverters._
import windrow._
import windrow.spark.arguments.{ArgumentReader, StreamArguments, StructArgument}
import windrow.spark.cogroup.CoGroupSql
import windrow.spark.dedup.DedupSql
import windrow.spark.join.{AsofJoinSql, JoinSql}
import windrow.spark.pattern.MatchSql
import windrow.spark.policy.PolicySql
import windrow.spark.{Stream, Windrow}

/** Scala and SQL have the settings that `tests/specs.json` describes. `test_spec_fields.py` compares Python and the
  * pages with the same file.
  */
class SpecFieldsSuite extends AnyFunSuite {
  import SpecFieldsSuite._

  private val file  = new ObjectMapper().readTree(new File("tests/specs.json"))
  private val specs = file.get("specs").properties.asScala.map(entry => entry.getKey -> entry.getValue).toMap

  for ((name, spec) <- specs) test(s"$name in Scala") {
    assert(spec.get("scala").asScala.toSeq.flatMap(path => ofScala(path.asText, spec)) == Nil)
  }

  test("arguments of SQL") {
    assert(arguments("windows").keySet == WindowArguments.Common.toSet)
    for (one <- WindowArguments.All) assert(arguments(one.name).keySet == one.function.arguments.toSet, one.name)
    for ((function, allowed) <- Others) {
      val also = file.get("also").path(function).asScala.map(_.asText)
      assert(arguments(function).keySet ++ also == allowed.toSet, function)
    }
  }

  for (one <- WindowArguments.All) test(s"defaults of ${one.name}") {
    val fields                      = arguments(one.name)
    def read(all: Map[String, Any]) = one.read(new ArgumentReader(all))
    assert(read(required(fields)).isDefined)
    assert(read(required(fields)) == read(required(fields) ++ stated(fields)))
  }

  test("defaults of common arguments") {
    val (fields, least) = (arguments("windows"), Map[String, Any]("size" -> "7 minutes"))
    def read(all: Map[String, Any]) = {
      val reader = new ArgumentReader(all)
      (WindowArguments.All.head.drafted(reader), StreamArguments.read(reader), reader.problems)
    }
    assert(stated(fields).size > 7)
    assert(read(least) == read(least ++ stated(fields)))
    assert(read(least)._1.contains(WindowOperatorDraft(Tumbling("7 minutes"))))
  }

  test("differences are found") {
    val hopping                    = specs("Hopping").deepCopy[ObjectNode]()
    val fields                     = hopping.get("fields").asInstanceOf[ObjectNode]
    def found                      = ofScala("windrow.Hopping.apply", hopping).mkString
    def changed(name: String)      = fields.get(name).asInstanceOf[ObjectNode]
    def isFound(text: String): Any = assert(found.contains(text), found)
    assert(found == "")
    changed("startTime").put("default", "1 second")
    isFound("by default")
    changed("size").put("type", "boolean")
    isFound("not a boolean")
    changed("step").put("default", "1 second")
    isFound("required")
    fields.set[JsonNode]("other", fields.remove("step"))
    isFound("windrow.Hopping.apply has")
  }

  /** The arguments of SQL that belong to the specs of a function. */
  private def arguments(function: String): Map[String, JsonNode] = for {
    (_, spec)     <- specs if spec.path("sql").asText == function
    (name, field) <- described(spec, "sql")
    argument      <- sqlNames(name, field)
  } yield argument -> field
}

private object SpecFieldsSuite {
  val Others: Seq[(String, Seq[String])] =
    Seq(
      PolicySql.Name   -> PolicySql.Allowed,
      DedupSql.Name    -> DedupSql.Allowed,
      MatchSql.Name    -> MatchSql.Allowed,
      JoinSql.Name     -> JoinSql.Allowed,
      AsofJoinSql.Name -> AsofJoinSql.Allowed,
      CoGroupSql.Name  -> CoGroupSql.Allowed)

  private val Samples = Map[String, Any](
    "duration" -> "7 minutes",
    "integer"  -> 7L,
    "struct"   -> StructArgument(Seq("minute" -> StructArgument(Seq("kind" -> "tumbling", "size" -> "1 minute")))))

  /** The fields of a spec that a language has. */
  def described(spec: JsonNode, language: String): Map[String, JsonNode] =
    spec.get("fields").properties.asScala.filter { entry =>
      val only = entry.getValue.path("only").asScala.map(_.asText).toSeq
      only.isEmpty || only.contains(language)
    }.map(entry => entry.getKey -> entry.getValue).toMap

  def sqlNames(name: String, field: JsonNode): Seq[String] = field.path("sql") match {
    case several if several.isArray => several.asScala.map(_.asText).toSeq
    case one if one.isTextual       => Seq(one.asText)
    case none if none.isNull        => Nil
    case _                          => Seq(name.replaceAll("(?=[A-Z])", "_").toLowerCase(Locale.ROOT))
  }

  private def kindOf(field: JsonNode): String = field.get("type").asText.split(",| or ").head

  /** A value for each argument without a default. */
  def required(fields: Map[String, JsonNode]): Map[String, Any] =
    fields.collect { case (name, field) if !field.has("default") => name -> Samples(kindOf(field)) }

  /** The defaults, as if a query passed them. */
  def stated(fields: Map[String, JsonNode]): Map[String, Any] = fields.flatMap { case (name, field) =>
    field.path("default") match {
      case same if same.asText.startsWith("= ") => Some(name -> required(fields)(same.asText.drop(2)))
      case text if text.isTextual               => Some(name -> text.asText)
      case truth if truth.isBoolean             => Some(name -> truth.asBoolean)
      case _                                    => None
    }
  }

  /** The differences between the parameters of a method, with all its overloads, and its description. */
  def ofScala(path: String, spec: JsonNode): Seq[String] = {
    val (owner, methods) = overloads(path)
    val stated           = spec.path("given").asScala.map(_.asText).toSet
    val fields           = described(spec, "scala")
    val found            = methods.flatMap(_.getParameters.map(_.getName)).toSet -- stated
    if (found != fields.keySet) Seq(s"$path has ${found.mkString(", ")}, not ${fields.keys.mkString(", ")}")
    else fields.toSeq.flatMap { case (name, field) =>
      of(owner, methods, name, field).map(wrong => s"$path: $name $wrong")
    }
  }

  private def of(owner: AnyRef, methods: Seq[Method], name: String, field: JsonNode): Seq[String] = {
    val places      = methods.map(method => method -> method.getParameters.indexWhere(_.getName == name))
    val types       = places.collect { case (method, i) if i >= 0 => method.getParameterTypes()(i) }
    val defaults    = places.collect { case (method, i) if i >= 0 => default(owner, method, i) }.flatten
    val isLeftOut   = defaults.nonEmpty || places.exists(_._2 < 0)
    val kind        = field.get("type").asText
    lazy val wanted = value(field, types)
    Option.unless(types.exists(fits(_, kind)))(s"is a ${types.mkString(" or ")}, not a $kind").toSeq ++
      Option.when(isLeftOut != field.has("default"))(s"is ${if (isLeftOut) "not " else ""}required") ++
      defaults.filter(_ != wanted).map(was => s"is $was by default, not $wanted")
  }

  /** The object with the method of a path, and all its overloads. */
  private def overloads(path: String): (AnyRef, Seq[Method]) = {
    val end = path.lastIndexOf('.')
    val owner = path.take(end) match {
      case "windrow.spark.Stream"          => stream
      case "windrow.spark.Windowed"        => stream.window(Global)
      case "windrow.spark.JoinBuilder"     => Windrow.join()
      case "windrow.spark.AsofJoinBuilder" => Windrow.asofJoin(stream, stream)
      case companion                       => Class.forName(s"$companion$$").getField("MODULE$").get(null)
    }
    val named = owner.getClass.getMethods.toSeq.filter(_.getName == path.drop(end + 1))
    (owner, named.filter(one => !one.isBridge && !Modifier.isStatic(one.getModifiers)))
  }

  private def stream: Stream = Windrow.stream(null)

  private def default(owner: AnyRef, method: Method, index: Int): Option[Any] =
    owner.getClass.getMethods.find(_.getName == s"${method.getName}$$default$$${index + 1}").collect {
      case getter if getter.getReturnType == method.getParameterTypes()(index) => getter.invoke(owner)
    }.map {
      case within: JoinWithin => within.of(Nil, "[]")
      case other              => other
    }

  /** Whether a parameter of Scala can have values of a type. */
  private def fits(parameter: Class[_], kind: String): Boolean = parameter == classOf[Option[_]] ||
    kind.split(" or ").map(_.takeWhile(_ != ',')).exists {
      case "duration" | "integer" => parameter == classOf[Long] // a TimeSpan is a long at run time
      case "number"               => parameter == classOf[Double]
      case "boolean"              => parameter == classOf[Boolean]
      case "trigger"              => parameter == classOf[PaneTrigger]
      case _                      => !parameter.isPrimitive
    }

  /** The described default as a value of Scala. */
  private def value(field: JsonNode, types: Seq[Class[_]]): Any = field.path("default") match {
    case map if map.isArray && types.contains(classOf[Map[_, _]])       => Map.empty
    case none if none.isArray                                           => Nil
    case truth if truth.isBoolean && types.contains(classOf[Long])      => FillGaps.of(truth.asBoolean).micros
    case truth if truth.isBoolean                                       => truth.asBoolean
    case text if text.isTextual && types.contains(classOf[Long])        => TimeSpan.fromText(text.asText).micros
    case text if text.isTextual && types.contains(classOf[PaneTrigger]) => PaneTrigger.read(text.asText).get
    case text if text.isTextual =>
      (Texts :+ text.asText).find(one =>
        one.toString.equalsIgnoreCase(text.asText) && types.exists(_.isInstance(one))).orNull
    case _ if types.contains(classOf[KeyLimits])  => KeyLimits.NotStated
    case _ if types.contains(classOf[Map[_, _]])  => Map.empty
    case _ if types.contains(classOf[Seq[_]])     => Nil
    case _ if types.contains(classOf[Retention])  => Retention.NotStated
    case _ if types.contains(classOf[JoinWithin]) => Within.OwnWindows
    case _ if types.contains(classOf[Within])     => Within.OwnWindows
    case _ if types.contains(classOf[Long])       => TimeSpan.Endless.micros
    case _                                        => None
  }

  private val Texts: Seq[Any] =
    AfterMatch.All ++ AsofDirection.All ++ CloseOn.All ++ InvalidMessages.All ++ JoinKind.All ++ Keep.All ++ Seq(
      ExpectedSize.Small,
      ExpectedSize.Large)
}
