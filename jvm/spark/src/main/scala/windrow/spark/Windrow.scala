package windrow.spark

import org.apache.spark.sql.functions.{call_function, lit}
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery}
import org.apache.spark.sql.windrow.SparkInside
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import windrow._
import windrow.advice.Advice
import windrow.spark.accelerate.{Acceleration, AccelerationRule}
import windrow.spark.functions.{Increase, Lag, TimeInState, TimeWeightedAverage, TopN}
import windrow.spark.gauges.GaugeListener
import windrow.spark.query.{StateReader, WholeCheckpoint}
import windrow.spark.running.{BoundedInput, ResumeCheck}
import windrow.spark.verify.Verification

/** Creates queries, and reads and checks their checkpoints.
  * {{{
  * val out = Windrow.stream(orders, time = "time", key = Seq("product"), watermark = Some("1 minute"))
  *   .lateness("0 seconds").window(Tumbling("1 minute")).aggregate(avg("price"))
  * out.panes // a DataFrame
  * }}}
  */
object Windrow {

  /** Sets the options that Windrow's state needs on a new session. Options that are already set, on the builder or with
    * `--conf`, are not changed. The JAR must be on the class path.
    * {{{
    * val spark = Windrow.configure(SparkSession.builder()).getOrCreate()
    * }}}
    *
    * @param builder
    *   the builder of the session
    * @param accelerate
    *   whether unchanged queries of Spark's run on Windrow where possible. Sets `spark.windrow.accelerate`.
    * @return
    *   the same builder
    */
  def configure(builder: SparkSession.Builder, accelerate: Boolean = false): SparkSession.Builder = {
    if (accelerate) builder.config(AccelerationRule.Setting, "true")
    Doctor.configure(builder)
  }

  /** Checks Spark, Java and the active session. The report prints as a list. */
  def doctor(): Report = doctor(SparkSession.active)

  /** Checks Spark, Java and a session. The report prints as a list.
    *
    * @param session
    *   the session to check
    */
  def doctor(session: SparkSession): Report = Doctor.examine(session)

  /** Describes a streaming or batch DataFrame. Starts nothing.
    * {{{
    * Windrow.stream(orders, time = "time", key = Seq("product"), watermark = Some("1 minute"))
    * }}}
    *
    * @param df
    *   the input
    * @param time
    *   the event time: a column name, or an expression of type timestamp. Panes need none: their event time is the last
    *   instant of their window.
    * @param key
    *   names or expressions by which rows are grouped; by default all rows have one key
    * @param rowId
    *   the columns that identify a row, so that Windrow drops duplicates
    * @param watermark
    *   the delay of the watermark, which is the greatest event time minus this; None if the DataFrame already has a
    *   watermark
    * @param maxFuture
    *   how far the event time of a row may be ahead of processing time. Other rows are rejected and do not advance the
    *   watermark.
    * @param name
    *   the name of the stream in rejected rows and metrics
    * @param invalid
    *   whether rows whose event time is missing, unusable or beyond `maxFuture` are rejected, or the first one fails
    *   the query with a [[windrow.MessageError]]
    * @return
    *   the described stream
    */
  def stream(
      df: DataFrame,
      time: Option[Field] = None,
      key: Seq[Field] = Nil,
      rowId: Option[RowId] = None,
      watermark: Option[TimeSpan] = None,
      maxFuture: Option[TimeSpan] = None,
      name: String = "messages",
      invalid: InvalidMessages = InvalidMessages.Reject): Stream =
    Stream(df, time, key, rowId, watermark, maxFuture, name, None, invalid = invalid)

  /** Reads the state of a running or stopped query from its checkpoint. The query is not affected.
    * {{{
    * Windrow.state("checkpoint").getWindows().show()
    * }}}
    *
    * @param checkpoint
    *   the folder of the checkpoint
    * @param operator
    *   the name of the operator's stream, if the query has several operators; for a join, the name of one of its
    *   streams
    * @return
    *   the state
    * @throws CheckpointError
    *   if the checkpoint does not exist or cannot be read
    */
  def state(checkpoint: String, operator: Option[String] = None): State =
    new State(SparkSession.active, checkpoint, operator)

  /** Recommends a lateness, based on how late the rows of a query were (SEMANTICS S15), from its checkpoint.
    * {{{
    * Windrow.advise("checkpoint", share = 0.99).advised.lateness
    * }}}
    *
    * @param checkpoint
    *   the folder of the checkpoint
    * @param share
    *   the share of rows that the lateness should include, above 0 and at most 1
    * @param operator
    *   the name of the operator's stream; see [[state]]
    * @return
    *   the recommended lateness, and the effects of others
    * @throws windrow.SpecError
    *   if the query records no lateness, as for windows on positions, policy windows and joins
    */
  def advise(checkpoint: String, share: Double = 0.999, operator: Option[String] = None): Advice =
    new StateReader(SparkSession.active, checkpoint, operator, whole = true).advise(share)

  /** Explains for each stateful operator of a streaming DataFrame whether Windrow would run it if the query started with
    * `spark.windrow.accelerate`. Starts nothing.
    * {{{
    * println(Windrow.explainAcceleration(orders.groupBy(window($"time", "1 minute")).count()))
    * }}}
    *
    * @param df
    *   a streaming DataFrame
    * @param mode
    *   the output mode in which the query will run
    * @return
    *   the decisions, the one nearest to the sink first
    */
  def explainAcceleration(df: DataFrame, mode: OutputMode = OutputMode.Append()): Acceleration =
    AccelerationRule.explain(df.sparkSession, SparkInside.plan(df), mode)

  /** Explains for each stateful operator of a running query of Spark's whether Windrow runs it.
    *
    * @param query
    *   a query that this JVM started
    * @return
    *   the decisions, the one nearest to the sink first
    */
  def explainAcceleration(query: StreamingQuery): Acceleration = AccelerationRule.explain(query)

  /** Reads all files of a checkpoint and reports those that are missing or damaged. Changes nothing.
    * {{{
    * println(Windrow.verify("checkpoint"))
    * }}}
    *
    * @param checkpoint
    *   the folder of the checkpoint
    * @param outputs
    *   folders that Spark's file sink writes for the query, with its own log
    * @param deep
    *   whether to check every stored value as well; Spark's state reader must support the path
    * @return
    *   the findings
    * @throws CheckpointError
    *   if the checkpoint does not exist
    */
  def verify(checkpoint: String, outputs: Seq[String] = Nil, deep: Boolean = false): Verification =
    WholeCheckpoint.verify(SparkSession.active, checkpoint, outputs, deep)

  /** Gives a query an end. Once a file in `folder` contains a line of text, every window completes and fires, and rows
    * that arrive later are late.
    *
    * @param query
    *   panes, rejected rows, joined rows or `output` of a streaming query
    * @param folder
    *   a folder that exists before the query starts
    * @return
    *   the query with an end
    */
  def until(query: DataFrame, folder: String): DataFrame = {
    val session = query.sparkSession
    SparkInside.frame(session, BoundedInput(session, SparkInside.plan(query), folder))
  }

  /** Publishes the figures of the session's running queries as gauges `windrow.<query>.<figure>` in Spark's metrics
    * system, so that all of its sinks report them (Prometheus, JMX, Graphite). A second call changes nothing.
    */
  def publishMetrics(): Unit = GaugeListener.add(SparkSession.active)

  /** Checks before a start whether a query can continue from an existing checkpoint. The query itself checks the
    * conditions that are not known yet when it starts.
    *
    * @param query
    *   panes, rejected rows, joined rows or `output` of a streaming query
    * @param checkpoint
    *   the folder of the checkpoint
    * @throws CheckpointError
    *   if the checkpoint belongs to an incompatible query
    */
  def continues(query: DataFrame, checkpoint: String): Unit =
    ResumeCheck.check(query.sparkSession, SparkInside.plan(query), checkpoint)

  /** Returns the rows of a window that are the first in an order, as an array. Rows that are equal in the order are
    * sorted by `of`, so the result does not depend on their arrival. Also works outside windows.
    * {{{
    * orders.window(Tumbling("1 minute")).aggregate(Windrow.topN(3, orderBy = Seq("price"), of = struct("id", "price")))
    * }}}
    *
    * @param n
    *   the number of rows, at most 10,000
    * @param orderBy
    *   columns by which rows are compared, the greatest first, or sort orders such as `col("price").asc`
    * @param of
    *   the value that the array contains for each row
    * @return
    *   an aggregate
    */
  def topN(n: Int, orderBy: Seq[Field], of: Column): Column =
    call_function(TopN.Name, lit(n) +: of +: orderBy.map(_.column): _*)

  /** Returns the value of an earlier row of the key, by event time: SQL's `lag`. Requires the windows of `Over(rows)`
    * with more than `n` rows.
    * {{{
    * orders.window(Over(rows = 2)).aggregate(Windrow.lag("price").as("before"))
    * }}}
    *
    * @param value
    *   the value to return
    * @param n
    *   how many rows before, at most 10,000
    * @return
    *   an aggregate, which is null if there is no such row
    */
  def lag(value: Field, n: Int = 1): Column = call_function(Lag.Name, value.column, lit(n))

  /** Returns the average of a value, weighted by the time for which it holds: each value holds until the next row. The
    * last one holds until the end of a tumbling or hopping window that is complete, and otherwise for no time. A window
    * of a single time has its value.
    * {{{
    * rooms.window(Tumbling("1 hour")).aggregate(Windrow.timeWeightedAverage("celsius").as("celsius"))
    * }}}
    *
    * @param value
    *   a number; rows in which it is null are ignored
    * @param time
    *   the time of a row. None stands for the event time of the stream. Required in Spark's own `groupBy`.
    * @param carry
    *   how long the last value of the key before a window is carried into it; [[TimeSpan.Endless]] means without a
    *   limit, and None that it is not carried
    * @return
    *   an aggregate: a double
    */
  def timeWeightedAverage(value: Field, time: Option[Field] = None, carry: Option[TimeSpan] = None): Column =
    overTime(TimeWeightedAverage.Name, value, time, carry)

  /** Returns the seconds that each state lasted, as a map. A state lasts until the next row. The last one lasts until
    * the end of a tumbling or hopping window that is complete, and otherwise for no time.
    * {{{
    * machines.window(Tumbling("1 hour")).aggregate(Windrow.timeInState("status").as("seconds"))
    * }}}
    *
    * @param state
    *   a text, integer, decimal, boolean, date, or timestamp; rows in which it is null are ignored
    * @param time
    *   the time of a row. None stands for the event time of the stream. Required in Spark's own `groupBy`.
    * @param carry
    *   how long the last state of the key before a window is carried into it; [[TimeSpan.Endless]] means without a
    *   limit, and None that it is not carried
    * @return
    *   an aggregate: a map from states to doubles
    */
  def timeInState(state: Field, time: Option[Field] = None, carry: Option[TimeSpan] = None): Column =
    overTime(TimeInState.Name, state, time, carry)

  /** Returns the increase of a counter between the first and the last row of a window. A value that is less than the
    * one before it shows that the counter restarted at 0.
    * {{{
    * servers.window(Tumbling("1 minute")).aggregate(Windrow.increase("requests").as("requests"))
    * }}}
    *
    * @param counter
    *   a number that only grows, except when it restarts at 0; rows in which it is null are ignored
    * @param time
    *   the time of a row. None stands for the event time of the stream. Required in Spark's own `groupBy`.
    * @param carry
    *   how long the last value of the key before a window is carried into it, so that the window contains the increase
    *   since that value; [[TimeSpan.Endless]] means without a limit, and None that it is not carried
    * @return
    *   an aggregate: a long for integers, otherwise a double
    */
  def increase(counter: Field, time: Option[Field] = None, carry: Option[TimeSpan] = None): Column =
    overTime(Increase.Name, counter, time, carry)

  private def overTime(name: String, value: Field, time: Option[Field], carry: Option[TimeSpan]): Column = {
    val carried = carry.map(limit => if (limit == TimeSpan.Endless) lit(true) else lit(limit.toString))
    call_function(name, (value +: time.toSeq).map(_.column) ++ carried: _*)
  }

  /** Joins two or more streams.
    * {{{
    * Windrow.join(orders, shipments)(on = Seq("id"), within = Within("0 minutes", "5 minutes"))
    * }}}
    *
    * @param sides
    *   streams, with or without windows
    */
  def join(sides: JoinSide*): JoinBuilder = new JoinBuilder(sides)

  /** Joins each row of a stream with the row of another stream that is nearest in event time, and corrects it if a
    * nearer row arrives.
    * {{{
    * Windrow.asofJoin(trades, quotes)(on = Seq("symbol"), tolerance = "5 seconds")
    * }}}
    *
    * @param left
    *   the stream whose rows are joined
    * @param right
    *   the stream in which a row is searched for
    */
  def asofJoin(left: Stream, right: Stream): AsofJoinBuilder = new AsofJoinBuilder(left, right)

  /** Combines streams into one. A row is a struct with one field for each stream, of which one is not null. The key
    * columns have the names of the first stream's key.
    * {{{
    * val both = Windrow.cogroup(ads, buys).lateness("0 seconds").window(Session("30 minutes"))
    * both.aggregate(count("ads.id"), count("buys.id"))
    * }}}
    *
    * @param streams
    *   the streams, with keys of the same number of columns
    * @return
    *   the combined stream
    */
  def cogroup(streams: Stream*): Stream = JoinBuilder.coGroup(streams)
}
