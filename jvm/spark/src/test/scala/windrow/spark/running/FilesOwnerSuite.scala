package windrow.spark.running

import java.nio.file.{Files, Path}
import windrow.CheckpointError
import windrow.spark.SparkSuite

/** Tests which query a folder belongs to (SEMANTICS B5). */
final class FilesOwnerSuite extends SparkSuite {
  private def empty(in: String, mark: String): Path = {
    val file = Path.of(in, mark, "query")
    Files.createDirectories(file.getParent)
    Files.createFile(file)
  }

  test("a mark without a word is none: its driver ended before it was written") {
    val (checkpoint, folder) = (SparkSuite.folder(), SparkSuite.folder())
    val (ours, theirs)       = (empty(checkpoint, "windrow"), empty(folder, "_windrow"))
    val id                   = new FilesOwner(spark, checkpoint).claim(Seq(folder))
    assert(id.nonEmpty && Files.readString(ours) == id && Files.readString(theirs) == id)
    assert(new FilesOwner(spark, checkpoint).claim(Nil) == id)
    for (file <- Seq(ours, theirs))
      assert(Files.list(file.getParent).filter(!_.getFileName.toString.endsWith(".crc")).count() == 1)
  }

  test("with batches it is another query's all the same") {
    val folder = SparkSuite.folder()
    empty(folder, "_windrow")
    Files.createDirectories(Path.of(folder, "batch=0"))
    val refused = intercept[CheckpointError](new FilesOwner(spark, SparkSuite.folder()).claim(Seq(folder)))
    assert(refused.getMessage.startsWith("[FILES_OF_ANOTHER_QUERY]"))
  }

  test("a refused start takes no folder") {
    val (free, taken, checkpoint) = (SparkSuite.folder(), SparkSuite.folder(), SparkSuite.folder())
    new FilesOwner(spark, SparkSuite.folder()).claim(Seq(taken))
    intercept[CheckpointError](new FilesOwner(spark, checkpoint).claim(Seq(free, taken)))
    val id = new FilesOwner(spark, checkpoint).claim(Seq(free))
    assert(new FilesOwner(spark, checkpoint).claim(Seq(free)) == id)
  }

  test("later batches than those of the checkpoint are refused, because it is an older copy") {
    val (checkpoint, folder) = (SparkSuite.folder(), SparkSuite.folder())
    new FilesOwner(spark, checkpoint).claim(Seq(folder))
    def plan(batch: Int)  = Files.createFile(Files.createDirectories(Path.of(checkpoint, "offsets")).resolve(s"$batch"))
    def write(batch: Int) = Files.createDirectories(Path.of(folder, s"batch=$batch"))
    def refused =
      intercept[CheckpointError](new FilesOwner(spark, checkpoint).check(Seq(SparkSuite.folder(), folder))).getMessage
    write(0)
    assert(refused.startsWith("[BATCH_OF_THE_PAST]") && refused.contains("delete batch=0 in the folder"))
    Seq(0, 9, 10).foreach(plan)
    Seq(9, 10).foreach(write)
    new FilesOwner(spark, checkpoint).check(Seq(folder))
    Seq(11, 13).foreach(write)
    assert(refused.contains("batch 13 of this query") && refused.contains("delete batch=11 to batch=13 in the folder"))
    Files.delete(Path.of(folder, "_windrow", "query"))
    assert(refused.startsWith("[FILES_OF_ANOTHER_QUERY]"), "without a mark, nobody knows whose batches they are")
  }
}
