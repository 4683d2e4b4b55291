package windrow

/** A pattern of rows: a regular expression whose letters are names of rows (SEMANTICS R140). */
private[windrow] sealed trait RowPattern {

  /** Whether it matches without any row. */
  def matchesNothing: Boolean

  /** The number of instructions of its program. */
  def size: Long

  /** The names of rows, in the order in which they occur. */
  def names: Seq[String]
}

private[windrow] object RowPattern {

  /** One row, which fulfills the condition of the name. */
  final case class Row(name: String) extends RowPattern {
    def matchesNothing: Boolean = false
    def size: Long              = 1
    def names: Seq[String]      = Seq(name)
  }

  /** All parts, one after another. */
  final case class Sequence(parts: Seq[RowPattern]) extends RowPattern {
    def matchesNothing: Boolean = parts.forall(_.matchesNothing)
    def size: Long              = parts.map(_.size).sum
    def names: Seq[String]      = parts.flatMap(_.names)
  }

  /** One of the options, the first one preferred. */
  final case class Choice(options: Seq[RowPattern]) extends RowPattern {
    def matchesNothing: Boolean = options.exists(_.matchesNothing)
    def size: Long              = options.map(_.size + 2).sum
    def names: Seq[String]      = options.flatMap(_.names)
  }

  /** A part at least `least` times and at most `most` times; None has no limit.
    *
    * @param isGreedy
    *   whether more repetitions are preferred to fewer
    */
  final case class Repeat(part: RowPattern, least: Int, most: Option[Int], isGreedy: Boolean) extends RowPattern {
    def matchesNothing: Boolean = least == 0 || part.matchesNothing

    def size: Long = {
      val rest = most.fold(part.size + 2)(all => (all - least) * (part.size + 1))
      math.min(Beyond, least * part.size + rest)
    }

    def names: Seq[String] = part.names
  }

  /** Whether a row of a name can precede a row of another name, or of the same one, in a match. */
  def canPrecede(pattern: RowPattern, one: String, other: String): Boolean = {
    def has(part: RowPattern, name: String) = part.names.exists(_.equalsIgnoreCase(name))
    pattern match {
      case Row(_)          => false
      case Choice(options) => options.exists(canPrecede(_, one, other))
      case Sequence(parts) =>
        parts.exists(canPrecede(_, one, other)) ||
        parts.indices.exists(i => has(parts(i), one) && parts.drop(i + 1).exists(has(_, other)))
      case Repeat(part, _, most, _) =>
        canPrecede(part, one, other) || (most.forall(_ > 1) && has(part, one) && has(part, other))
    }
  }

  /** The names in the text of a pattern, which may be wrong. */
  def namesIn(text: String): Seq[String] = "[A-Za-z_][A-Za-z_0-9]*".r.findAllIn(text).toSeq

  /** The greatest number of instructions of a pattern. */
  val MostInstructions = 1000

  /** A size at which counting ends, so that repetitions of repetitions do not overflow. */
  private val Beyond = 1L << 40

  /** The greatest depth of parentheses. */
  private val MostDepth = 100

  /** The greatest number of different names: the conditions of a row are bits of a long. */
  val MostNames = 64

  /** Parses a pattern such as `A (B | C)+ D{2,3}`. */
  def parse(text: String): Either[SpecProblem, RowPattern] =
    try Right(new Parser(text).all)
    catch {
      case NotUnderstood(at, why) =>
        Left(SpecProblem("PATTERN_NOT_UNDERSTOOD", "pattern" -> text, "position" -> (at + 1), "why" -> why))
    }

  private final case class NotUnderstood(at: Int, why: String) extends RuntimeException(why, null, false, false)

  private final class Parser(text: String) {
    private var at    = 0
    private var depth = 0

    def all: RowPattern = {
      val pattern = choice()
      if (!isOver) fail(s"'${text(at)}' is not expected here")
      pattern
    }

    private def choice(): RowPattern = {
      val options = several(sequence())(() => take('|'))
      if (options.size == 1) options.head else Choice(options)
    }

    private def sequence(): RowPattern = {
      val parts = several(repeated())(() => !isOver && (isLetter(text(at)) || text(at) == '('))
      if (parts.size == 1) parts.head else Sequence(parts)
    }

    private def several(part: => RowPattern)(goesOn: () => Boolean): Seq[RowPattern] = {
      val parts = Seq.newBuilder[RowPattern]
      parts += part
      while (goesOn()) parts += part
      parts.result()
    }

    private def repeated(): RowPattern = {
      val part = single()
      val limits =
        if (take('*')) Some((0, None))
        else if (take('+')) Some((1, None))
        else if (take('?')) Some((0, Some(1)))
        else if (take('{')) Some(braces())
        else None
      limits.fold(part) { case (least, most) => Repeat(part, least, most, isGreedy = !take('?')) }
    }

    private def braces(): (Int, Option[Int]) = {
      val start = at - 1
      val least = number()
      val most =
        if (!take(',')) Some(least.getOrElse(fail("a number is missing in the braces")))
        else number()
      if (!take('}')) fail("'}' is missing")
      val from = least.getOrElse(0)
      if (most.exists(_ < math.max(from, 1))) fail("the greatest number in the braces is too small", start)
      (from, most)
    }

    private def number(): Option[Int] = {
      skipSpace()
      val digits = text.drop(at).takeWhile(c => c >= '0' && c <= '9')
      at += digits.length
      skipSpace()
      Option.when(digits.nonEmpty)(
        digits.toIntOption.filter(_ <= MostInstructions)
          .getOrElse(fail(s"a number is greater than $MostInstructions", at - digits.length)))
    }

    private def single(): RowPattern =
      if (take('(')) {
        depth += 1
        if (depth > MostDepth) fail(s"there are more than $MostDepth parentheses inside one another")
        val pattern = choice()
        if (!take(')')) fail("')' is missing")
        depth -= 1
        pattern
      } else if (isOver) fail("a name or '(' is missing at the end")
      else if (!isLetter(text(at))) fail(s"a name or '(' is expected instead of '${text(at)}'")
      else {
        val name = text.drop(at).takeWhile(c => isLetter(c) || (c >= '0' && c <= '9'))
        at += name.length
        skipSpace()
        Row(name)
      }

    private def isLetter(c: Char): Boolean = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'

    private def take(c: Char): Boolean = {
      skipSpace()
      val isThere = !isOver && text(at) == c
      if (isThere) {
        at += 1
        skipSpace()
      }
      isThere
    }

    private def skipSpace(): Unit = while (!isOver && text(at).isWhitespace) at += 1

    private def isOver: Boolean = at >= text.length

    private def fail(why: String, where: Int = at): Nothing = throw NotUnderstood(where, why)
  }
}
