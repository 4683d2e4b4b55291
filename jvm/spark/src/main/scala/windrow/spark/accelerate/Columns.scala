package windrow.spark.accelerate

import java.util.Locale
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.sql.windrow.SparkInside

/** A value of a type that differs only in which of its fields and elements can be null. */
private final case class KnownType(child: Expression, override val dataType: DataType) extends TaggingExpression {
  override protected def withNewChildInternal(newChild: Expression): KnownType = copy(child = newChild)
}

/** Creates the columns of new plans. */
private object Columns {

  /** Returns a column with the id, name, metadata, and nullability of an old one. Its value has the same fields and
    * elements, of which Windrow does not know whether they can be null.
    */
  def like(old: Attribute, value: Expression): NamedExpression = {
    val typed =
      if (old.dataType != value.dataType && nullable(old) == nullable(value))
        KnownType(value, old.dataType)
      else value
    val same =
      if (old.nullable == typed.nullable) typed else if (old.nullable) KnownNullable(typed) else KnownNotNull(typed)
    Alias(same, old.name)(old.exprId, old.qualifier, Some(old.metadata))
  }

  private def nullable(value: Expression): StructType =
    SparkInside.nullable(StructType(Seq(StructField("value", value.dataType))))

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
