package windrow.spark.accelerate

import java.util.Locale
import org.apache.spark.sql.catalyst.expressions._

/** Creates the columns of new plans. */
private object Columns {

  /** Returns a column with the id, name, metadata, and nullability of an old one. */
  def like(old: Attribute, value: Expression): NamedExpression = {
    val same =
      if (old.nullable == value.nullable) value else if (old.nullable) KnownNullable(value) else KnownNotNull(value)
    Alias(same, old.name)(old.exprId, old.qualifier, Some(old.metadata))
  }

  /** Returns the columns with unique names, because rows are also stored by name. */
  def unique(columns: Seq[Attribute]): Seq[NamedExpression] =
    columns.zip(names(columns.map(_.name), Nil)).map { case (column, name) =>
      if (column.name == name) column else Alias(column, name)()
    }

  /** Adds numbers to names that occur twice, or that are taken. */
  def names(all: Seq[String], taken: Seq[String]): Seq[String] =
    all.foldLeft(Seq.empty[String]) { (before, name) =>
      val used = (taken ++ before).map(_.toLowerCase(Locale.ROOT)).toSet
      before :+ (name +: Iterator.from(2).map(n => s"${name}_$n").take(used.size + 1).toSeq)
        .find(one => !used.contains(one.toLowerCase(Locale.ROOT))).get
    }
}
