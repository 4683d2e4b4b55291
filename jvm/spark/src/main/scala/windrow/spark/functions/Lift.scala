package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.ObjectType

/** Converts a row to the buffers of a single row. The result is valid until the next call. */
trait Lift {
  def apply(row: InternalRow): UnsafeRow

  /** The buffers of a rejected row. None of its values is read. */
  def nothing: UnsafeRow
}

object Lift {

  /** Creates the conversion.
    *
    * @param inputs
    *   inputs of the functions, as attributes of `schema`
    */
  def apply(set: FunctionSet, inputs: Seq[Expression], schema: Seq[Attribute]): Lift =
    if (set.run.forall(_.isInstanceOf[DeclarativeAggregate])) new DeclarativeLift(set, inputs, schema)
    else new UpdateLift(set, inputs, schema)

  /** Projects a row by the update expressions, in which the initial values replace the buffers. */
  private final class DeclarativeLift(set: FunctionSet, inputs: Seq[Expression], schema: Seq[Attribute]) extends Lift {
    private val project = UnsafeProjection.create(
      set.run.zip(set.filters).flatMap { case (f, filter) =>
        val function = f.asInstanceOf[DeclarativeAggregate]
        val initial  = AttributeMap(function.aggBufferAttributes.zip(function.initialValues))
        function.updateExpressions.zip(function.initialValues).map { case (update, start) =>
          val lifted = FunctionSet.read(
            update.transform { case a: AttributeReference => initial.getOrElse(a, a) },
            inputs)
          filter.fold(lifted)(at => If(inputs(at), lifted, start))
        }
      },
      schema)

    def apply(row: InternalRow): UnsafeRow = project(row)

    lazy val nothing: UnsafeRow = UnsafeProjection.create(set.functions.flatMap {
      case function: DeclarativeAggregate => function.initialValues
      case _                              => Nil
    }).apply(InternalRow.empty)
  }

  private final class UpdateLift(set: FunctionSet, inputs: Seq[Expression], schema: Seq[Attribute]) extends Lift {
    private val functions = {
      val offsets = set.run.scanLeft(0)(_ + _.aggBufferAttributes.size)
      set.run.zip(offsets).map { case (f, at) =>
        FunctionSet.read(f, inputs) match {
          case imperative: ImperativeAggregate =>
            BindReferences.bindReference(imperative, schema).withNewMutableAggBufferOffset(at)
          case declarative => declarative.asInstanceOf[AggregateFunction]
        }
      }
    }
    private val buffers = functions.flatMap(_.aggBufferAttributes)
    private val filters = set.filters.map(_.map(at => Predicate.create(inputs(at), schema)))
    private val pack    = UnsafeProjection.create(buffers.map(_.dataType).toArray)
    private val any     = ObjectType(classOf[AnyRef])
    private val counted = functions.map(ObjectAggregation.counted)

    private val initial = MutableProjection.create(
      functions.flatMap {
        case f: DeclarativeAggregate => f.initialValues
        case f                       => f.aggBufferAttributes.map(_ => NoOp)
      },
      Nil)
    private val starts = functions.scanLeft(0)(_ + _.aggBufferAttributes.size)
    private val updates = functions.zip(starts).map {
      case (f: DeclarativeAggregate, at) =>
        val project = MutableProjection.create(
          Seq.fill(at)(NoOp) ++ f.updateExpressions ++ Seq.fill(buffers.size - at - f.updateExpressions.size)(NoOp),
          buffers ++ schema)
        val joined = new JoinedRow
        (buffer: InternalRow, row: InternalRow) => { project.target(buffer)(joined(buffer, row)); () }
      case (f: ImperativeAggregate, _) => (buffer: InternalRow, row: InternalRow) => f.update(buffer, row)
      case (f, _)                      => throw new IllegalStateException(s"no aggregate function to lift with: $f")
    }

    def apply(row: InternalRow): UnsafeRow = {
      val buffer = started
      updates.indices.foreach(i => if (filters(i).forall(_.eval(row))) updates(i)(buffer, row))
      packed(buffer)
    }

    def nothing: UnsafeRow = packed(started)

    private def started: InternalRow = {
      val buffer = new SpecificInternalRow(buffers.map(_.dataType))
      initial.target(buffer)(InternalRow.empty)
      functions.foreach { case f: ImperativeAggregate => f.initialize(buffer); case _ => }
      buffer
    }

    private def packed(buffer: InternalRow): UnsafeRow = {
      functions.indices.foreach { i =>
        functions(i) match {
          case f: TypedImperativeAggregate[_] =>
            val typed = f.asInstanceOf[TypedImperativeAggregate[AnyRef]]
            val made  = buffer.get(starts(i), any)
            buffer.update(starts(i), counted(i).fold(typed.serialize(made.asInstanceOf[AnyRef]))(_.bytes(made)))
          case _ =>
        }
      }
      pack(buffer)
    }
  }
}
