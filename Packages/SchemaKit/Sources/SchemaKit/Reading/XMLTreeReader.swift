import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A reader of XML as a tree of elements, within limits.
///
/// A document with a document type is rejected before it is parsed. Without one, no entities are expanded and none are
/// fetched.
final class XMLTreeReader: NSObject, XMLParserDelegate {
  private let options: SchemaReadingOptions
  private var open: [CoreDataSchema.Element] = []
  private var root: CoreDataSchema.Element?
  private var failure: SchemaFileError?

  private init(_ options: SchemaReadingOptions) { self.options = options }

  /// Returns the root element of a document.
  ///
  /// - Throws: ``SchemaFileError``.
  static func tree(of data: Data, _ options: SchemaReadingOptions) throws -> CoreDataSchema.Element {
    if data.count > options.maximumBytes {
      throw SchemaFileError(
        .tooLarge,
        "it has \(data.count) bytes, more than the \(options.maximumBytes) that SchemaReadingOptions allow.")
    }
    try refuseForbidden(data)
    let reader = XMLTreeReader(options)
    let parser = XMLParser(data: data)
    parser.shouldResolveExternalEntities = false
    parser.shouldProcessNamespaces = false
    parser.delegate = reader
    let isWellFormed = parser.parse()
    if let failure = reader.failure { throw failure }
    guard isWellFormed, let root = reader.root else {
      let line = XMLFault.line(in: data, otherwise: max(parser.lineNumber, 1))
      throw SchemaFileError(.syntax, "this is not well-formed XML.", line: line)
    }
    return root
  }

  // MARK: Rejected XML

  private static func refuseForbidden(_ data: Data) throws {
    // In other encodings the marks would have other bytes.
    let head = String(decoding: data.prefix(200), as: UTF8.self)
    if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) || data.prefix(200).contains(0)
      || !declaresKnownEncoding(head)
    {
      throw SchemaFileError(.syntax, "the file is not in UTF-8, the encoding of model files.", line: 1)
    }
    // Foundation's parser takes quadratic time to find duplicate attributes.
    if let line = lineOfCrowdedElement(in: data) {
      throw SchemaFileError(
        .tooLarge, "an element has more than \(maximumSettings) XML attributes; a model file needs thirty.", line: line)
    }
    // Foundation's parser traps on a value with invalid bytes.
    if let line = lineOfNoText(in: data) {
      throw SchemaFileError(.syntax, "the line is not valid UTF-8.", line: line)
    }
    for mark in ["<!DOCTYPE", "<!ENTITY"] {
      guard let line = line(of: Array(mark.utf8), in: data) else { continue }
      throw SchemaFileError(
        .forbidden, "\(mark) is not allowed: a model file has none, and it could expand a small file to a large one.",
        line: line)
    }
  }

  /// Returns the line of the first mark, which begins with `<`; nil if there is none.
  private static func line(of mark: [UInt8], in data: Data) -> Int? {
    data.withUnsafeBytes { bytes in
      var start = 0
      while let found = bytes[start...].firstIndex(of: UInt8(ascii: "<")) {
        if bytes[found...].starts(with: mark) { return 1 + bytes[..<found].count { $0 == UInt8(ascii: "\n") } }
        start = found + 1
      }
      return nil
    }
  }

  private static let maximumSettings = 1_000

  /// Returns the line of the first element with more XML attributes than allowed; nil if there is none.
  ///
  /// No attribute contains `<`, so all those of one element precede the next `<`.
  private static func lineOfCrowdedElement(in data: Data) -> Int? {
    data.withUnsafeBytes { bytes in
      var (line, count) = (1, 0)
      var isBehindSign = false
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "<"): (count, isBehindSign) = (0, false)
        case UInt8(ascii: "="): isBehindSign = true
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          if isBehindSign { count += 1 }
          if count > maximumSettings { return line }
          isBehindSign = false
        case UInt8(ascii: "\n"): line += 1
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
        default: isBehindSign = false
        }
      }
      return nil
    }
  }

  /// Returns the line of the first bytes that are not XML characters in UTF-8; nil if there are none.
  private static func lineOfNoText(in data: Data) -> Int? {
    data.withUnsafeBytes { bytes in
      let controls = bytes.firstIndex { $0 < 0x20 && $0 != 0x9 && $0 != 0xA && $0 != 0xD }
      if controls == nil, String(validating: bytes, as: UTF8.self) != nil { return nil }
      var parser = Unicode.UTF8.ForwardParser()
      var iterator = bytes[..<(controls ?? bytes.endIndex)].makeIterator()
      var line = 1
      while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
        if scalar.first == UInt8(ascii: "\n") { line += 1 }
      }
      return line
    }
  }

  private static func declaresKnownEncoding(_ head: String) -> Bool {
    guard let end = head.range(of: "?>"), let mark = head.range(of: "encoding"), mark.lowerBound < end.lowerBound else {
      return true
    }
    let rest = head[mark.upperBound..<end.lowerBound].drop { $0 == " " || $0 == "=" || $0 == "\"" || $0 == "'" }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" }.lowercased()
    return name == "utf-8" || name == "us-ascii"
  }

  // MARK: Delegate

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    if open.count >= options.maximumDepth {
      failure = SchemaFileError(
        .tooDeep, "more than \(options.maximumDepth) elements are nested.", line: parser.lineNumber)
      parser.abortParsing()
      return
    }
    var element = CoreDataSchema.Element(name: name, attributes: attributes)
    element.place = SourcePosition(line: parser.lineNumber)
    open.append(element)
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    // Most of it is white space before an element, which the end of the element would trim anyway.
    guard let last = open.indices.last, !open[last].text.isEmpty || !Self.isBlank(text) else { return }
    open[last].text += text
  }

  private static func isBlank(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == UInt8(ascii: " ") || (UInt8(ascii: "\t")...UInt8(ascii: "\r")).contains($0) }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    if !open.isEmpty { open[open.count - 1].text += String(decoding: block, as: UTF8.self) }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard var element = open.popLast() else { return }
    if !element.text.isEmpty { element.text = element.text.trimmingCharacters(in: .whitespacesAndNewlines) }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }
}
