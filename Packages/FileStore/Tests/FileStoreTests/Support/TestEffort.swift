import StoreProtocolTesting

extension TestEffort {
  /// Every nth of the cases, beginning with one that `offset` chooses; all of them with more than the usual effort.
  static func sample(_ cases: Range<Int>, every step: Int, offset: Int = 0) -> StrideTo<Int> {
    factor > 1
      ? stride(from: cases.lowerBound, to: cases.upperBound, by: 1)
      : stride(from: cases.lowerBound + offset % step, to: cases.upperBound, by: step)
  }
}
