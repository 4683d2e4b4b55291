package windrow.spark.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.ObjectType
import org.apache.spark.sql.util.NumericHistogram
import org.apache.spark.sql.windrow.CountedValues
import windrow.ErrorConditions
import windrow.core.aggregate.{Aggregation, ValueCarrier}
import windrow.core.state.{ByteReader, ByteWriter, DamagedStateError}
import windrow.spark.rows.{RowShape, Rows}

/** A buffer as objects, as bytes, or both. At least one of the two forms is present. */
final class ObjectBuffer(private[functions] var live: InternalRow, private[functions] var packed: UnsafeRow)

/** Aggregates with any mergeable functions: imperative ones, typed ones with objects as buffers, and buffers of
  * variable width.
  */
final class ObjectAggregation(set: FunctionSet) extends Aggregation[ObjectBuffer, InternalRow] {

  // One row contains all buffers in sequence. Imperative functions need to know their offset in it.
  private val functions = {
    val offsets = set.run.scanLeft(0)(_ + _.aggBufferAttributes.size)
    set.run.zip(offsets).map {
      case (imperative: ImperativeAggregate, at) =>
        imperative.withNewMutableAggBufferOffset(at).withNewInputAggBufferOffset(at)
      case (declarative, _) => declarative
    }
  }
  private val buffers    = functions.flatMap(_.aggBufferAttributes)
  private val types      = buffers.map(_.dataType)
  private val shape      = new RowShape(types)
  private val starts     = functions.scanLeft(0)(_ + _.aggBufferAttributes.size)
  private val imperative = functions.collect { case f: ImperativeAggregate => f }.toArray
  private val typed = functions.zip(starts).collect {
    case (f: TypedImperativeAggregate[_], at) => (f.asInstanceOf[TypedImperativeAggregate[AnyRef]], at)
  }.toArray
  private val counted = functions.zip(starts).flatMap { case (f, at) =>
    ObjectAggregation.counted(f).map(at -> _)
  }.toMap
  private val mergers = functions.zip(starts).collect { case (f: ImperativeAggregate, at) => merger(f, at) }.toArray

  /** Functions that share the counts of an earlier one: their offset, with the offset of the earlier one. */
  private val sharing = functions.indices.flatMap { i =>
    functions.indices.take(i).find(j =>
      CountedValues.areSame(functions(j), functions(i)) && set.filters(j) == set.filters(i)).map(starts(i) -> starts(_))
  }.toMap
  private val unshared = functions.zip(starts).collect {
    case (f: ImperativeAggregate, at) if !sharing.contains(at) => merger(f, at)
  }.toArray
  private val anyObject = ObjectType(classOf[AnyRef])

  private val joined  = new JoinedRow
  private val initial = MutableProjection.create(slots(_.initialValues), Nil)
  private val merge = MutableProjection.create(
    slots(_.mergeExpressions),
    buffers ++ functions.flatMap(_.inputAggBufferAttributes))
  private val pack = UnsafeProjection.create(types.toArray)

  private val results = functions.map(_.dataType)
  private val show    = UnsafeProjection.create(results.toArray)
  private val evaluate = MutableProjection.create(
    functions.map {
      case f: DeclarativeAggregate => f.evaluateExpression
      case _                       => NoOp
    },
    buffers)

  /** Returns the expressions for the buffer slots. The slots of imperative functions are not changed. */
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

  private def merger(function: ImperativeAggregate, at: Int): ObjectAggregation.Merger = counted.get(at) match {
    case Some(values) => (live, packed) => values.merge(live.get(at, anyObject), packed, at)
    case None => function match {
        case histogram: HistogramNumeric => ObjectAggregation.adder(histogram, at)
        case other                       => (live, packed) => other.merge(live, packed)
      }
  }

  private def mergeInto(live: InternalRow, packed: UnsafeRow, mergers: Array[ObjectAggregation.Merger]): Unit = {
    merge.target(live)(joined(live, packed))
    mergers.foreach(_(live, packed))
  }

  private def live(buffer: ObjectBuffer): InternalRow = {
    if (buffer.live == null) {
      buffer.live = newLive()
      mergeInto(buffer.live, buffer.packed, mergers)
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
      typed.foreach { case (function, at) =>
        val buffer = live.get(at, anyObject)
        row.update(at, counted.get(at).fold(function.serialize(buffer))(_.bytes(buffer)))
      }
      pack(row).copy()
    }

  override def isExact: Boolean = set.isExact

  def zero: ObjectBuffer = new ObjectBuffer(newLive(), null)

  def combine(left: ObjectBuffer, right: ObjectBuffer): ObjectBuffer = {
    mergeInto(live(left), packed(right), mergers)
    left.packed = null
    left
  }

  def copy(buffer: ObjectBuffer): ObjectBuffer = new ObjectBuffer(null, packed(buffer))

  def lower(buffer: ObjectBuffer): InternalRow = lowerUntil(buffer, None)

  private[windrow] override def lowerUntil(buffer: ObjectBuffer, end: Option[Long]): InternalRow = {
    val row = new SpecificInternalRow(results)
    val of  = live(buffer)
    evaluate.target(row)(of)
    functions.indices.foreach(i =>
      functions(i) match {
        case f: OverTime[_]         => row.update(i, f.resultOf(of, starts(i), end))
        case f: ImperativeAggregate => row.update(i, f.eval(of))
        case _                      =>
      })
    show(row).copy()
  }

  /** Merges counts that several functions share only once. */
  private[windrow] override def lowerAll(buffers: Iterator[ObjectBuffer], end: Option[Long]): InternalRow = {
    val all = newLive()
    buffers.foreach(buffer => mergeInto(all, packed(buffer), unshared))
    sharing.foreach { case (at, from) => all.update(at, all.get(from, anyObject)) }
    lowerUntil(new ObjectBuffer(all, null), end)
  }

  private val carriers = typed.flatMap {
    case (f: OverTime[_], at) => f.carry.map(limit => (f.asInstanceOf[OverTime[AnyRef]], at, limit.micros))
    case _                    => None
  }

  private[windrow] override val carrier: Option[ValueCarrier[ObjectBuffer]] =
    Option.when(carriers.nonEmpty)(new ValueCarrier[ObjectBuffer] {
      val limit: Long = carriers.map(_._3).max

      def last(buffer: ObjectBuffer): Option[ObjectBuffer] = each(buffer)(_.lastOf(_))

      def isWhole(last: ObjectBuffer): Boolean = {
        val of = live(last)
        carriers.forall { case (function, at, _) => function.lastOf(of.get(at, anyObject)).isDefined }
      }

      def at(last: ObjectBuffer, start: Long): Option[ObjectBuffer] =
        each(last)((function, value) => function.lastOf(value).flatMap(function.carriedTo(start, _)))

      private def each(buffer: ObjectBuffer)(
          of: (OverTime[AnyRef], AnyRef) => Option[AnyRef]): Option[ObjectBuffer] = {
        val from  = live(buffer)
        val found = carriers.map { case (function, at, _) => of(function, from.get(at, anyObject)) }
        Option.when(found.exists(_.isDefined)) {
          val row = newLive()
          carriers.zip(found).foreach { case ((_, at, _), value) => value.foreach(row.update(at, _)) }
          new ObjectBuffer(row, null)
        }
      }
    })

  def write(buffer: ObjectBuffer, out: ByteWriter): Unit = Rows.write(packed(buffer), out)
  def read(in: ByteReader): ObjectBuffer                 = new ObjectBuffer(null, shape.read(in))
}

private[functions] object ObjectAggregation {

  /** Merges the packed buffer of one function into the live one. */
  private type Merger = (InternalRow, UnsafeRow) => Unit

  /** Merges histograms. Adds a histogram of one value as that value, as Spark does for each row. A merge would create a
    * second bin for an equal value.
    */
  private def adder(function: HistogramNumeric, at: Int): Merger = (live, packed) => {
    val other = function.deserialize(packed.getBinary(at))
    if (other.getUsedBins == 1 && other.getBin(0).y == 1)
      live.get(at, ObjectType(classOf[AnyRef])).asInstanceOf[NumericHistogram].add(other.getBin(0).x)
    else function.merge(live, packed)
  }

  def counted(function: AggregateFunction): Option[CountedValues] = CountedValues.of(
    function,
    size =>
      new DamagedStateError(
        ErrorConditions.message("STATE_DAMAGED.ROW", "size" -> size, "why" -> "not a set of counted values")))
}
