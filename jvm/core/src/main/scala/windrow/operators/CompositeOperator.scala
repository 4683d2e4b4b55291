package windrow.operators

import windrow.core.state.{ByteReader, ByteWriter}
import windrow.{CheckpointError, ErrorConditions, SpecError, SpecProblem}

/** Runs several operators as one: the output stream of one operator is an input stream of others (SEMANTICS R40, R42).
  *
  * Users only call `init` and `process`; this class calls the parts. All parts see the same time, upstream before
  * downstream, so a part receives what a watermark releases before it receives the watermark. If a part fails on a
  * message, the next call passes the message to all of its consumers again; those that already have it recognize it by
  * its offset.
  *
  * {{{
  * val both = new CompositeOperator[Event]("orders with shipments")
  * both.addOperator(Seq("orders"), output = "order")(next => new FullStateWindowOperator(orders, format,
  *   Context(send = Some(pane => { pane.value.foreach(next); true })), input = "orders"))
  * both.addOperator(Seq("order", "shipment"), output = "pairs")(next => new StreamStreamJoinOperator(...))
  * both.onOutput("pairs")(println)
  * both.init()
  * }}}
  *
  * @tparam M
  *   type of the messages of all streams
  */
final class CompositeOperator[M](name: String) extends Operator[M] {
  private final class Part(val inputs: Seq[String], val output: String, val make: (M => Unit) => Operator[M])

  private var parts   = Vector.empty[Part]
  private var running = Vector.empty[(Part, Operator[M])]
  private var outlet  = Map.empty[String, M => Unit]

  /** Adds an operator.
    *
    * @param inputs
    *   names of its input streams
    * @param output
    *   name of its output stream
    * @param operator
    *   creates the operator; its argument is the function that receives the outputs
    */
  def addOperator(inputs: Seq[String], output: String)(operator: (M => Unit) => Operator[M]): Unit = {
    require(running.isEmpty, s"$name is already open")
    parts :+= new Part(inputs, output, operator)
  }

  /** Sets the receiver of a stream that is an output of the composite operator. */
  def onOutput(stream: String)(take: M => Unit): Unit = outlet += stream -> take

  /** Creates and opens all operators.
    *
    * @throws windrow.SpecError
    *   listing every stream name that is used twice, unused, unknown or part of a cycle
    */
  def init(): Unit = {
    val found = problems
    if (found.nonEmpty) throw SpecError(s"the composite operator '$name'", found)
    running = inOrder.map(part => (part, part.make(message => route(part.output, message))))
    running.foreach(_._2.init())
  }

  private def problems: Seq[SpecProblem] = {
    val outputs = parts.map(_.output)
    val taken   = parts.flatMap(_.inputs)
    outputs.diff(outputs.distinct).distinct.map(stream =>
      SpecProblem("STREAM_TWICE.OUTPUT", "name" -> stream)) ++
      outputs.distinct.filterNot(stream => taken.contains(stream) || outlet.contains(stream)).map(stream =>
        SpecProblem("STREAM_UNUSED", "stream" -> stream)) ++
      outlet.keySet.diff(outputs.toSet).toSeq.sorted.map(stream =>
        SpecProblem("STREAM_UNKNOWN.OUTPUT", "stream" -> stream)) ++
      Option.when(inOrder.size < parts.size)(SpecProblem(
        "STREAMS_IN_A_CIRCLE",
        "streams" -> parts.diff(inOrder).map(_.output).mkString("'", "', '", "'")))
  }

  /** The parts, upstream before downstream, without those in a cycle. */
  private def inOrder: Vector[Part] = {
    def next(done: Vector[Part]): Vector[Part] = {
      val left  = parts.filterNot(done.contains)
      val ready = left.filterNot(part => part.inputs.exists(in => left.exists(_.output == in)))
      if (ready.isEmpty) done else next(done ++ ready)
    }
    next(Vector.empty)
  }

  private def route(stream: String, message: M): Unit = {
    running.foreach { case (part, operator) => if (part.inputs.contains(stream)) operator.process(stream, message) }
    outlet.get(stream).foreach(_(message))
  }

  /** Passes a message to every part with this input stream. */
  def process(stream: String, message: M): Unit = {
    require(running.nonEmpty, s"$name is not open. Call init() first.")
    require(
      running.exists(_._1.inputs.contains(stream)) && !running.exists(_._1.output == stream),
      s"'$stream' is not an input of $name")
    route(stream, message)
  }

  def refresh(processingTime: Long, watermark: Option[Long] = None): Unit = {
    makeRoom()
    running.foreach(_._2.refresh(processingTime, watermark))
  }

  /** Drains upstream before downstream, so that output released by one part passes through all later parts. */
  def drain(): Boolean = {
    makeRoom()
    running.map(_._2.drain()).forall(identity)
  }

  /** Drains downstream parts first, because a part can only send its waiting outputs to parts that accept messages. */
  private def makeRoom(): Unit = running.reverse.foreach(_._2.drain())

  def checkpoint(): Array[Byte] = {
    val out = new ByteWriter(4096)
    out.count(running.size.toLong)
    running.foreach { case (_, operator) => out.bytes(operator.checkpoint()) }
    out.sealedResult()
  }

  def reset(): Unit = running.foreach(_._2.reset())

  /** Restores downstream before upstream, because an overdue upstream part emits at once and its receivers must be
    * restored by then.
    */
  def reset(checkpoint: Array[Byte]): Unit = {
    val in    = ByteReader.unsealed(checkpoint, s"the checkpoint of $name")
    val parts = Vector.fill(in.size())(in.bytes())
    if (parts.size != running.size) throw new CheckpointError(
      ErrorConditions.message(
        "SPEC_CHANGED.COMPOSITE",
        "found"    -> parts.size,
        "operator" -> name,
        "count"    -> running.size))
    running.zip(parts).reverse.foreach { case ((_, operator), bytes) => operator.reset(bytes) }
  }

  def close(): Unit = {
    running.foreach(_._2.close())
    running = Vector.empty
  }
}
