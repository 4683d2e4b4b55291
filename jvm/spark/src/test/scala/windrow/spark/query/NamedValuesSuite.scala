package windrow.spark.query

import windrow.spark.SparkSuite

/** Tests the keys of questions (SEMANTICS S1). */
final class NamedValuesSuite extends SparkSuite {
  private type Said = Seq[(String, Int)]

  private def codes(key: Said = Nil, join: Said = Nil, declared: Seq[String] = Nil): Seq[String] =
    new NamedValues(spark, Seq("id", "day"), declared)(key, join, None).left.getOrElse(Nil).map(_.code)

  test("a question names the key, in any order, and no more") {
    assert(codes(Seq("DAY" -> 1, "id" -> 2)).isEmpty && codes().isEmpty)
    assert(codes(Seq("id" -> 1)) == Seq("KEYS_NOT_THOSE"))
    assert(codes(Seq("id" -> 1, "day" -> 2, "more" -> 3)) == Seq("KEYS_NOT_THOSE"))
  }

  test("a lookup of messages by key names the key once") {
    val both = Seq("id" -> 1, "day" -> 2)
    assert(codes(join = both).isEmpty && codes(both, both) == Seq("KEYS_TWICE"))
    assert(codes(both, Seq("other" -> 1), Seq("other")).isEmpty)
  }
}
