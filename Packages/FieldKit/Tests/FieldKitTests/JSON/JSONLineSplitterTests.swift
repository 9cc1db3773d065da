@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Splitting documents on lines` {
  /// The documents and the errors, in their order, each with the number of bytes before it.
  private func split(
    _ text: String, cuts: [Int], options: JSONReadingOptions = .init()
  ) -> [String] {
    let bytes = Array(text.utf8)
    let splitter = JSONLineSplitter(options: options)
    var found: [String] = []
    var places = (cuts + [bytes.count]).sorted()[...]
    var position = 0
    while true {
      do {
        switch try splitter.next() {
        case .ended: return found
        case .needsBytes:
          guard let place = places.popFirst() else {
            splitter.complete()
            continue
          }
          bytes[position..<place].withUnsafeBytes { splitter.append($0) }
          position = place
        case .element:
          found.append(
            splitter.withElement { bytes, _ in "\(splitter.offset): " + String(decoding: bytes, as: UTF8.self) })
        }
      } catch {
        found.append("\(error.code) \(error.offset) \(error.line):\(error.column)")
        if error.message.contains("bytes, found more") { return found }
      }
    }
  }

  @Test func `Splitting documents on lines finds one document a line, wherever the bytes are cut`() {
    let text = "\u{FEFF}{\"a\":1}\n\n  [2]\r\n \t\n{\"a\":\n\"é\" x\n3"
    let expected = [
      "3: {\"a\":1}", "14: [2]\r", "unexpectedEnd 27 5:6", "trailingContent 33 6:5", "35: 3",
    ]
    #expect(split(text, cuts: []) == expected)
    for cut in 0..<text.utf8.count { #expect(split(text, cuts: [cut]) == expected) }
    #expect(split(text, cuts: Array(0..<text.utf8.count)) == expected)
    #expect(split("", cuts: []).isEmpty)
    #expect(split("\n\n", cuts: [1]).isEmpty)
    #expect(split("1\n", cuts: [1]) == ["0: 1"])
  }

  @Test func `Splitting documents on lines skips a line that is too long, and continues`() {
    let text = "1\n\"" + String(repeating: "x", count: 1_000) + "\"\n2\n"
    for cuts in [[], Array(stride(from: 0, to: text.utf8.count, by: 7)), Array(0..<text.utf8.count)] {
      #expect(
        split(text, cuts: cuts, options: JSONReadingOptions(maximumElementBytes: 100))
          == ["0: 1", "tooLarge 2 2:1", "1005: 2"])
    }
  }

  @Test func `Splitting documents on lines keeps the limit of the whole`() {
    #expect(
      split("1\n2\n3\n", cuts: [], options: JSONReadingOptions(maximumBytes: 4)) == ["0: 1", "2: 2", "tooLarge 4 3:1"])
  }
}
