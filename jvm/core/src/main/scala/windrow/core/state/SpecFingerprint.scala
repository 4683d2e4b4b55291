package windrow.core.state

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import windrow.CheckpointError
import windrow.ErrorConditions

/** One thing that may not change while a state lives (SEMANTICS S2).
  *
  * @param label
  *   what it is, in the user's words; a label is never used for anything else
  * @param text
  *   what it is like, in the user's words
  * @param least
  *   what `text` is as a number, which may grow and must not fall; None: the text stays the same
  * @param noted
  *   what has to be remembered since it grew
  * @param spoken
  *   `text`, or one that a state has in its place, as an error says it
  */
final case class FingerprintField(
    label: String,
    text: String,
    least: Option[Long] = None,
    noted: Option[Long] = None,
    spoken: String => String = identity) {

  /** A long text by its beginning and a digest of the whole. */
  private[state] val shown: String = if (text.length <= FingerprintField.MostShown) text
  else s"${text.take(FingerprintField.MostShown)}… (${FingerprintField.digest(text)})"

  private[state] def kept: String =
    (Seq(label, shown) ++ (least ++ noted).map(_.toString)).mkString(FingerprintField.Behind)

  /** What a state has in its place can be gone on with. */
  private[state] def goesOn(was: String, number: Option[Long]): Boolean =
    least.fold(was == shown)(now => number.exists(_ <= now))
}

object FingerprintField {
  private val MostShown = 400

  /** Between the parts of an entry. */
  private[state] val Behind = "\u0000"

  private def digest(text: String): String =
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)).take(12).map(b => f"$b%02x").mkString
}

/** All that may not change while a state lives, as the header of each shard begins with it: a list of texts, each behind its
  * label.
  *
  * What a state does not name, since it was begun before windrow knew of it, is taken over as the query has it and written from
  * then on. So labels can be added; one that is taken away must be kept as something to be found.
  */
final class SpecFingerprint(val entries: Seq[FingerprintField]) extends Serializable {
  @transient private lazy val bytes: Array[Byte] = {
    val out = new ByteWriter
    out.count(entries.size.toLong)
    kept.foreach(entry => out.bytes(entry.getBytes(UTF_8)))
    out.result()
  }

  /** The list that a header keeps. */
  def kept: Seq[String] = entries.map(_.kept)

  def write(out: ByteWriter): Unit = out.append(bytes)

  def and(more: FingerprintField*): SpecFingerprint = new SpecFingerprint(entries ++ more)

  /** The same with others in the place of those that have their labels. */
  def having(others: Seq[FingerprintField]): SpecFingerprint =
    new SpecFingerprint(entries.map(entry => others.find(_.label == entry.label).getOrElse(entry)))

  /** Reads the list of a header, leaving the reader behind it; an error if the state cannot be gone on with. */
  def check(in: ByteReader): Seq[String] = {
    val kept = SpecFingerprint.read(in)
    changed(kept).foreach(throw _)
    kept
  }

  /** The same, remembering a number with a label if it has it. */
  def noting(label: String, number: Long): SpecFingerprint =
    new SpecFingerprint(entries.map(entry => if (entry.label == label) entry.copy(noted = Some(number)) else entry))

  /** None if a state that was begun with `kept` can be gone on with. */
  def changed(kept: Seq[String]): Option[CheckpointError] = {
    val found = if (entries.isEmpty) Nil else differences(kept)
    Option.when(found.nonEmpty)(new CheckpointError(
      ErrorConditions.message("SPEC_CHANGED.QUERY", "found" -> found.mkString(", and with "))))
  }

  private def differences(kept: Seq[String]): Seq[String] = {
    val was = kept.map(_.split(FingerprintField.Behind)).collect { case Array(label, text, numbers @ _*) =>
      label -> (text, numbers.headOption.flatMap(_.toLongOption))
    }
    val (known, now) = (was.toMap, entries.map(_.label).toSet)
    entries.flatMap(entry =>
      known.get(entry.label).filterNot { case (text, number) => entry.goesOn(text, number) }
        .map { case (text, _) => differs(entry.label, entry.spoken(text), entry.spoken(entry.shown)) }) ++
      was.filterNot { case (label, _) => now(label) }.map { case (label, (text, _)) => differs(label, text, "none") }
  }

  private def differs(label: String, was: String, is: String): String =
    s"$label `$was`, but the query has `$is`"
}

object SpecFingerprint {

  /** Asks nothing. */
  val Nothing = new SpecFingerprint(Nil)

  /** Labels and texts. */
  def apply(entries: (String, String)*): SpecFingerprint =
    new SpecFingerprint(entries.map { case (label, text) => FingerprintField(label, text) })

  /** What a list says of a label in numbers: what may grow, then what is remembered since it grew. */
  private[core] def numbers(kept: Seq[String], label: String): Seq[Long] =
    kept.map(_.split(FingerprintField.Behind)).collectFirst { case Array(`label`, _, numbers @ _*) =>
      numbers.flatMap(_.toLongOption)
    }
      .getOrElse(Nil)

  /** The list of a header. */
  def read(in: ByteReader): Seq[String] = Seq.fill(in.size())(new String(in.bytes(), UTF_8))

  /** Of a whole header. */
  def of(header: Array[Byte]): Seq[String] = read(ByteReader.unsealed(header, "the header of a shard"))
}
