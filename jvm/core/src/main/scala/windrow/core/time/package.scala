package windrow.core

/** Positions on the axes of windows, with their arithmetic, and the progress of an axis. */
package object time {
  type EventTime = Position[Axis.Time]
  type Offset    = Position[Axis.Offset]
  type Sequence  = Position[Axis.Sequence]

  /** The progress of event time, in microseconds. */
  type Watermark = Front[Axis.Time]
}
