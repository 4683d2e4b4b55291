package windrow

/** Every span that is stated is shorter than times may be far from the epoch (SEMANTICS T1): then neither a bound of a window nor
  * the sum of two spans passes 64 bits.
  */
private[windrow] object SpanCheck {

  /** @param draft
    *   spans are looked for in its fields and in theirs, by whose names they are called
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
