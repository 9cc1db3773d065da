import Foundation

/// A scanner of server-sent events, which arrive in parts of any length.
///
/// It counts the events, and keeps what a client needs to connect again: the identifier of the last event, and the time
/// to wait. Their data is skipped.
struct EventScanner: Sendable {
  /// The identifier of the last complete event; nil if there is none.
  private(set) var lastIdentifier: String?
  /// The time after which the server wants the client to connect again; nil if it sent none.
  private(set) var retryDelay: Duration?

  /// The number of bytes of a line that are kept. Only data is longer, and data is not read.
  private static let maximumLineCount = 1_024

  private var line: [UInt8] = []
  private var isCut = false
  private var endsWithReturn = false
  private var isAtStart = true
  private var hasData = false
  private var identifier: String?

  /// Begins the events of another connection. The rest of an incomplete event is dropped.
  mutating func restart() {
    (line, isCut, endsWithReturn, isAtStart, hasData) = ([], false, false, true, false)
    identifier = lastIdentifier
  }

  /// Reads the next part of a stream.
  ///
  /// - Returns: the number of events that it completes.
  /// - Complexity: O(*n*) in the number of bytes.
  mutating func read(_ bytes: some Sequence<UInt8>) -> Int {
    var count = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n") where endsWithReturn:
        endsWithReturn = false
        continue
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if endLine() { count += 1 }
      default:
        if line.count < Self.maximumLineCount { line.append(byte) } else { isCut = true }
      }
      endsWithReturn = byte == UInt8(ascii: "\r")
    }
    return count
  }

  /// Ends a line.
  ///
  /// - Returns: whether it completes an event.
  private mutating func endLine() -> Bool {
    if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    isAtStart = false
    defer { (line, isCut) = ([], false) }
    if line.isEmpty {
      lastIdentifier = identifier
      defer { hasData = false }
      return hasData
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[min(colon + 1, line.endIndex)...]
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data": hasData = true
    case "id" where !isCut && !value.contains(0): identifier = String(decoding: value, as: UTF8.self)
    case "retry" where !value.isEmpty && value.allSatisfy({ (0x30...0x39).contains($0) }):
      retryDelay = Int(String(decoding: value, as: UTF8.self)).map { .milliseconds($0) }
    default: break
    }
    return false
  }
}
