package windrow.spark.version

import org.apache.spark.sql.catalyst.expressions.{Expression, TimeZoneAwareExpression}

/** Spark's sum of a time and an interval. Its class is `TimeAdd` in Spark 4.0 and `TimestampAddInterval` later. */
private[spark] object TimePlusInterval {
  private val Sum: Class[_] =
    Class.forName(
      s"org.apache.spark.sql.catalyst.expressions.${if (SparkVersion.is40) "TimeAdd" else "TimestampAddInterval"}")

  private val New = Sum.getConstructor(classOf[Expression], classOf[Expression], classOf[Option[_]])

  def apply(time: Expression, interval: Expression, zone: Option[String]): Expression =
    New.newInstance(time, interval, zone).asInstanceOf[Expression]

  /** Returns the time and the interval. */
  def unapply(sum: TimeZoneAwareExpression): Option[(Expression, Expression)] =
    Option.when(Sum.isInstance(sum))((sum.children.head, sum.children.last))
}
