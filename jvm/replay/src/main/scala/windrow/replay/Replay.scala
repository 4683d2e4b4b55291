package windrow.replay

import java.nio.file.{Files, Path, Paths}

/** Runs transcripts and prints the results, or with `--check` the differences from the expected results.
  *
  * Exit status: 0; 1 if something differs or a case cannot be read; 2 if the arguments are wrong.
  */
object Replay {
  private val Usage = "usage: replay FILE [--engine reference|core|spark] [--check] [--case ID]"

  private final case class Call(
      file: Option[Path] = None,
      engine: String = "reference",
      check: Boolean = false,
      id: Option[String] = None)

  def main(args: Array[String]): Unit = System.exit(run(args.toList, println(_)))

  /** @return
    *   the exit status
    */
  def run(args: List[String], print: String => Unit): Int =
    parse(args, Call()).flatMap(ready) match {
      case Left(problem) =>
        print(problem)
        2
      case Right((call, file, engine)) =>
        val cases = TranscriptReader.readFile(file).filter(_.fold(_ => call.id.isEmpty, c => call.id.forall(_ == c.id)))
        if (cases.isEmpty) {
          print(s"case ${call.id.fold("")(id => s"'$id' ")}not found in $file")
          2
        } else if (call.check) check(cases, engine, KnownGaps.beside(file), print)
        else show(cases, engine, print)
    }

  private def parse(args: List[String], call: Call): Either[String, Call] = args match {
    case "--engine" :: name :: rest => parse(rest, call.copy(engine = name))
    case "--check" :: rest          => parse(rest, call.copy(check = true))
    case "--case" :: id :: rest     => parse(rest, call.copy(id = Some(id)))
    case file :: rest if !file.startsWith("--") && call.file.isEmpty =>
      parse(rest, call.copy(file = Some(Paths.get(file))))
    case Nil        => Right(call)
    case other :: _ => Left(s"'$other' is not understood\n$Usage")
  }

  private def ready(call: Call): Either[String, (Call, Path, Engine)] = for {
    file <- call.file.toRight(Usage)
    _    <- Either.cond(Files.isReadable(file), (), s"$file cannot be read")
    engine <- Engine.named(call.engine).toRight(
      s"engine '${call.engine}' does not exist. The engines are ${Engine.all.map(_.name).mkString(", ")}")
  } yield (call, file, engine)

  private def show(cases: Seq[Either[TranscriptError, TranscriptCase]], engine: Engine, print: String => Unit): Int =
    cases.map {
      case Left(error) =>
        print(s"cannot be read: ${error.getMessage}")
        1
      case Right(transcript) =>
        print(TranscriptWriter.write(engine.run(transcript).inPlaceOfExpected(transcript)))
        0
    }.max

  private def check(
      cases: Seq[Either[TranscriptError, TranscriptCase]],
      engine: Engine,
      gaps: KnownGaps,
      print: String => Unit): Int = {
    val verdicts = cases.map(_.fold(Verdict.Unreadable(_), Verdict.of(_, engine, gaps)))
    verdicts.flatMap(_.text).foreach(print)
    val counts = verdicts.groupBy(_.name).view.mapValues(_.size).toSeq.sorted
    print(
      s"${cases.size} cases on ${engine.name}: ${counts.map { case (name, count) => s"$count $name" }.mkString(", ")}")
    if (verdicts.exists(_.isFailure)) 1 else 0
  }
}
