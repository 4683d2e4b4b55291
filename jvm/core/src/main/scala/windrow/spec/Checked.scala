package windrow

/** A checked description. Two are equal if they have the same settings. */
private[windrow] abstract class Checked extends Serializable {
  def draft: Product

  override def equals(other: Any): Boolean = other match {
    case that: Checked => draft == that.draft
    case _             => false
  }
  override def hashCode: Int    = draft.hashCode
  override def toString: String = draft.toString
}
