package windrow.spark.verify

import windrow.spark.verify.FileKind._

/** Determines the files from which a query continues. */
private[verify] object RequiredFiles {

  def of(contents: FolderContents): Seq[RequiredFile] = {
    val batches = Batches(contents)
    batches.needs ++ Sources(contents).needs ++ stores(contents, batches)
  }

  private def stores(contents: FolderContents, batches: Batches): Seq[RequiredFile] = {
    val versions = contents.forms.values.collect { case version: Version => version }.toSeq.groupBy(_.store)
    val named = contents.operators.flatMap { case (operator, metadata) =>
      for ((store, partitions) <- metadata.partitions.toSeq;
        part                   <- FileNumbers.range(0, partitions - 1L, versions.size))
        yield storeOf(operator, part.toInt, store)
    }
    descriptions(contents) ++ batches.committed.toSeq.flatMap(batch =>
      (versions.keySet ++ named).toSeq.flatMap(store =>
        RequiredStoreFiles(contents, store, versions.getOrElse(store, Nil), batch + 1)))
  }

  private def storeOf(operator: Int, partition: Int, name: String): Store = {
    val folder = s"state/$operator/$partition/"
    Store(operator, partition, name, if (name == "default") folder else s"$folder$name/")
  }

  private def descriptions(contents: FolderContents): Seq[RequiredFile] = {
    val described = contents.forms.values.collect { case Operator(number) => number }.toSet
    val without   = contents.forms.values.collect { case Version(store, _, _, _) => store.operator }.toSet -- described
    val there = contents.forms.collect {
      case (name, Operator(_)) => name
      case (name, Schema(_))   => name
    }.toSeq
    val schemas = contents.operators.flatMap { case (operator, metadata) =>
      metadata.schemas.map(schema => s"state/$operator/_stateSchema/$schema")
    }
    (there ++ schemas ++ without.map(operator => s"state/$operator/_metadata/v2/0")).distinct.map(name =>
      RequiredFile(name, None, "it describes the state of its operator"))
  }
}

/** Determines the files from which a version of a store is loaded: the last snapshot before it, the tables of that
  * snapshot, and all later changes.
  */
private[verify] object RequiredStoreFiles {
  private val Loss = "the state of its partition cannot be loaded without it"

  def apply(contents: FolderContents, store: Store, there: Seq[Version], wanted: Long): Seq[RequiredFile] = {
    val (snapshots, changes) = there.partition(_.isWhole)
    val base                 = snapshots.filter(_.number <= wanted).maxByOption(_.number)
    val ending = if (there.exists(one => one.ending == "delta" || one.ending == "snapshot")) "delta" else "changelog"
    val since = FileNumbers.range(base.fold(0L)(_.number) + 1, wanted, changes.size).map(number =>
      RequiredFile(
        changes.find(_.number == number).map(contents.nameOf).getOrElse(s"${store.folder}$number.$ending"),
        Some(number - 1),
        Loss))
    base.toSeq.flatMap(ofSnapshot(contents, _)) ++ since
  }

  private def ofSnapshot(contents: FolderContents, snapshot: Version): Seq[RequiredFile] =
    RequiredFile(contents.nameOf(snapshot), snapshot.batch, Loss) +:
      contents.snapshots.get(snapshot).toSeq.flatMap(_.tables).map { case (table, _) =>
        RequiredFile(snapshot.store.folder + table, snapshot.batch, Loss)
      }
}

/** The micro-batches of a query in its two logs.
  *
  * @param last
  *   the last micro-batch in either log
  */
private[verify] final case class Batches(planned: Set[Long], done: Set[Long]) {
  val last: Option[Long]      = (planned ++ done).maxOption
  val committed: Option[Long] = done.maxOption

  /** Returns the needed files. Spark continues from the last two plans and the last commit. */
  def needs: Seq[RequiredFile] =
    RequiredFile("metadata", None, "without it Spark starts a new query") +: last.toSeq.flatMap { top =>
      val before  = Option.when(top > 0)(top - 1)
      val commits = if (done(top)) Some(top) else before
      (before.toSeq :+ top).map(batch =>
        RequiredFile(
          s"offsets/$batch",
          Some(batch),
          "it records the input of the batch, and without it the batch may be skipped silently")) ++
        commits.map(batch =>
          RequiredFile(
            s"commits/$batch",
            Some(batch),
            "the batch is processed again, or later ones lack its watermark"))
    }
}

private[verify] object Batches {
  def apply(contents: FolderContents): Batches = Batches(
    contents.forms.values.collect { case Plan(number) => number }.toSet,
    contents.forms.values.collect { case Commit(number) => number }.toSet)
}
