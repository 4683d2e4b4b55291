package windrow.core.state

/** Binary search for the first index that meets a monotone condition. */
private[core] object FirstIndex {

  /** The first index in `0 until size` that meets `holds`; `size` if none does. If an index meets `holds`, all later
    * ones do.
    */
  def where(size: Int)(holds: Int => Boolean): Int = {
    var (low, high) = (0, size)
    while (low < high) {
      val middle = (low + high) / 2
      if (holds(middle)) high = middle else low = middle + 1
    }
    low
  }
}
