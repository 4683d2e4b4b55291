package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.ObjectType
import windrow.core.aggregate.Aggregation
import windrow.core.state.ByteReader
import windrow.core.state.ByteWriter
import windrow.spark.rows.RowShape
import windrow.spark.rows.Rows

/** A buffer as objects, as bytes, or both; at least one is there. */
final class ObjectBuffer(private[functions] var live: InternalRow, private[functions] var packed: UnsafeRow)

/** Any mergeable functions: imperative ones, typed ones with objects for buffers, buffers of variable width. */
final class ObjectAggregation(set: FunctionSet) extends Aggregation[ObjectBuffer, InternalRow] {

  // One row holds all buffers side by side; imperative functions are told their place in it.
  private val functions = {
    val offsets = set.functions.scanLeft(0)(_ + _.aggBufferAttributes.size)
    set.functions.zip(offsets).map {
      case (imperative: ImperativeAggregate, at) =>
        imperative.withNewMutableAggBufferOffset(at).withNewInputAggBufferOffset(at)
      case (declarative, _) => declarative
    }
  }
  private val buffers    = functions.flatMap(_.aggBufferAttributes)
  private val types      = buffers.map(_.dataType)
  private val shape      = new RowShape(types)
  private val imperative = functions.collect { case f: ImperativeAggregate => f }.toArray
  private val typed = functions.zip(functions.scanLeft(0)(_ + _.aggBufferAttributes.size)).collect {
    case (f: TypedImperativeAggregate[_], at) => (f.asInstanceOf[TypedImperativeAggregate[AnyRef]], at)
  }.toArray
  private val anyObject = ObjectType(classOf[AnyRef])

  private val joined  = new JoinedRow
  private val initial = MutableProjection.create(slots(_.initialValues), Nil)
  private val merge = MutableProjection.create(
    slots(_.mergeExpressions),
    buffers ++ functions.flatMap(_.inputAggBufferAttributes))
  private val pack = UnsafeProjection.create(types.toArray)

  private val results = functions.map(_.dataType)
  private val evaluate = MutableProjection.create(
    functions.map {
      case f: DeclarativeAggregate => f.evaluateExpression
      case _                       => NoOp
    },
    buffers)

  /** What each buffer slot becomes; slots of imperative functions are left to them. */
  private def slots(of: DeclarativeAggregate => Seq[Expression]): Seq[Expression] = functions.flatMap {
    case f: DeclarativeAggregate => of(f)
    case f                       => f.aggBufferAttributes.map(_ => NoOp)
  }

  private def newLive(): InternalRow = {
    val row = new SpecificInternalRow(types)
    initial.target(row)(InternalRow.empty)
    imperative.foreach(_.initialize(row))
    row
  }

  private def mergeInto(live: InternalRow, packed: UnsafeRow): Unit = {
    merge.target(live)(joined(live, packed))
    imperative.foreach(_.merge(live, packed))
  }

  private def live(buffer: ObjectBuffer): InternalRow = {
    if (buffer.live == null) {
      buffer.live = newLive()
      mergeInto(buffer.live, buffer.packed)
    }
    buffer.live
  }

  private def packed(buffer: ObjectBuffer): UnsafeRow = {
    if (buffer.packed == null) buffer.packed = packOf(buffer.live)
    buffer.packed
  }

  private def packOf(live: InternalRow): UnsafeRow =
    if (typed.isEmpty) pack(live).copy()
    else {
      val row = new GenericInternalRow(types.size)
      types.indices.foreach(i => if (!typed.exists(_._2 == i)) row.update(i, live.get(i, types(i))))
      typed.foreach { case (function, at) => row.update(at, function.serialize(live.get(at, anyObject))) }
      pack(row).copy()
    }

  def zero: ObjectBuffer = new ObjectBuffer(newLive(), null)

  def combine(left: ObjectBuffer, right: ObjectBuffer): ObjectBuffer = {
    mergeInto(live(left), packed(right))
    left.packed = null
    left
  }

  def copy(buffer: ObjectBuffer): ObjectBuffer = new ObjectBuffer(null, packed(buffer))

  def lower(buffer: ObjectBuffer): InternalRow = {
    val row = new SpecificInternalRow(results)
    val of  = live(buffer)
    evaluate.target(row)(of)
    functions.indices.foreach(i =>
      functions(i) match {
        case f: ImperativeAggregate => row.update(i, f.eval(of))
        case _                      =>
      })
    row.copy()
  }

  def write(buffer: ObjectBuffer, out: ByteWriter): Unit = Rows.write(packed(buffer), out)
  def read(in: ByteReader): ObjectBuffer                 = new ObjectBuffer(null, shape.read(in))
}
