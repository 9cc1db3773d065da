import Foundation

/// A search for the line on which a document stops being XML. The parser continues after a mistake and reports only
/// where it stopped.
struct XMLFault {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var open: [ArraySlice<UInt8>] = []

  private init(_ data: Data) { bytes = [UInt8](data) }

  /// Returns the line of the first tag without a match.
  ///
  /// - Parameters:
  ///   - data: the document, which is not well-formed.
  ///   - otherwise: the line to return if all tags match.
  static func line(in data: Data, otherwise: Int) -> Int {
    var fault = XMLFault(data)
    return fault.find() ?? otherwise
  }

  private mutating func find() -> Int? {
    while skip(to: "<") {
      let start = line
      if begins("<!--") {
        guard skip(past: "-->") else { return start }
      } else if begins("<![CDATA[") {
        guard skip(past: "]]>") else { return start }
      } else if begins("<?") {
        guard skip(past: "?>") else { return start }
      } else if begins("</") {
        position += 2
        let name = takeName()
        guard open.popLast() == name, skip(past: ">") else { return start }
      } else {
        position += 1
        let name = takeName()
        guard !name.isEmpty, let isClosed = skipTag() else { return start }
        if !isClosed { open.append(name) }
      }
    }
    return open.isEmpty ? nil : line
  }

  private func begins(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  private mutating func step() {
    if bytes[position] == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  private mutating func skip(to text: StaticString) -> Bool {
    while position < bytes.count {
      if begins(text) { return true }
      step()
    }
    return false
  }

  private mutating func skip(past text: StaticString) -> Bool {
    guard skip(to: text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  private mutating func takeName() -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, !" \t\r\n/>=<\"'".utf8.contains(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  /// Skips the part of a tag after its name.
  ///
  /// - Returns: whether the tag closes itself; nil if it has no end.
  private mutating func skipTag() -> Bool? {
    var quote: UInt8?
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "<") { return nil }
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        let isClosed = bytes[position - 1] == UInt8(ascii: "/")
        position += 1
        return isClosed
      }
      step()
    }
    return nil
  }
}
