package windrow.core.state

/** Binary search. */
private[core] object FirstIndex {

  /** The first index in `0 until size` at which a condition holds that holds from there on; `size` if at none. */
  def where(size: Int)(holds: Int => Boolean): Int = {
    var (low, high) = (0, size)
    while (low < high) {
      val middle = (low + high) / 2
      if (holds(middle)) high = middle else low = middle + 1
    }
    low
  }
}
