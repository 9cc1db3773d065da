/// The start of a page, which decides whether a record of a query is after a position.
final class QueryPageStart {
  private let position: QueryPosition
  /// A sorter with the values of the position as the only row.
  private let sorter: QuerySorter

  init<M: Model>(_ position: QueryPosition, _ program: QueryProgram<M>) throws {
    self.position = position
    sorter = try program.sorter()
    do {
      try sorter.add(position.values)
    } catch {
      throw ModelPageMark.unreadable(M.self)
    }
  }

  /// Returns whether a record is after the position.
  func isBefore<M: Model>(
    _ bytes: UnsafeRawBufferPointer, at order: Int, _ program: QueryProgram<M>, _ surroundings: QueryRelatedRecords
  ) throws -> Bool {
    guard program.isSorted else { return order > position.order }
    try program.add(bytes, to: sorter, surroundings)
    let comparison = sorter.compare(1, 0)
    sorter.removeLast()
    return comparison == 0 ? order > position.order : comparison > 0
  }
}
