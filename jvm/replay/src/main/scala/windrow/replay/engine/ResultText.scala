package windrow.replay

import windrow.replay.Emission.ContentPane

/** Formats results as text, with times in the unit of the file. */
private[windrow] final class ResultText(unit: UnitJson) {
  private val json = new ResultWriter(unit)

  def key(key: Scalar): String = key match {
    case Value.Text(text) => s"'$text'"
    case other            => other.toJson.toString
  }

  def window(window: EmissionComparison.Window): String = {
    val (of, start, end, message) = window
    s"of ${key(of)} ${unit.windowText(start, end)}${message.fold("")(m =>
        s" at offset ${m.offset.fold("none")(_.toString)}")}"
  }

  def pane(pane: ContentPane): String =
    s"${if (pane.isRetraction) "retraction of " else ""}${pane.timing} ${pane.index}${if (pane.isLast) " (last)"
      else ""} " + content(pane.value)

  private def content(content: Content): String = content match {
    case Content.Values(values, _) =>
      values.toSeq.sortBy(_._1).map { case (name, value) => s"$name=${value.toJson}" }.mkString(" ")
    case Content.Messages(all) => messages(all)
    case Content.ByStream(groups) =>
      groups.toSeq.sortBy(_._1).map { case (name, all) => s"$name=${messages(all)}" }.mkString(" ")
  }

  private def messages(all: Seq[StoredValue]): String =
    all.map(m => s"${m.value.toJson} at ${unit.timeText(m.time)}").mkString("{", ", ", "}")

  def rejected(message: RejectedMessage): String =
    s"${key(message.key)} at ${message.time.fold("null")(unit.timeText)} value ${message.value.toJson} ${message.reason}" +
      message.stream.fold("")(stream => s" of $stream")

  def row(row: Emission.Row): String =
    row.toSeq.sortBy(_._1).map { case (stream, message) => s"$stream=${messages(message.toSeq)}" }.mkString(" ")

  def event(event: PolicyEvent): String = s"${event.event} of ${event.values.map(_.toJson).mkString("[", ", ", "]")}"

  def answer(answer: Answer): String = json.answer(answer).toString
}
