package windrow

/** Checks that every span is shorter than the greatest distance of a time from the epoch (SEMANTICS T1), so that
  * neither the bounds of windows nor the sum of two spans overflow 64 bits.
  */
private[windrow] object SpanCheck {

  /** @param draft
    *   checked recursively; problems contain the names of its fields
    */
  def apply(draft: Product): Seq[SpecProblem] =
    draft.productElementNames.zip(draft.productIterator).flatMap { case (name, value) => of(name, value) }.toSeq

  private def of(name: String, value: Any): Seq[SpecProblem] = value match {
    case TimeSpan.Endless if MayBeEndless(name) => Nil
    case span: TimeSpan                         => Option.when(span.isTooLong)(TimeSpan.tooLong(name)).toSeq
    case perhaps: Option[_]                     => perhaps.toSeq.flatMap(of(name, _))
    case several: Iterable[_]                   => several.toSeq.flatMap(of(name, _))
    case draft: Product                         => apply(draft)
    case _                                      => Nil
  }

  private val MayBeEndless = Set("lateness", "fillGaps")
}
