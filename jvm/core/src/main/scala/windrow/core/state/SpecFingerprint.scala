package windrow.core.state

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import windrow.{CheckpointError, ErrorConditions}

/** One property of a query that must not change while its state exists (SEMANTICS S2).
  *
  * @param label
  *   name of the property, in the user's words; a label is never reused for another property
  * @param text
  *   value of the property, in the user's words
  * @param least
  *   `text` as a number that may grow but not decrease; None if the text must stay equal
  * @param noted
  *   number to remember since `least` grew
  * @param spoken
  *   formats `text`, or the text found in a state, for errors
  */
final case class FingerprintField(
    label: String,
    text: String,
    least: Option[Long] = None,
    noted: Option[Long] = None,
    spoken: String => String = identity) {

  /** A long text, shortened to its beginning and a digest of the entire text. */
  private[state] val shown: String = if (text.length <= FingerprintField.MostShown) text
  else s"${text.take(FingerprintField.MostShown)}… (${FingerprintField.digest(text)})"

  private[state] def kept: String =
    (Seq(label, shown) ++ (least ++ noted).map(_.toString)).mkString(FingerprintField.Behind)

  /** Whether a state with this text and number is compatible with the query. */
  private[state] def goesOn(was: String, number: Option[Long]): Boolean =
    least.fold(was == shown)(now => number.exists(_ <= now))
}

object FingerprintField {
  private val MostShown = 400

  /** The separator between the parts of an entry. */
  private[state] val Behind = "\u0000"

  private def digest(text: String): String =
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)).take(12).map(b => f"$b%02x").mkString
}

/** All properties that must not change while a state exists. The header of each shard starts with them as a list of
  * texts, each with its label.
  *
  * If a state lacks a label because it is older than the label, the query's value is accepted and stored from then on.
  * Labels can therefore be added, but a label that is not written any longer must still be recognized in old states.
  */
final class SpecFingerprint(val entries: Seq[FingerprintField]) extends Serializable {
  @transient private lazy val bytes: Array[Byte] = {
    val out = new ByteWriter
    out.count(entries.size.toLong)
    kept.foreach(entry => out.bytes(entry.getBytes(UTF_8)))
    out.result()
  }

  /** The list as written to a header. */
  def kept: Seq[String] = entries.map(_.kept)

  def write(out: ByteWriter): Unit = out.append(bytes)

  def and(more: FingerprintField*): SpecFingerprint = new SpecFingerprint(entries ++ more)

  /** Replaces the entries that have the labels of `others`. */
  def having(others: Seq[FingerprintField]): SpecFingerprint =
    new SpecFingerprint(entries.map(entry => others.find(_.label == entry.label).getOrElse(entry)))

  /** Reads the list of a header, positions the reader after it, and throws an error if the state is incompatible. */
  def check(in: ByteReader): Seq[String] = {
    val kept = SpecFingerprint.read(in)
    changed(kept).foreach(throw _)
    kept
  }

  /** A copy that remembers a number with a label, if it has the label. */
  def noting(label: String, number: Long): SpecFingerprint =
    new SpecFingerprint(entries.map(entry => if (entry.label == label) entry.copy(noted = Some(number)) else entry))

  /** The error for a state that was written with `kept`; None if the state is compatible. */
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

  /** Accepts every state. */
  val Nothing = new SpecFingerprint(Nil)

  /** Creates a fingerprint of labels and texts. */
  def apply(entries: (String, String)*): SpecFingerprint =
    new SpecFingerprint(entries.map { case (label, text) => FingerprintField(label, text) })

  /** The numbers stored with a label: `least`, then `noted`. */
  private[core] def numbers(kept: Seq[String], label: String): Seq[Long] =
    kept.map(_.split(FingerprintField.Behind)).collectFirst { case Array(`label`, _, numbers @ _*) =>
      numbers.flatMap(_.toLongOption)
    }
      .getOrElse(Nil)

  /** Reads the list from a header. */
  def read(in: ByteReader): Seq[String] = Seq.fill(in.size())(new String(in.bytes(), UTF_8))

  /** The list of a sealed header. */
  def of(header: Array[Byte]): Seq[String] = read(ByteReader.unsealed(header, "the header of a shard"))
}
