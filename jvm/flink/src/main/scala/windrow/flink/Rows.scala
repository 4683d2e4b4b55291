package windrow.flink

import java.lang.Long.rotateLeft
import org.apache.flink.api.connector.sink2.{Sink, SinkWriter, WriterInitContext}

/** A sink that digests rows of numbers in the same way as windrow.benchmarks.Digest. */
final class Rows extends Sink[Array[Long]] {
  def createWriter(context: WriterInitContext): SinkWriter[Array[Long]] = new Writer
}

private final class Writer extends SinkWriter[Array[Long]] {
  private var rows = 0L
  private var sum  = 0L
  private var xor  = 0L

  def write(row: Array[Long], context: SinkWriter.Context): Unit = {
    var hash = 42L
    row.foreach(value => hash = Writer.hashed(value, hash))
    rows += 1
    sum += hash & 0xffffffffL
    xor ^= hash
  }

  def flush(endOfInput: Boolean): Unit = ()
  def close(): Unit                    = Shared.meter.came(rows, sum, xor)
}

private object Writer {
  private val Primes = Array(
    0x9e3779b185ebca87L, 0xc2b2ae3d27d4eb4fL, 0x165667b19e3779f9L, 0x85ebca77c2b2ae63L, 0x27d4eb2f165667c5L)

  /** Computes the XXH64 of a number, like Spark's xxhash64. */
  def hashed(value: Long, seed: Long): Long = {
    var hash = seed + Primes(4) + 8L
    hash ^= rotateLeft(value * Primes(1), 31) * Primes(0)
    hash = rotateLeft(hash, 27) * Primes(0) + Primes(3)
    hash = (hash ^ (hash >>> 33)) * Primes(1)
    hash = (hash ^ (hash >>> 29)) * Primes(2)
    hash ^ (hash >>> 32)
  }
}
