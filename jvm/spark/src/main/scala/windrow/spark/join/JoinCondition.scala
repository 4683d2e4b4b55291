package windrow.spark.join

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreePattern.{CURRENT_LIKE, PLAN_EXPRESSION, PYTHON_UDF}
import windrow.core.store.StoredMessage
import windrow.spark.input.{Marks, StreamTable}
import windrow.spark.panes.SimplifiedExpression
import windrow.spark.rows.RowShape
import windrow.{JoinKind, SpecProblem}

/** An additional condition on the rows of a pair. */
private[join] object JoinCondition {

  /** Returns the problem of a condition that a join of this kind does not support, and of internal columns in it. */
  def problems(condition: Expression, how: JoinKind): Seq[SpecProblem] =
    Option.unless(isOfPair(condition, how))(SpecProblem(
      "CONDITION_NOT_SUPPORTED",
      "condition" -> condition.sql)).toSeq ++
      Marks.reserved(condition.references.map(_.name).toSeq)

  /** Whether a condition depends on a pair of rows alone. Spark's optimizer must prepare the others for each micro-batch,
    * which it does only if the condition is a filter of the output.
    */
  private def isOfPair(condition: Expression, how: JoinKind): Boolean = condition.deterministic &&
    (how == JoinKind.Inner || !condition.containsAnyPattern(CURRENT_LIKE, PLAN_EXPRESSION, PYTHON_UDF))

  /** Converts a condition over the rows of the inputs.
    *
    * @param rows
    *   a struct for each input
    */
  def over(condition: Expression, inputs: Seq[StreamTable], rows: Seq[Expression]): Expression = {
    val fields = AttributeMap(inputs.zip(rows).flatMap { case (input, row) =>
      input.message.zipWithIndex.map { case (attribute, i) =>
        attribute -> GetStructField(row, i, Some(attribute.name))
      }
    })
    condition.transform { case attribute: Attribute => fields.getOrElse(attribute, attribute) }
  }

  /** Converts a condition over the rows of the inputs to one that tasks evaluate for a pair. */
  def ofPair(condition: Expression, inputs: Seq[StreamTable]): Expression =
    over(
      SimplifiedExpression(condition).transformUp { case shared: With => SimplifiedExpression.spelledOut(shared) },
      inputs,
      inputs.zipWithIndex.map { case (input, stream) => BoundReference(stream, input.schema, nullable = false) })

  /** Returns the test of a pair in a task.
    *
    * @param shapes
    *   the formats of the streams' rows
    */
  def test(condition: Expression, shapes: IndexedSeq[RowShape]): IndexedSeq[StoredMessage] => Boolean = {
    val predicate = Predicate.create(condition)
    val pair      = new GenericInternalRow(shapes.size)
    messages => {
      shapes.indices.foreach(stream => pair.update(stream, shapes(stream).of(messages(stream).payload)))
      predicate.eval(pair)
    }
  }
}
