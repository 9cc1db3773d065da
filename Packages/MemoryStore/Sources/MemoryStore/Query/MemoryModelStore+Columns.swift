@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension MemoryModelStore {
  /// Returns the records that match the condition in the columns of its fields, if the columns exist or are worth
  /// building.
  ///
  /// - Parameters:
  ///   - rows: all records of the type.
  ///   - lastWrite: the last write to the type before they were selected.
  func matches<M: Model>(
    of program: QueryProgram<M>, in rows: MemoryRows, since lastWrite: UInt64?
  ) throws -> [MemoryRow]? {
    let context = context(of: M.self)
    guard let lastWrite, context.hasAllRecords, context.state?.lastWrite == lastWrite,
      let keys = program.keysOfCondition,
      let table = try columnCache.table(
        keys, of: context.name, at: lastWrite,
        changes: { handle.records(of: context.name, writtenAfter: $0, upTo: lastWrite) },
        building: { missing in
          let builder = program.columnBuilder(for: missing)
          builder.reserve(rows.count)
          try rows.forEach { row in
            try row.bytes.withUnsafeBytes { try builder.add($0) }
            return !builder.isImpossible
          }
          return builder
        })
    else { return nil }
    let numbers: [Int32]
    do {
      numbers = try program.rows(in: table)
    } catch let error as ModelStoreError where error.code == .corrupt {
      // Only the records decide whether the condition needs a value that can't be read.
      return nil
    }
    var wanted = numbers[...]
    var found: [MemoryRow] = []
    found.reserveCapacity(wanted.count)
    var number: Int32 = 0
    rows.forEach { row in
      guard let next = wanted.first else { return false }
      if next == number {
        found.append(row)
        wanted.removeFirst()
      }
      number += 1
      return true
    }
    return found
  }
}
