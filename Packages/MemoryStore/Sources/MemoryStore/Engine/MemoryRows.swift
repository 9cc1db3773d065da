/// One record: the bytes of its JSON.
///
/// A class, so that iterating over many records does not retain each of their parts.
final class MemoryRow: Sendable {
  let identifier: String
  let bytes: [UInt8]
  /// The revision, which increases with every write.
  let revision: UInt64

  init(identifier: String, bytes: [UInt8], revision: UInt64) {
    self.identifier = identifier
    self.bytes = bytes
    self.revision = revision
  }
}

/// A record with its position in the order of creation.
struct OrderedRow: Sendable {
  let place: Int
  let row: MemoryRow
}

/// Rows at positions that never change, in chunks. A copy is a snapshot, and a write during an iteration copies only
/// one chunk.
struct MemoryRows: Sendable {
  private static let chunkSize = 512
  private static let chunksInRange = 16
  private var chunks: [[MemoryRow?]] = []
  private var liveCounts: [Int] = []

  subscript(place: Int) -> MemoryRow? {
    get {
      let number = place / Self.chunkSize
      let index = place % Self.chunkSize
      return index < chunks[number].count ? chunks[number][index] : nil
    }
    set {
      let number = place / Self.chunkSize
      let index = place % Self.chunkSize
      if newValue != nil, chunks[number].isEmpty {
        chunks[number] = Array(repeating: nil, count: Self.chunkSize)
      }
      guard index < chunks[number].count else { return }
      liveCounts[number] += (newValue == nil ? 0 : 1) - (chunks[number][index] == nil ? 0 : 1)
      chunks[number][index] = newValue
      if liveCounts[number] == 0, chunks[number].count == Self.chunkSize { chunks[number] = [] }
    }
  }

  /// A chunk that was emptied is not filled again: its positions are before those of later rows.
  private var needsChunk: Bool { chunks.last.map { $0.count == Self.chunkSize || $0.isEmpty } ?? true }

  /// The number of rows.
  ///
  /// - Complexity: O(*n*) in the number of chunks.
  var count: Int { liveCounts.reduce(0, +) }

  /// The position of the next row.
  var nextPlace: Int {
    needsChunk ? chunks.count * Self.chunkSize : (chunks.count - 1) * Self.chunkSize + (chunks.last?.count ?? 0)
  }

  /// Adds a row, and returns its position.
  mutating func append(_ row: MemoryRow) -> Int {
    if needsChunk {
      chunks.append([])
      chunks[chunks.count - 1].reserveCapacity(Self.chunkSize)
      liveCounts.append(0)
    }
    chunks[chunks.count - 1].append(row)
    liveCounts[chunks.count - 1] += 1
    return (chunks.count - 1) * Self.chunkSize + chunks[chunks.count - 1].count - 1
  }

  /// Calls a closure for all rows in the order of their positions.
  func forEach(_ body: (MemoryRow, Int) throws -> Void) rethrows {
    for (number, chunk) in chunks.enumerated() {
      for (index, row) in chunk.enumerated() {
        if let row { try body(row, number * Self.chunkSize + index) }
      }
    }
  }

  /// Visits the rows from a position on, until the body returns false.
  func forEach(from place: Int, while body: (MemoryRow, Int) throws -> Bool) rethrows {
    var index = place % Self.chunkSize
    for number in chunks.indices.dropFirst(place / Self.chunkSize) {
      for (index, row) in chunks[number].enumerated().dropFirst(index) {
        if let row, try !body(row, number * Self.chunkSize + index) { return }
      }
      index = 0
    }
  }

  /// Returns the number of rows before a position.
  ///
  /// - Complexity: O(*n*) in the number of chunks.
  func number(of place: Int) -> Int {
    let number = place / Self.chunkSize
    return liveCounts[..<number].reduce(0, +) + chunks[number].prefix(place % Self.chunkSize).count { $0 != nil }
  }

  /// Returns the position after a number of rows.
  ///
  /// - Complexity: O(*n*) in the number of chunks.
  func place(after count: Int) -> Int {
    var rest = count
    for (number, chunk) in chunks.enumerated() {
      if rest >= liveCounts[number] {
        rest -= liveCounts[number]
        continue
      }
      for (index, row) in chunk.enumerated() where row != nil {
        if rest == 0 { return number * Self.chunkSize + index }
        rest -= 1
      }
    }
    return chunks.count * Self.chunkSize
  }

  /// Visits the rows at some positions until the body returns false.
  func forEach(at places: [Int], while body: (MemoryRow) throws -> Bool) rethrows {
    var start = 0
    while start < places.count {
      let part = places[start..<min(start + 64, places.count)]
      start = part.endIndex
      // Scattered rows are seldom in the cache of the processor: here it loads those of a part together.
      var size = 0
      for place in part { size &+= withRow(at: place) { $0.bytes.count &+ Int($0.bytes.last ?? 0) } ?? 0 }
      if size == 0 { continue }
      for place in part {
        if let goesOn = try withRow(at: place, body), !goesOn { return }
      }
    }
  }

  /// Calls a closure with a row, which is not retained for it; returns nil if there is none.
  private func withRow<Result>(at place: Int, _ body: (MemoryRow) throws -> Result) rethrows -> Result? {
    let index = place % Self.chunkSize
    return try chunks[place / Self.chunkSize].withUnsafeBufferPointer { rows in
      guard index < rows.count else { return nil }
      return try rows.withMemoryRebound(to: Unmanaged<MemoryRow>?.self) { rows in
        try rows[index]?._withUnsafeGuaranteedRef(body)
      }
    }
  }

  /// Visits all rows until the body returns false.
  func forEach(while body: (MemoryRow) throws -> Bool) rethrows { try forEach(inChunks: chunks.indices, while: body) }

  /// Returns parts of the rows that follow each other, and have similar sizes: the numbers of their chunks, in ranges of
  /// a few thousand rows.
  func parts(_ count: Int) -> [[Range<Int>]] {
    (0..<count).map { part in
      let range = chunks.count * part / count..<chunks.count * (part + 1) / count
      return stride(from: range.lowerBound, to: range.upperBound, by: Self.chunksInRange).map {
        $0..<min($0 + Self.chunksInRange, range.upperBound)
      }
    }
  }

  /// Visits the rows of some chunks until the body returns false.
  func forEach(inChunks range: Range<Int>, while body: (MemoryRow) throws -> Bool) rethrows {
    for chunk in chunks[range] {
      let isEnough = try chunk.withUnsafeBufferPointer { rows in
        // Not retained one by one: the chunk has them.
        try rows.withMemoryRebound(to: Unmanaged<MemoryRow>?.self) { rows in
          for row in rows {
            if let row, try !row._withUnsafeGuaranteedRef(body) { return true }
          }
          return false
        }
      }
      if isEnough { return }
    }
  }
}
