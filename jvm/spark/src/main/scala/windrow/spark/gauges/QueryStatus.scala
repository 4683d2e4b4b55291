package windrow.spark.gauges

/** The figures of a run of a query, summed over its micro-batches. The same as `Status` in Python.
  *
  * @param counts
  *   sums of the counts of rows, by the names of the observed metrics
  * @param last
  *   the newest micro-batch
  * @param newest
  *   the greatest event time, in milliseconds
  * @param open
  *   the open windows of each operator, if their number is known
  * @param inputs
  *   by input of a join or co-group, the watermark of its rows in milliseconds, if it has some
  * @param quiet
  *   by source, the newest micro-batches in a row without rows of it, while another source had some
  * @param missing
  *   by input, the newest micro-batches in a row without rows of it, while another input had some and the watermark did
  *   not move
  * @param operators
  *   sums of the counts of each operator
  * @param memoryBefore
  *   the memory of the state before the newest micro-batch, in bytes
  */
private[spark] final case class QueryStatus(
    counts: Map[String, Long] = Map.empty,
    last: Option[BatchFigures] = None,
    newest: Option[Long] = None,
    open: Map[String, Long] = Map.empty,
    inputs: Map[String, Option[Long]] = Map.empty,
    quiet: Map[String, Int] = Map.empty,
    missing: Map[String, Int] = Map.empty,
    operators: Map[String, Map[String, Long]] = Map.empty,
    memoryBefore: Long = 0) {

  def count(name: String): Long = counts.getOrElse(name, 0L)

  def watermark: Option[Long] = last.flatMap(_.watermark)

  /** The distance of the watermark from the greatest event time, in milliseconds. */
  def behind: Option[Long] = for (ahead <- newest; watermark <- watermark) yield ahead - watermark

  /** The input for which the watermark waits: the one with the least watermark, if it had no rows in several
    * micro-batches in which the watermark did not move, or if it never had any and there is no watermark yet (SEMANTICS
    * R87). An input that the watermark has passed, because it was idle, does not hold it back.
    */
  def heldBackBy: Option[String] = {
    val order = inputs.toSeq.sortBy { case (name, reached) => (reached.getOrElse(Long.MinValue), name) }
    order.headOption.collect {
      case (name, reached)
          if order.last._2 != reached && !reached.exists(at => watermark.exists(_ > at)) &&
            (missing.getOrElse(name, 0) >= QueryStatus.Silent || watermark.isEmpty && reached.isEmpty) => name
    }
  }

  /** The present values of the newest micro-batch, by the names of the gauges. The memory of the state is the greater of
    * the values before and after the micro-batch: Spark reports it after the commit, and RocksDB has then written its
    * memory to files if the commit made a snapshot, by default at every tenth one.
    */
  def levels: Map[String, Long] = last.fold(Map.empty[String, Long])(_.levels) ++
    memory.map(after => Levels.StateBytes -> math.max(memoryBefore, after)) ++
    watermark.map(Levels.Watermark -> _) ++ behind.map(Levels.Behind -> _)

  private def memory: Option[Long] = last.flatMap(_.levels.get(Levels.StateBytes))

  /** Returns the status after one more micro-batch, or this one if the micro-batch was counted before. */
  def after(figures: BatchFigures): QueryStatus =
    if (last.exists(_.batch >= figures.batch)) this
    else
      QueryStatus(
        BatchFigures.sum(counts, figures.counts),
        Some(figures),
        (newest ++ figures.newest).maxOption,
        figures.open.flatMap { case (name, reported) =>
          reported.after(figures.batch, open.get(name)).map(name -> _)
        },
        inputs ++ figures.inputs.map { case (name, reached) =>
          name -> (inputs.get(name).flatten ++ reached).maxOption
        },
        quietAfter(figures.sources),
        missingAfter(figures),
        figures.operators.foldLeft(operators) { case (all, (name, more)) =>
          all.updated(name, BatchFigures.sum(all.getOrElse(name, Map.empty), more))
        },
        memory.getOrElse(0L))

  private def quietAfter(sources: Seq[(String, Long)]): Map[String, Int] =
    if (sources.sizeIs < 2 || sources.forall(_._2 == 0)) quiet
    else
      sources.map { case (name, rows) => name -> (if (rows > 0) 0 else quiet.getOrElse(name, 0) + 1) }.toMap

  private def missingAfter(figures: BatchFigures): Map[String, Int] =
    if (figures.watermark != watermark) Map.empty
    else if (figures.inputs.values.forall(_.isEmpty)) missing
    else
      figures.inputs.map { case (name, reached) =>
        name -> (if (reached.nonEmpty) 0 else missing.getOrElse(name, 0) + 1)
      }
}

private[spark] object QueryStatus {

  /** The number of micro-batches without rows after which a source or an input counts as silent. */
  val Silent = 3
}
