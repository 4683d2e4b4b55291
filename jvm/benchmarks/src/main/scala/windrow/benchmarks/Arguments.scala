package windrow.benchmarks

import java.nio.file.Path
import windrow.benchmarks.queries.{Amount, EventFiles}

/** @param only
  *   contenders to run; empty for all contenders of each workload
  * @param flink
  *   whether Flink takes part
  * @param floor
  *   whether the engine's floor and reading take part, in workloads with a single table of keys and values
  * @param accelerated
  *   whether Spark's text takes part a second time, run by Windrow
  * @param quick
  *   whether to run a few small workloads in one JVM that stays
  * @param checkOnly
  *   whether to compare outputs without timing
  * @param events
  *   events of each workload, instead of its own number
  * @param batch
  *   events in a micro-batch, instead of the workload's own number
  * @param settings
  *   settings of Spark
  * @param keep
  *   whether results of other workloads in the file of `json` are kept
  */
final case class Arguments(
    workloads: Seq[Workload] = Nil,
    only: Seq[Contender] = Nil,
    flink: Boolean = false,
    floor: Boolean = false,
    accelerated: Boolean = false,
    quick: Boolean = false,
    checkOnly: Boolean = false,
    events: Option[Long] = None,
    batch: Option[Long] = None,
    repeats: Int = 3,
    settings: Map[String, String] = Map.empty,
    json: Path = Path.of("benchmarks.json"),
    keep: Boolean = false) {

  /** Returns the number of events of a workload that are timed. */
  def amount(workload: Workload): Amount = {
    val size = if (quick) Workload.Quick else workload.amount
    Amount(events.getOrElse(size.events), batch.getOrElse(size.batch))
  }

  def contenders(workload: Workload): Seq[Contender] = {
    val named = workload.contenders.filter {
      case InFlink(_) => flink
      case _          => true
    }
    val more = Option.when(accelerated && named.contains(SparkOwn))(Accelerated).toSeq ++
      (if (floor && workload.question.tables == Seq("events")) Seq(Floor, Reading) else Nil)
    val all = (named ++ more).distinct
    if (only.isEmpty) all else all.filter(only.contains)
  }
}

object Arguments {
  private val Setting = "([^=]+)=(.*)".r

  val Usage: String = Seq(
    "scripts/bench [--quick] [--workload NAME]... [--growth] [--only NAME]... [--flink] [--floor] [--accelerated] [--check]",
    "              [--events N] [--batch N] [--repeats N] [--conf NAME=VALUE]... [--json FILE] [--keep] [--compare FILE]",
    "  --quick     a few workloads, small, in one JVM: some 2 minutes",
    s"  --workload  one of ${Workload.all.map(_.name).mkString(", ")}; default: all but those of --growth",
    "  --growth    the workloads that show how cost grows with a size",
    s"  --only      one of ${Contender.all.map(_.name).mkString(", ")}; default: all of a workload",
    "  --flink     Flink takes part, in JVMs of its own",
    "  --floor     the engine's floor and reading take part",
    "  --accelerated  the text of Spark's own query takes part with spark.windrow.accelerate, too",
    "  --check     outputs are compared, nothing is timed",
    "  --events    of each workload, a multiple of the batch; default: the workload's own",
    s"  --batch     events in a micro-batch; the first ${Trial.Dropped} batches are not measured; default: the workload's own",
    "  --repeats   of each run; default 3",
    "  --conf      a setting of Spark or windrow, for all contenders; for example spark.windrow.shards=64",
    "  --json      write all that was measured there",
    "  --keep      keeps the results of other workloads in that file, so that a long run can be split",
    "  --compare   show ratios to peers beside those that --json wrote there before").mkString("\n")

  /** Parses the arguments. Left is a description of the error. */
  def parse(words: List[String]): Either[String, Arguments] = taken(words, Arguments()).flatMap(checked)

  private def taken(words: List[String], so: Arguments): Either[String, Arguments] = words match {
    case Nil => Right(so)
    case "--workload" :: name :: rest =>
      Workload.all.find(_.name == name).toRight(s"Workload '$name' does not exist.")
        .flatMap(found => taken(rest, so.copy(workloads = so.workloads :+ found)))
    case "--growth" :: rest => taken(rest, so.copy(workloads = so.workloads ++ Growth.all))
    case "--only" :: name :: rest =>
      Contender.all.find(_.name == name).toRight(s"Contender '$name' does not exist.")
        .flatMap(found => taken(rest, so.copy(only = so.only :+ found)))
    case "--quick" :: rest                        => taken(rest, so.copy(quick = true, repeats = 1))
    case "--flink" :: rest                        => taken(rest, so.copy(flink = true))
    case "--keep" :: rest                         => taken(rest, so.copy(keep = true))
    case "--floor" :: rest                        => taken(rest, so.copy(floor = true))
    case "--accelerated" :: rest                  => taken(rest, so.copy(accelerated = true))
    case "--check" :: rest                        => taken(rest, so.copy(checkOnly = true))
    case "--events" :: number :: rest             => count(number).flatMap(n => taken(rest, so.copy(events = Some(n))))
    case "--batch" :: number :: rest              => count(number).flatMap(n => taken(rest, so.copy(batch = Some(n))))
    case "--repeats" :: number :: rest            => count(number).flatMap(n => taken(rest, so.copy(repeats = n.toInt)))
    case "--conf" :: Setting(name, value) :: rest => taken(rest, so.copy(settings = so.settings + (name -> value)))
    case "--json" :: file :: rest                 => taken(rest, so.copy(json = Path.of(file)))
    case word :: _                                => Left(s"'$word' is not understood.")
  }

  private def count(text: String): Either[String, Long] =
    text.replace("_", "").toLongOption.filter(_ > 0).toRight(s"'$text' is not an integer greater than 0.")

  private def checked(so: Arguments): Either[String, Arguments] = {
    val workloads = if (so.workloads.nonEmpty) so.workloads else Workload.usual.filter(_.quick || !so.quick)
    workloads.flatMap(workload => unfit(workload.name, so.amount(workload))).headOption
      .toLeft(so.copy(workloads = workloads))
  }

  private def unfit(name: String, amount: Amount): Option[String] =
    if (amount.batch % EventFiles.PerBatch != 0)
      Some(s"a batch is ${EventFiles.PerBatch} files, but ${amount.batch} is odd.")
    else if (amount.events % amount.batch != 0)
      Some(s"$name: ${amount.events} events are not a multiple of the batch size ${amount.batch}.")
    else if (amount.events / amount.batch <= Trial.Dropped)
      Some(
        s"$name: ${amount.events / amount.batch} batches are too few: the first ${Trial.Dropped} are not measured.")
    else None
}
