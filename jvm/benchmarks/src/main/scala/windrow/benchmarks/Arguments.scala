package windrow.benchmarks

/** @param firings
  *   windrow alone: with early, late and retracting panes, and without
  * @param events
  *   of each workload
  * @param batch
  *   events in a micro-batch
  * @param settings
  *   of Spark
  */
final case class Arguments(
    workloads: Seq[Workload],
    contenders: Seq[Contender],
    firings: Boolean,
    events: Long,
    repeats: Int,
    batch: Long,
    settings: Map[String, String])

object Arguments {
  private val Setting = "([^=]+)=(.*)".r
  private val Defaults =
    Arguments(Nil, Nil, firings = false, events = 2000000, repeats = 3, batch = 250000, settings = Map.empty)

  val Usage: String = Seq(
    "scripts/bench [--workload NAME]... [--only NAME]... [--firings] [--events N] [--batch N] [--repeats N] [--conf NAME=VALUE]...",
    s"  --workload  one of ${Workload.all.map(_.name).mkString(", ")}; default: all",
    s"  --only      one of ${Contender.all.map(_.name).mkString(", ")}; default: all",
    "  --firings   windrow alone: with early, late and retracting panes, to itself without",
    s"  --events    of each workload, a multiple of the batch; default ${Defaults.events}",
    s"  --batch     events in a micro-batch; the first ${Trial.Dropped} batches are not measured; default ${Defaults.batch}",
    s"  --repeats   of each run; default ${Defaults.repeats}",
    "  --conf      a setting of Spark or windrow, for all contenders; for example spark.windrow.shards=64").mkString(
    "\n")

  /** Left: what is wrong. */
  def parse(words: List[String]): Either[String, Arguments] = taken(words, Defaults).flatMap(checked)

  private def taken(words: List[String], so: Arguments): Either[String, Arguments] = words match {
    case Nil => Right(so)
    case "--workload" :: name :: rest =>
      Workload.all.find(_.name == name).toRight(s"there is no workload '$name'.")
        .flatMap(found => taken(rest, so.copy(workloads = so.workloads :+ found)))
    case "--only" :: name :: rest =>
      Contender.all.find(_.name == name).toRight(s"there is no contender '$name'.")
        .flatMap(found => taken(rest, so.copy(contenders = so.contenders :+ found)))
    case "--firings" :: rest                      => taken(rest, so.copy(firings = true))
    case "--events" :: number :: rest             => count(number).flatMap(n => taken(rest, so.copy(events = n)))
    case "--batch" :: number :: rest              => count(number).flatMap(n => taken(rest, so.copy(batch = n)))
    case "--repeats" :: number :: rest            => count(number).flatMap(n => taken(rest, so.copy(repeats = n.toInt)))
    case "--conf" :: Setting(name, value) :: rest => taken(rest, so.copy(settings = so.settings + (name -> value)))
    case word :: _                                => Left(s"'$word' is not understood.")
  }

  private def count(text: String): Either[String, Long] =
    text.replace("_", "").toLongOption.filter(_ > 0).toRight(s"'$text' is no whole number above 0.")

  private def checked(so: Arguments): Either[String, Arguments] =
    if (so.batch % EventFiles.PerBatch != 0) Left(s"a batch is ${EventFiles.PerBatch} files, but ${so.batch} is odd.")
    else if (so.events % so.batch != 0) Left(s"${so.events} events are no whole batches of ${so.batch}.")
    else if (so.events / so.batch <= Trial.Dropped)
      Left(s"${so.events / so.batch} batches are too few: the first ${Trial.Dropped} are not measured.")
    else
      Right(so.copy(
        workloads = if (so.workloads.isEmpty) Workload.all else so.workloads,
        contenders =
          if (so.firings) Contender.firings else if (so.contenders.isEmpty) Contender.all else so.contenders))
}
