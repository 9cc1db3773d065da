/// Numbers in an order that the caller defines, in chunks, so that one is inserted or removed without moving all
/// others.
struct OrderedNumbers {
  private static let chunkSize = 512
  private var chunks: [[Int]] = []
  private(set) var count = 0

  /// Creates a list from sorted numbers.
  init(sorted places: [Int] = []) {
    count = places.count
    var start = 0
    while start < places.count {
      let end = min(start + Self.chunkSize / 2, places.count)
      chunks.append(Array(places[start..<end]))
      start = end
    }
  }

  /// Returns the position of a number, or the position at which it would be inserted.
  private func position(of place: Int, _ isBefore: (Int, Int) -> Bool) -> (chunk: Int, index: Int) {
    // The last chunk that does not begin after the number.
    var low = 0, high = chunks.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(place, chunks[middle][0]) { high = middle } else { low = middle + 1 }
    }
    guard low > 0 else { return (0, 0) }
    let chunk = low - 1
    return chunks[chunk].withUnsafeBufferPointer { places in
      var low = 0, high = places.count
      while low < high {
        let middle = (low + high) / 2
        if isBefore(places[middle], place) { low = middle + 1 } else { high = middle }
      }
      return (chunk, low)
    }
  }

  private func rank(_ chunk: Int, _ index: Int) -> Int {
    var rank = index
    for number in 0..<chunk { rank += chunks[number].count }
    return rank
  }

  /// Returns the number of elements before a contained one.
  func rank(of place: Int, _ isBefore: (Int, Int) -> Bool) -> Int {
    let (chunk, index) = position(of: place, isBefore)
    return rank(chunk, index)
  }

  /// Inserts a number, and returns its rank.
  mutating func insert(_ place: Int, _ isBefore: (Int, Int) -> Bool) -> Int {
    let (chunk, index) = position(of: place, isBefore)
    count += 1
    if chunks.isEmpty { chunks.append([]) }
    let rank = rank(chunk, index)
    chunks[chunk].insert(place, at: index)
    if chunks[chunk].count > Self.chunkSize {
      let half = Array(chunks[chunk][(Self.chunkSize / 2)...])
      chunks[chunk].removeSubrange((Self.chunkSize / 2)...)
      chunks.insert(half, at: chunk + 1)
    }
    return rank
  }

  /// Removes a contained number, and returns its previous rank.
  mutating func remove(_ place: Int, _ isBefore: (Int, Int) -> Bool) -> Int {
    let (chunk, index) = position(of: place, isBefore)
    let rank = rank(chunk, index)
    chunks[chunk].remove(at: index)
    if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    count -= 1
    return rank
  }

  /// Returns the numbers with these ranks.
  func places(_ ranks: Range<Int>) -> [Int] {
    var found: [Int] = []
    found.reserveCapacity(ranks.count)
    var start = 0
    for chunk in chunks {
      if start >= ranks.upperBound { break }
      let from = max(ranks.lowerBound - start, 0), to = min(ranks.upperBound - start, chunk.count)
      if from < to { found += chunk[from..<to] }
      start += chunk.count
    }
    return found
  }
}
