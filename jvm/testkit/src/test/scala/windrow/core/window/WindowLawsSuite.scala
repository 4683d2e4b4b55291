package windrow.core.window

import java.io.OutputStream
import java.time.ZoneId
import org.scalacheck.rng.Seed
import org.scalacheck.{Gen, Properties, Test}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow
import windrow._
import windrow.core.Full
import windrow.core.grid._
import windrow.core.time.{Axis, Bounds}
import windrow.replay._
import windrow.testkit._

/** Checks that the laws hold for every kind of window in Windrow, and that they detect windows that break them. */
@Slow
class WindowLawsSuite extends AnyFunSuite {

  /** Returns the names of the laws that fail. Discards the output of ScalaCheck, which prints the seed of every failed
    * law, because some laws fail on purpose here.
    */
  private def broken(laws: Properties, cases: Int = 200): Seq[String] = Console.withOut(OutputStream.nullOutputStream) {
    val parameters = Test.Parameters.default.withMinSuccessfulTests(cases).withInitialSeed(Seed(1))
    laws.properties.toSeq.collect {
      case (name, law) if !Test.check(parameters, law).passed => name.split('.').last
    }
  }

  private val times = Gen.oneOf(Gen.choose(-200L, 200L), Gen.choose(-1000000000000000L, 1000000000000000L))

  // ---- windows that depend on time alone (SEMANTICS W, R54)

  private val fixed = for {
    size   <- Seq(1L, 2L, 7L, 10L, 12L)
    step   <- Seq(1L, 3L, 5L, 10L, 17L)
    offset <- Seq(0L, 4L, -13L)
  } yield (size, step, offset)

  private val draws = if (Full.isFull) 200 else 30

  test("laws of tumbling and hopping windows, with steps that divide the size, do not, or leave gaps") {
    for ((size, step, offset) <- fixed) {
      val grid = new FixedGrid[Axis.Time](size, step, offset)
      val laws = new AlignedWindowLaws(s"$size, $step", grid, times, Some(step))
      assert(broken(laws, draws) == Nil, s"$size, $step, $offset")
    }
  }

  for (zone <- Seq("UTC", "Europe/Berlin", "Pacific/Apia", "America/Sao_Paulo"); unit <- CalendarUnit.All)
    test(s"laws of calendar windows: $unit in $zone") {
      val start = CalendarStart(0, "150 minutes")
      for (kind <- Seq(Calendar(2, unit, ZoneId.of(zone)), Calendar(3, 1, unit, ZoneId.of(zone), start)))
        assert(broken(
          new AlignedWindowLaws("calendar", kind.grid, Gen.choose(-4000000000000000L, 4000000000000000L)),
          25) == Nil)
    }

  test("laws of windows of positions, and of the one of everything") {
    val grid = new PositionGrid[Axis.Offset](5, 3, 10)
    assert(broken(new AlignedWindowLaws("positions", grid, Gen.choose(10L, 300L), first = 10)) == Nil)
    assert(broken(new AlignedWindowLaws("everything", SliceGrid.SingleWindow, times)) == Nil)
  }

  /** Hopping windows of 10 every 4, whose parts can be broken one at a time. */
  private class Hops extends SliceGrid[Axis.Time] {
    private val right                = new FixedGrid[Axis.Time](10, 4, 0)
    def lastStart(time: Long): Long  = right.lastStart(time)
    def firstStart(time: Long): Long = right.firstStart(time)
    def end(start: Long): Long       = right.end(start)
    def next(start: Long): Long      = right.next(start)
    def inGap(time: Long): Boolean   = right.inGap(time)
    def sliceStart(time: Long): Long = right.sliceStart(time)
    def slicesPerWindow: Long        = right.slicesPerWindow
    def windowsPerPosition: Long     = right.windowsPerPosition
  }

  private val brokenHops = Seq[(String, Hops)](
    "a window begins before it ends" -> new Hops { override def end(start: Long): Long = start },
    "windows go on: each begins after the one before, and does not end before it" -> new Hops {
      override def end(start: Long): Long = if (start % 8 == 0) start + 10 else start + 3
    },
    "the last window before a time is the one whose next begins after it" -> new Hops {
      override def lastStart(time: Long): Long = super.lastStart(time) - 4
    },
    "assignment: a time is in exactly the windows that begin at or before it and end after it" -> new Hops {
      override def firstStart(time: Long): Long = super.firstStart(time) + 4
    },
    "assignment is total: a time is in a window, or said to be in a gap" -> new Hops {
      override def inGap(time: Long): Boolean = time % 4 == 3
    },
    "a slice holds its time, and begins where it says" -> new Hops {
      override def sliceStart(time: Long): Long = super.sliceStart(time) + 1
    },
    "all times of a slice are in the same windows" -> new Hops {
      override def sliceStart(time: Long): Long = lastStart(time) // windows end inside a slice
    },
    "slices cover windows: edges of windows are edges of slices, and no more than said are in one" -> new Hops {
      override def slicesPerWindow: Long = 2
    },
    "moved by its period a time is in the windows moved with it" -> new Hops {
      override def firstStart(time: Long): Long = if (time < 0) super.firstStart(time) + 4 else super.firstStart(time)
    })

  for ((law, hops) <- brokenHops) test(s"windows are found that break: $law") {
    assert(broken(new AlignedWindowLaws("hops", hops, Gen.choose(-200L, 200L), Some(4L))).contains(law))
  }

  // ---- sessions (SEMANTICS R18-R20)

  private val messages = for {
    time <- Gen.choose(-30L, 30L)
    gap  <- Gen.choose(1L, 8L)
  } yield Bounds(time, time + gap)

  private type Plan = (IndexedSeq[Bounds], Bounds) => SessionPlan

  test("laws of sessions") {
    assert(broken(new SessionLaws("sessions", SessionPlan(_, _), messages)) == Nil)
  }

  private def planned(joins: (Bounds, Bounds) => Boolean): Plan = (sessions, message) => {
    val found = sessions.indices.filter(index => joins(sessions(index), message))
    val from  = found.headOption.getOrElse(sessions.count(_.start < message.start))
    SessionPlan.Replace(from, from + found.size, found.map(sessions).foldLeft(message)(_ span _))
  }

  private val brokenSessions = Seq[(String, Plan)](
    "sessions are ascending and apart" -> planned((_, _) => false),
    "every message is inside one session" -> ((sessions, message) =>
      SessionPlan(sessions, message) match {
        case SessionPlan.Replace(from, until, _) if until > from => SessionPlan.Replace(from, until, sessions(from))
        case plan                                                => plan
      }),
    "a session begins and ends with one of its messages" -> ((sessions, message) =>
      SessionPlan(sessions, message) match {
        case SessionPlan.Replace(from, until, bounds) =>
          SessionPlan.Replace(from, until, bounds.copy(end = bounds.end + 1))
        case plan => plan
      }),
    "the order of messages does not show" -> planned((session, message) =>
      session.start <= message.start && message.start <= session.end),
    "messages at a distance of exactly the gap are in one session" -> planned((session, message) =>
      session.start < message.end && message.start < session.end))

  for ((law, plan) <- brokenSessions) test(s"sessions are found that break: $law") {
    assert(broken(new SessionLaws("sessions", plan, messages)).contains(law))
  }

  // ---- operators, with every kind of window

  private val streams = math.max(10, math.min(60, Drawn.cases / 30))

  for (family <- RandomFamily.All) test(s"laws of operators: ${family.name}") {
    val cases = Gen.choose(1L, 1000000L).map(RandomCase(_, family))
    assert(broken(new OperatorLaws(family.name, new CoreEngine, cases), streams) == Nil)
  }

  /** The core with emissions that are made wrong on purpose. */
  private class Wrong(change: Emission => Emission) extends Engine {
    def name = "wrong"
    def run(transcript: TranscriptCase): Outcome = new CoreEngine().run(transcript) match {
      case Outcome.Ran(results, end) =>
        Outcome.Ran(
          results.map {
            case StepResult.Emitted(emission) => StepResult.Emitted(change(emission))
            case other                        => other
          },
          end.map(change))
      case other => other
    }
  }

  private def brokenBy(engine: Engine): Seq[String] =
    broken(new OperatorLaws("wrong", engine, Gen.choose(1L, 1000000L).map(RandomCase(_, RandomFamily.Sessions))), 60)

  test("operators with wrong numbers, or retractions without a pane, are found") {
    val numbered = new Wrong(emission => emission.copy(panes = emission.panes.map(p => p.copy(index = p.index + 1))))
    assert(brokenBy(numbered).contains("the panes of a window are numbered, EARLY* ON_TIME? LATE*"))
    val other = new Wrong(emission =>
      emission.copy(panes = emission.panes.map(p => if (p.isRetraction) p.copy(isLast = !p.isLast) else p)))
    assert(brokenBy(other).contains("a retraction repeats the pane that it withdraws, once"))
  }

  /** An engine that accepts known messages again after a restart, and whose output depends on the order of arrival. */
  private object Forgetful extends Engine {
    def name = "forgetful"
    def run(transcript: TranscriptCase): Outcome = {
      var base    = 0L
      var counter = 0L
      new CoreEngine(1).run(transcript.copy(steps = transcript.steps.map {
        case Step.Restart => base += 1000000; Step.Restart
        case feed: Step.Feed =>
          feed.copy(messages = feed.messages.map { message =>
            counter += 1
            message.copy(offset = Some(base + counter), value = Scalar(counter))
          })
        case other => other
      }))
    }
  }

  test("operators are found that take duplicates for new, and to which order or a restart shows") {
    val found = brokenBy(Forgetful)
    assert(found.contains("nothing more comes of a stream that is sent twice, where messages have offsets"))
    assert(found.contains("the order of messages inside a step does not show"))
    val restarted = new Engine {
      def name = "restarted"
      def run(transcript: TranscriptCase): Outcome = new CoreEngine().run(
        transcript.copy(steps = transcript.steps.drop(transcript.steps.lastIndexOf(Step.Restart) + 1)))
    }
    assert(brokenBy(restarted).contains("a restart after every step changes nothing"))
  }
}
