package windrow.core.state

import windrow.core.aggregate._
import windrow.core.fullstate.FullStateValues
import windrow.core.join.JoinValues
import windrow.core.operator.Origin
import windrow.core.operator.keyed.{GridKeyStateCodec, KeyCompletion}
import windrow.core.operator.partitioned.{TupleSessionCodec, TupleSessionState}
import windrow.core.operator.run.RunKeyStateCodec
import windrow.core.operator.sessions._
import windrow.core.policy.PolicyValues
import windrow.core.store.{Admission, LatenessCounts, MessageRun, StoredMessage, UnsentMessages}
import windrow.core.time.{Axis, Bounds, Watermark}
import windrow.core.trigger.{PaneState, PaneStateCodec, ShownPane}
import windrow.operators.Sum
import windrow.{Guards, SourcePartition, TimeSpan, Timing}

/** States that are stored in pieces once they are large, with pieces so small that there are several; and forms that the
  * current version does not write.
  */
private[state] object PieceStates {
  def all: Seq[StoredState] =
    Seq(cells, sessions, cutSessions, messages, unsent, inOrder, journal, image, header, slices, additions) ++
      InheritedValues.all(paneState) ++ keyed ++ FullStateValues.all ++ JoinValues.all ++ PolicyValues.all

  private val Bytes = 64
  private val some  = 0L until 9L

  private def cells: StoredState = {
    def run(store: ShardStore) = new KeyRun(Sum, new CellCodec(Sum), new Segments("runs", store), pageBytes = Bytes)
    StoredState.ofRoot("pieces of a run") { (store, out) =>
      val all = run(store)
      some.foreach(i => all.insert(new Cell(i, Array(1), i, i, Some(i), 2, i, Array(i.toByte))))
      all.write(out)
    } { (store, in) =>
      val all = run(store)
      all.read(in)
      all
    } { all =>
      all.cells(0, all.size).foreach(_ => ())
      all.value(0, all.size)
    }
  }

  private val paneState =
    PaneState(1, 2, Some(3L), isPastOnTime = true, Some(4L), Some(ShownPane(Timing.Late, 5, true, 6L)))

  private def sessions = pagesOf("sessions", new SessionCodec(Sum), (_: SessionState[Long]).bounds)(i =>
    SessionState(Bounds(i, i + 1), i, paneState))

  private def cutSessions =
    pagesOf("sessions that are cut", new CutSessionCodec(Sum), (_: CutSession[Long]).bounds)(i =>
      CutSession(
        Bounds(i, i + 1),
        i,
        i + 2,
        2,
        paneState,
        Vector(WithdrawnSessions(i, i + 2, 3), WithdrawnSessions(i + 1, i + 3, 4))))

  private def pagesOf[S](name: String, codec: Codec[S], bounds: S => Bounds)(session: Long => S): StoredState = {
    val paged                    = new DeadlineLayout[S](codec, one => Place(bounds(one).start, 0), bounds(_).end)
    def pages(store: ShardStore) = new KeyPages(paged, new Segments("pages", store), Bytes)
    StoredState.ofRoot(s"pages of $name") { (store, out) =>
      val all = pages(store)
      some.foreach(i => all.put(session(i)))
      all.write(out)
    } { (store, in) =>
      val all = pages(store)
      all.read(in)
      all
    } { all =>
      all.all.foreach(_ => ())
      DeadlineLayout.deadline(all)
    }
  }

  private def message(i: Long) = StoredMessage(new Key(Array(1)), i, Some(Origin("s", 1, i)), Array(2, 3))

  private def messages: StoredState = {
    def run(store: ShardStore) = new MessageRun(
      StoredMessage.Order,
      StoredMessage.codec(None),
      new Segments("messages", store),
      segmentBytes = Bytes,
      withTotals = true)
    StoredState.ofRoot("pieces of messages") { (store, out) =>
      val all = run(store)
      some.foreach(i => all.add(message(i)))
      all.dropOldest()
      all.write(out)
    } { (store, in) =>
      val all = run(store)
      all.read(in)
      all
    } { all =>
      all.range(Axis.Time, None, None).foreach(_ => ())
      all.range(Axis.Offset, Some(3), Some(5)).foreach(_ => ())
      all.totals(None, Long.MaxValue)
      all.oldest
    }
  }

  private def unsent: StoredState = {
    def stored(store: ShardStore) =
      new UnsentMessages.UnsentCodec(
        StoredMessage.codec(Some(new Key(Array(1)))),
        new Segments("messages", store),
        Bytes)
    StoredState.ofRoot("parts of what waits") { (store, out) =>
      val waiting = some.foldLeft(new UnsentMessages[StoredMessage])((all, i) => all.add(message(i)))
      stored(store).write(waiting, new ByteWriter)
      stored(store).write(waiting.add(message(9)), out)
    } { (store, in) =>
      val all = stored(store)
      (all, all.read(in))
    } { case (all, waiting) => all.all(waiting).foreach(_ => ()) }
  }

  private def inOrder: StoredState = {
    val whole                    = new OrderedAggregation(Sum, pieceBytes = Bytes)
    def shard(store: ShardStore) = whole.in(new Pieces(store), Guards.Default)
    StoredState.ofRoot("pieces of messages in order") { (store, out) =>
      val (in, segments) = (shard(store), some.map(i => whole.lift(Array(i.toByte), i)))
      val buffer         = segments.foldLeft(in.zero)(in.combine)
      in.storage.get.putApart(buffer)
      in.write(in.combine(buffer, whole.lift(Array(9), 9)), out)
    } { (store, in) =>
      val ordered = shard(store)
      (ordered, ordered.read(in))
    } { case (ordered, buffer) => ordered.lower(buffer) }
  }

  // ---- the state of a key

  private def of[T](name: String, codec: ShardStore => Codec[T])(write: ByteWriter => Unit)(look: T => Any) =
    StoredState.ofRoot(name)((_, out) => write(out))((store, in) => codec(store).read(in))(look)

  private val completion = {
    val some = new KeyCompletion[Axis.Time]
    some.add(5, Some(Origin("s", 1, 2)))
    some.await(9, 3)
    some
  }

  private def run(out: ByteWriter): Unit = {
    val cells = new KeyRun(Sum, new CellCodec(Sum), new Segments("runs", new InMemoryShardStore))
    cells.insert(new Cell(1, Array(1), 1, 1, Some(1), 2, 1, Array(2)))
    cells.write(out)
  }

  private def shown(out: ByteWriter): Unit = {
    val shown = new ShownRun(Sum, new Segments("runs", new InMemoryShardStore))
    (0L until 1000L).foreach(shown.put(_, 3L)) // more than fits into one piece
    shown.write(out)
  }

  private def keyed: Seq[StoredState] = Seq(
    of("a key of windows in a run", store => new RunKeyStateCodec(Sum, new Segments("runs", store))) { out =>
      out.count(3)
      out.long(8)
      completion.write(out)
      shown(out)
      out.count(1)
      Seq(1L, 2L, 3L).foreach(out.long)
      out.count(4)
      new PaneStateCodec(Sum).write(paneState, out)
      run(out)
    }(_.run.size),
    of(
      "a key of windows in a grid",
      store => new GridKeyStateCodec[Axis.Time, Long](Sum, new Segments("runs", store))) {
      out =>
        Seq(3L, 2L).foreach(out.count)
        out.long(8)
        completion.write(out)
        shown(out)
        out.count(1)
        out.long(1)
        new PaneStateCodec(Sum).write(paneState, out)
        run(out)
    }(_.run.size), {
      val codec = new TupleSessionCodec(Sum)
      of("a tuple session", _ => codec)(codec.write(TupleSessionState(1, 2, 3L, paneState), _))(_.end(2))
    }, {
      val codec = new OffsetAggregation(Sum)
      of("a buffer and where it starts", _ => codec)(
        codec.write(BufferWithOffsets(1L, StartOffsets(Map(SourcePartition("s", 1) -> 2L))), _))(_.buffer)
    })

  private def header: StoredState = {
    def admission(store: ShardStore) =
      new Admission(store, SpecFingerprint("windows" -> "some"), maxFuture = Some(TimeSpan(5)))
    StoredState(
      "a header",
      cost = 1,
      store => {
        val kept = admission(store)
        kept.begin(Some(5))
        kept.lateness.see(0, 1, Watermark(70), identity)
        (0L until 9L by 2).foreach(offset => kept.markApplied(Some(Origin("s", 1, offset)), Some(offset)))
        kept.recordOpenWindows(_ => Some(3))
        kept.watermark = Watermark(9)
        kept.write((_, _) => false)(_ => ())
      }) { store =>
      admission(store).open(_ => ())
      LatenessCounts.of(store.header).messages
    }
  }

  private def slices: StoredState = {
    def runs(store: ShardStore) =
      (new SortedRun("slices", store, new OwnedCodec(Sum)), new SortedRun("panes", store, new PaneStateCodec(Sum)))
    StoredState.ofRoot("segments of slices and panes") { (store, out) =>
      val (values, panes) = runs(store)
      Seq(5L, 7L).foreach { at =>
        values.at(at).put(new Key(Array(1)), at)
        panes.at(at).put(new Key(Array(1)), paneState)
      }
      Seq(values, panes).foreach(_.flush())
      Seq(values, panes).foreach(_.writeDirectory(out))
    } { (store, in) =>
      val (values, panes) = runs(store)
      Seq(values, panes).foreach(_.readDirectory(in))
      (values, panes)
    } { case (values, panes) =>
      values.between(0, 100).foreach(_ => ())
      panes.between(0, 100).foreach(_ => ())
    }
  }

  private def additions: StoredState = {
    def run(store: ShardStore) =
      new SortedRun("slices", new Large(store), new OwnedCodec(Sum), combine = Some(Sum.combine(_, _)))
    StoredState.ofRoot("segments with additions") { (store, out) =>
      val first = run(store)
      (0 to 20).foreach(i => first.add(5, new Key(Array(i.toByte)), 1L))
      first.flush()
      val directory = new ByteWriter
      first.writeDirectory(directory)
      val later = run(store)
      later.readDirectory(ByteReader(directory.result()))
      later.add(5, new Key(Array(1)), 7L)
      later.flush()
      later.writeDirectory(out)
    } { (store, in) =>
      val all = run(store)
      all.readDirectory(in)
      all
    }(_.between(0, 100).foreach(_ => ()))
  }

  private final class Large(store: ShardStore) extends Spaces {
    override def largeFrom: Int    = 1
    def space(name: String): Space = store.space(name)
  }

  private def journal: StoredState = StoredState.ofRoot("a journal") { (_, out) =>
    out.count(2)
    out.bytes("messages".getBytes)
    out.long(5)
    out.byte(1)
    out.bytes(Array(1, 2, 3))
    out.bytes("windows".getBytes)
    out.long(7)
    out.byte(0)
    out.byte(1)
    out.bytes(Array(4, 5))
  }((store, _) => store) { store =>
    val crashed = new InMemoryShardStore
    crashed.space("journal").put(0, store.space("root").get(0))
    new JournaledStore(crashed)
  }

  private def image: StoredState = {
    val kept = new InMemoryShardStore
    some.foreach(i => kept.space("messages").put(i, Array(i.toByte)))
    kept.putHeader(Array(1, 2))
    StoredState(
      "a checkpoint of an operator",
      cost = 1,
      _.space("root").put(0, new JournaledStore(kept).image()))(store =>
      new JournaledStore(new InMemoryShardStore).replaceBy(Some(store.space("root").get(0))))
  }
}
