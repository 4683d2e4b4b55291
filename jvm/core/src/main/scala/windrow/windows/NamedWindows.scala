package windrow

/** Several kinds of windows over the same rows, each with a name that its panes show (SEMANTICS R152). They share
  * everything that is not part of a kind: lateness, triggers, accumulation mode and retention.
  *
  * @param windows
  *   the windows by name, sorted by name, so that their order in a query does not matter
  */
final case class NamedWindows private (windows: Seq[(String, WindowKind)]) extends WindowKind {
  def problems: Seq[SpecProblem] = NamedWindows.named(windows.map(_._1)) ++ windows.flatMap { case (name, kind) =>
    (kind.problems ++ NamedWindows.unsupported(kind)).map(_.in(s"window '$name'"))
  }

  private[windrow] def form: WindowForm           = NamedWindows.form(Nil)
  private[windrow] def fields: Seq[(String, Any)] = Seq("windows" -> windows)
  private[windrow] def inWords: String = windows.map { case (name, kind) => s"$name: ${kind.inWords}" }.mkString(" ")

  @transient private[windrow] lazy val family: WindowFamily = WindowFamily.Several(windows.map(_._2.family))

  private[windrow] override def longest: Option[TimeSpan] = {
    val all = windows.map(_._2.longest)
    if (all.contains(None)) None else all.flatten.maxByOption(_.micros)
  }

  override def toString: String = windows.map { case (name, kind) => s"$name=$kind" }.mkString("windows(", ", ", ")")
}

object NamedWindows {
  def apply(windows: Seq[(String, WindowKind)]): NamedWindows = new NamedWindows(windows.sortBy(_._1))

  private val Name = "[A-Za-z_][A-Za-z0-9_]*"

  private def named(names: Seq[String]): Seq[SpecProblem] =
    Option.when(names.isEmpty)(SpecProblem("NAMED_WINDOWS.EMPTY")).toSeq ++
      names.distinct.filterNot(_.matches(Name)).map(name => SpecProblem("NAMED_WINDOWS.NAME", "name" -> name)) ++
      names.diff(names.distinct).distinct.map(name => SpecProblem("NAMED_WINDOWS.TWICE", "name" -> name))

  /** Only windows whose panes have the same columns can be in one table. */
  private def unsupported(kind: WindowKind): Option[SpecProblem] = kind.family match {
    case _: WindowFamily.Aligned | WindowFamily.Sessions(Some(_)) => None
    case _ => Some(SpecProblem("NAMED_WINDOWS.KIND", "window" -> kind))
  }

  /** @param kinds
    *   the forms that each window may have
    */
  private[windrow] def form(kinds: Seq[WindowForm]): WindowForm = WindowForm(
    "named",
    "windrow_windows",
    "several windows over the same rows, each with a name",
    "windows") { fields =>
    fields.windowsIfSet("windows").flatMap { windows =>
      val read = windows.map { case (name, own) => one(own, kinds).map(name -> _) }
      Option.when(!read.contains(None))(apply(read.flatten))
    }
  }

  private def one(fields: WindowFields, kinds: Seq[WindowForm]): Option[WindowKind] = {
    val kind = fields.nameIfSet("kind").getOrElse("")
    kinds.find(_.name == kind).fold(
      fields.refuse[WindowKind](
        "WINDOW_UNKNOWN.KIND",
        "kind"    -> kind,
        "allowed" -> kinds.map(_.name).mkString(", "))) { form =>
      fields.onlyOf(kind, form.fields, form.function.fold(form.fields)(_.arguments))
      form.read(fields)
    }
  }
}
