package windrow.core

/** Event time and positions: their arithmetic, and how far they have come. */
package object time {
  type EventTime = Position[Axis.Time]
  type Offset    = Position[Axis.Offset]
  type Sequence  = Position[Axis.Sequence]

  /** How far event time has come, in microseconds. */
  type Watermark = Front[Axis.Time]
}
