package windrow.core.offsets

import java.util.{TreeMap => JTreeMap}
import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import windrow.core.state.{ByteReader, ByteWriter, Segments}
import windrow.core.time.{EventTime, Position}

/** Offsets of a source partition in pages. Each page is a stored value, read when an offset falls into it and written
  * when it has changed. The pages cover all numbers without gaps: each one ends where the next one starts.
  *
  * `latest` is the greatest place in time of the messages of a page. It determines how long the page is needed.
  */
private[offsets] final class OffsetPages(segments: Segments) {
  import OffsetPages._

  private val pages   = new JTreeMap[java.lang.Long, Page]
  private var touched = Vector.empty[Page] // by this step or the previous one

  /** The page of the last lookup, and its last offset. */
  private var recent: Page = _
  private var after        = Position.Greatest

  def contains(offset: Long): Boolean = {
    val page = find(offset)
    page != null && open(page).contains(offset)
  }

  /** Adds an offset that is not in the set. */
  def add(offset: Long, latest: Long): Unit = {
    val page = roomFor(offset)
    open(page).add(offset)
    page.changed(latest)
  }

  /** Starts a new page once the last one has its size, so that one long-lived offset keeps few others alive. */
  private def roomFor(offset: Long): Page = {
    val page = findOrMake(offset)
    if (page.offsets == null || offset <= page.fullTo) page
    else insert(new Page(page.fullTo + 1, NotStored, EventTime.Min))
  }

  /** Adds a short range; both ends are inclusive. */
  @tailrec def add(first: Long, last: Long, latest: Long): Unit = {
    val page  = findOrMake(first)
    val until = lastOf(page)
    open(page).add(first, math.min(last, until))
    page.changed(latest)
    if (until < last) add(until + 1, last, latest)
  }

  /** Moves offsets from the pages that the step has touched to `ranges`: those that overlap a range, and all offsets of
    * pages with few runs.
    */
  def giveTo(ranges: OffsetRanges): Unit = touched.foreach { page =>
    ranges.overlapping(page.first, lastOf(page)).foreach { range =>
      if (page.offsets.remove(range.first, range.last)) {
        range.latest = math.max(range.latest, page.latest)
        page.isChanged = true
      }
    }
    val runs = page.offsets.runs.take(FewRuns + 1).toVector
    if (runs.size <= FewRuns) runs.foreach { case (first, last) =>
      ranges.add(first, last, page.latest)
      page.offsets.remove(first, last)
      page.isChanged = true
    }
  }

  /** Removes pages whose messages would all be rejected, except the last page. */
  def forget(isPast: Long => Boolean): Unit = if (pages.size > 1) {
    val past = pages.headMap(pages.lastKey).values.asScala.filter(page => isPast(page.latest)).toVector
    past.foreach(drop)
  }

  def areAll(isPast: Long => Boolean): Boolean = pages.values.asScala.forall(page => isPast(page.latest))

  def dropAll(): Unit = pages.values.asScala.toVector.foreach(drop)

  private def drop(page: Page): Unit = {
    if (page.id != NotStored) segments.remove(page.id)
    pages.remove(page.first)
    touched = touched.filterNot(_ eq page)
    recent = null
  }

  /** Writes changed pages and releases pages that neither this step nor the previous one has touched. */
  def flush(): Unit = {
    touched.filter(_.isChanged).foreach { page =>
      if (page.offsets.isEmpty) drop(page) else split(page).foreach(write)
    }
    touched.filterNot(_.isFresh).foreach(_.offsets = null)
    touched = touched.filter(_.isFresh)
    touched.foreach(_.isFresh = false)
  }

  private def split(page: Page): Seq[Page] =
    if (page.offsets.runs.drop(MostRuns).isEmpty) Seq(page)
    else {
      val parts = page.offsets.runs.grouped(MostRuns / 2).zipWithIndex.map { case (runs, i) =>
        val part = if (i == 0) page else new Page(runs.head._1, NotStored, page.latest)
        part.offsets = new OffsetSet
        runs.foreach { case (first, last) => part.offsets.add(first, last) }
        part
      }.toVector
      parts.foreach(insert)
      touched ++= parts.drop(1)
      parts
    }

  private def write(page: Page): Unit = {
    val out = new ByteWriter
    page.offsets.write(out)
    if (page.id == NotStored) page.id = segments.newId()
    segments.write(page.id, out)
    page.isChanged = false
    page.measure()
  }

  /** The page of an offset, or null. */
  private def find(offset: Long): Page = {
    val isRecent = recent != null && recent.first <= offset && offset <= after
    if (!isRecent && !pages.isEmpty) {
      val below = pages.floorEntry(offset)
      recent = if (below == null) null else below.getValue
      if (recent != null) after = lastOf(recent)
    }
    recent
  }

  private def findOrMake(offset: Long): Page =
    if (find(offset) == null) insert(new Page(Position.Least, NotStored, EventTime.Min))
    else recent

  private def insert(page: Page): Page = {
    pages.put(page.first, page)
    recent = page
    after = lastOf(page)
    page
  }

  private def lastOf(page: Page): Long = {
    val next = pages.higherKey(page.first)
    Option(next).fold(Position.Greatest)(_ - 1)
  }

  private def open(page: Page): OffsetSet = {
    if (page.offsets == null)
      page.read(if (page.id == NotStored) new OffsetSet else segments.read(page.id)(OffsetSet.read))
    if (!page.isFresh) {
      page.isFresh = true
      if (!touched.contains(page)) touched :+= page
    }
    page.offsets
  }

  def readDirectory(in: ByteReader): Unit = (0L until in.count()).foreach { _ =>
    val page = new Page(in.long(), in.count(), in.long())
    pages.put(page.first, page)
  }

  def writeDirectory(out: ByteWriter): Unit = {
    out.count(pages.size.toLong)
    pages.forEach { (first, page) =>
      out.long(first)
      out.count(page.id)
      out.long(page.latest)
    }
  }
}

private[offsets] object OffsetPages {

  /** A page with more runs, about 8 KB, is split. */
  private val MostRuns = 2048

  /** A page with at most this many runs moves to the ranges. */
  private val FewRuns = 4

  private val NotStored = 0L

  final class Page(val first: Long, var id: Long, var latest: Long) {
    var offsets: OffsetSet = _
    var isChanged          = false

    /** The current step has touched it. */
    var isFresh = false

    /** Its last offset if it has at least a quarter of the maximum number of runs; otherwise the greatest number. Later
      * offsets go to a new page.
      */
    var fullTo: Long = Position.Greatest

    def read(set: OffsetSet): Unit = {
      offsets = set
      measure()
    }

    def measure(): Unit = {
      val full = offsets.runs.drop(MostRuns / 4 - 1)
      fullTo = full.map(_._2).maxOption.getOrElse(Position.Greatest)
    }

    def changed(of: Long): Unit = {
      isChanged = true
      latest = math.max(latest, of)
    }
  }
}
