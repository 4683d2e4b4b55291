package windrow.testkit

import org.scalacheck.Prop.{forAllNoShrink, propBoolean}
import org.scalacheck.{Gen, Prop, Properties}
import scala.util.Random
import windrow.core.time.Bounds
import windrow.core.window.SessionPlan

/** Laws of the merging of sessions, in whatever order their messages arrive (SEMANTICS R18-R20).
  *
  * @param plan
  *   applies a message to the sessions of its key, which are in ascending order and do not overlap; Windrow's own is
  *   [[windrow.core.window.SessionPlan]]
  * @param messages
  *   the bounds of one message: its time, and time + gap
  */
final class SessionLaws(
    name: String,
    plan: (IndexedSeq[Bounds], Bounds) => SessionPlan,
    messages: Gen[Bounds]) extends Properties(name) {

  private val streams: Gen[List[Bounds]] = Gen.choose(0, 12).flatMap(Gen.listOfN(_, messages))

  private def add(sessions: IndexedSeq[Bounds], message: Bounds): IndexedSeq[Bounds] =
    plan(sessions, message) match {
      case SessionPlan.Update(_)                    => sessions
      case SessionPlan.Replace(from, until, bounds) => sessions.patch(from, Seq(bounds), until - from)
    }

  private def sessions(messages: Seq[Bounds]): IndexedSeq[Bounds] =
    messages.foldLeft(IndexedSeq.empty[Bounds])(add)

  property("sessions are ascending and apart") = forAllNoShrink(streams) { stream =>
    val all = sessions(stream)
    (all.zip(all.drop(1)).forall { case (a, b) => a.end < b.start }) :| all.toString
  }

  property("every message is inside one session") = forAllNoShrink(streams) { stream =>
    val all = sessions(stream)
    stream.map(one => (all.count(s => s.start <= one.start && one.end <= s.end) == 1) :| s"$one in $all")
      .foldLeft(Prop.passed)(_ && _)
  }

  property("a session begins and ends with one of its messages") = forAllNoShrink(streams) { stream =>
    Prop(sessions(stream).forall(s => stream.exists(_.start == s.start) && stream.exists(_.end == s.end)))
  }

  property("the order of messages does not show") = forAllNoShrink(streams, Gen.long) { (stream, seed) =>
    val (one, other) = (sessions(stream), sessions(new Random(seed).shuffle(stream)))
    (one == other) :| s"$one is not $other"
  }

  property("merging is associative: sessions of parts, put together, are those of the whole") =
    forAllNoShrink(streams, streams) { (first, second) =>
      val (whole, parts) = (sessions(first ++ second), sessions(sessions(first) ++ sessions(second)))
      (whole == parts) :| s"$whole is not $parts"
    }

  property("the same message again changes nothing") = forAllNoShrink(streams, messages) { (stream, one) =>
    val once = add(sessions(stream), one)
    Prop(add(once, one) == once)
  }

  property("messages at a distance of exactly the gap are in one session") = forAllNoShrink(messages) { one =>
    val next = Bounds(one.end, one.end + 1)
    Prop(sessions(Seq(one, next)).size == 1) && Prop(sessions(Seq(
      one,
      Bounds(next.start + 1, next.end + 1))).size == 2)
  }
}
