import Foundation

@testable import FileStore
@testable import StoreProtocolTesting

/// A random history of a store that was closed, and what it acknowledged in plain Swift.
struct DamagedHistory {
  final class Item: Model {
    let id = Field<String>()
    let number = Field<Int>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Item" }
  }

  final class Part: Model {
    let id = Field<String>()
    let number = Field<Int>()
    override var identifierField: AnyField? { id }
    override class var typeName: String { "Part" }
  }

  struct Row: Equatable {
    var id: String
    var number: Int
  }

  static let types = [Item.typeName, Part.typeName]

  var random: RandomSource
  private(set) var options = FileEngineOptions()

  /// The rows of each type, in the order of their creation.
  private(set) var truth: [String: [Row]] = ["Item": [], "Part": []]

  /// All numbers that a model ever had. Each number is written once.
  private(set) var numbers: [String: Set<Int>] = [:]

  /// The closed store, and the same at an earlier close.
  private(set) var image = DiskImage()
  private(set) var older = DiskImage()
  private var last = 1_000

  init(seed: UInt64) { random = RandomSource(seed: seed) }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  mutating func run() async throws {
    options.journal.segmentSize = [400, 1_500, 1 << 20][below(3)]
    options.journal.preallocation = [0, 256][below(2)]
    options.journal.checkpointInterval = [1, 2_000, 1 << 20][below(3)]
    options.reserve = 0
    for round in 0..<2 {
      let fileSystem = TracingFileSystem(image)
      let engine = FileEngine(directory: "/store", options: options, fileSystem: fileSystem)
      try await engine.open()
      for _ in 0..<12 + below(16) {
        try await engine.write(makeBatch())
        if below(24) == 0 { try await engine.compact() }
      }
      try await engine.close()
      image = fileSystem.image
      if round == 0 { older = image }
    }
  }

  private mutating func makeBatch() -> [Change] {
    (0..<[1, 1, 2, 5][below(4)]).map { _ in
      let type = Self.types[below(2)]
      last += 1
      var rows = truth[type] ?? []
      defer { truth[type] = rows }
      if !rows.isEmpty, below(3) > 0 {
        let index = below(rows.count)
        let id = rows[index].id
        if below(4) == 0 {
          rows.remove(at: index)
          return .delete(type, id)
        }
        rows[index].number = last
        return .update(type, id, value(type, id))
      }
      let id = (10..<99).map(String.init).first { id in !rows.contains { $0.id == id } } ?? "0"
      rows.append(Row(id: id, number: last))
      return .create(type, id, value(type, id))
    }
  }

  private mutating func value(_ type: String, _ id: String) -> [UInt8] {
    numbers["\(type) \(id)", default: []].insert(last)
    return Array(#"{"id":"\#(id)","number":\#(last)}"#.utf8)
  }

  // MARK: Damage

  /// Returns a store with one random change of a file, and a description; nil if that changes nothing.
  mutating func damaged() -> (image: DiskImage, change: String)? {
    let paths = image.files.keys.filter {
      !$0.hasSuffix("/lock") && !$0.hasSuffix("/reserve") && !$0.hasSuffix(".quarantine")
    }.sorted()
    let journals = paths.filter { $0.hasSuffix(".journal") }
    let path = below(4) > 0 ? journals[below(journals.count)] : paths[below(paths.count)]
    guard var bytes = image.files[path], !bytes.isEmpty else { return nil }
    var changed = image
    // A checkpoint has no lines, and other bytes each time.
    let kind = path.hasSuffix(".checkpoint") ? [0, 1, 5, 7, 8][below(5)] : below(9)
    switch kind {
    case 0:
      let bit = below(bytes.count * 8)
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    case 1:
      let start = below(bytes.count)
      for index in start..<min(bytes.count, start + [1, 40, 512, 4_096][below(4)]) { bytes[index] = 0 }
    case 2, 3:
      let lines = lines(bytes)
      let one = lines[below(lines.count)]
      let others = lines.filter { $0.count == one.count && $0 != one }
      guard !others.isEmpty else { return nil }
      let other = others[below(others.count)]
      let copy = Array(bytes[other])
      if kind == 2 { bytes.replaceSubrange(other, with: bytes[one]) }
      bytes.replaceSubrange(one, with: copy)
    case 4:
      let size = [64, 512, 4_096][below(3)]
      guard bytes.count >= 2 * size else { return nil }
      let (one, other) = (below(bytes.count / size) * size, below(bytes.count / size) * size)
      let copy = bytes[other..<other + size]
      if below(2) == 0 { bytes.replaceSubrange(other..<other + size, with: bytes[one..<one + size]) }
      bytes.replaceSubrange(one..<one + size, with: copy)
    case 5: bytes.removeLast(1 + below(bytes.count))
    case 6:
      let lines = lines(bytes)
      let (line, place) = (lines[below(lines.count)], lines[below(lines.count)].lowerBound)
      bytes.insert(contentsOf: bytes[line] + [0x0a], at: place)
    case 7:
      guard let former = older.files[path] else { return nil }
      bytes = former
    default:
      changed.files[path] = nil
      return (changed, "without \(path)")
    }
    if bytes == image.files[path] { return nil }
    changed.files[path] = bytes
    return (changed, "change \(kind) of \(path)")
  }

  private func lines(_ bytes: [UInt8]) -> [Range<Int>] {
    var start = 0
    return bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
      defer { start += line.count + 1 }
      return start..<start + line.count
    }
  }

  /// Returns whether the line with a number is where it was.
  func isIntact(_ number: Int, in changed: DiskImage) -> Bool {
    let text = Data("\"number\":\(number)}".utf8)
    for (path, bytes) in image.files where path.hasSuffix(".journal") {
      guard let range = Data(bytes).range(of: text), let now = changed.files[path],
        let line = lines(bytes).first(where: { $0.contains(range.lowerBound) }), now.count > line.upperBound
      else { continue }
      // With its line break.
      return now[line.lowerBound...line.upperBound] == bytes[line.lowerBound...line.upperBound]
    }
    return false
  }
}
