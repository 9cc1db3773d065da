@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// A model in an exported file.
struct ExportedModel: Sendable {
  var type: String
  var identifier: String
  var value: [UInt8]
  var line: Int
  var offset: UInt64
}

/// Reads an exported file, model by model.
struct ExportReader: Sendable {
  private var scanner: ExportScanner
  private var isInModels = false
  private var isAtEnd = false
  private var keys: Set<String> = []

  /// The versions of the models in the file; 1 for types that are missing.
  private(set) var modelVersions: [String: Int] = [:]
  private var format: String?

  init(_ file: any StoreFile) { scanner = ExportScanner(file) }

  /// The number of bytes read so far.
  var offset: UInt64 { scanner.offset }

  /// Reads the next models; returns none at the end.
  mutating func nextModels(byteLimit: Int = 1 << 20) throws -> [ExportedModel] {
    var models: [ExportedModel] = []
    var size = 0
    while size < byteLimit, let model = try nextModel() {
      size += model.value.count + 64
      models.append(model)
    }
    return models
  }

  private mutating func nextModel() throws -> ExportedModel? {
    if isAtEnd { return nil }
    if !isInModels {
      try begin()
      if isAtEnd { return nil }
    } else if try !scanner.passIf(",") {
      try scanner.pass("]")
      isInModels = false
      try passMembers(isFirst: false)
      return nil
    }
    return try Self.model(try scanner.value())
  }

  /// Reads up to the first model.
  private mutating func begin() throws {
    try scanner.pass("{")
    try passMembers(isFirst: true)
    guard isInModels else { throw scanner.failure(#"there is no list "models""#) }
    if try scanner.passIf("]") {
      isInModels = false
      try passMembers(isFirst: false)
    }
  }

  /// Reads the members of the document, up to the models or to the end.
  private mutating func passMembers(isFirst: Bool) throws {
    var isFirst = isFirst
    while try !scanner.passIf("}") {
      if !isFirst { try scanner.pass(",") }
      isFirst = false
      let name = try scanner.value()
      try scanner.pass(":")
      guard case .string(let key)? = try? JSONValue(json: name.bytes) else {
        throw ExportFileError(line: name.line, offset: name.offset, reason: "a key is expected here")
      }
      guard keys.insert(key).inserted else {
        throw ExportFileError(
          line: name.line, offset: name.offset, reason: "the key \(key.quotedForMessage) occurs twice")
      }
      if key == "models" {
        if format == nil {
          throw ExportFileError(
            line: name.line, offset: name.offset,
            reason: #"the file does not begin with "format":"\#(ExportFormat.name)""#)
        }
        try scanner.pass("[")
        isInModels = true
        return
      }
      try take(key, try scanner.value())
    }
    if try scanner.peekPart() != nil { throw scanner.failure("there are bytes after the end") }
    isAtEnd = true
  }

  private mutating func take(_ key: String, _ value: ExportScanner.Value) throws {
    func failure(_ reason: String) -> ExportFileError {
      ExportFileError(line: value.line, offset: value.offset, reason: reason)
    }
    guard let json = try? JSONValue(json: value.bytes) else { throw failure("the value of \"\(key)\" is not JSON") }
    if let repeated = try value.repeatedKey() { throw repeated }
    switch key {
    case "format":
      guard json == .string(ExportFormat.name) else { throw failure("this is not the format \(ExportFormat.name)") }
      format = ExportFormat.name
    case "version":
      guard let version = json.intValue, version >= 1 else { throw failure("this is not a valid version") }
      guard version <= ExportFormat.version else {
        throw ModelStoreError(
          .unsupported,
          """
          Nothing was imported: the file has version \(version) of its format, and this version of FileStore reads up to \
          \(ExportFormat.version).
          """)
      }
    case "modelVersions":
      if keys.contains("models") { throw failure(#"the versions of models have to precede "models""#) }
      for (type, version) in json.objectValue ?? [:] {
        guard let version = version.intValue, version >= 1 else {
          throw failure("this is not a valid version of \(type)")
        }
        modelVersions[type] = version
      }
    default: break
    }
  }

  private static func model(_ value: ExportScanner.Value) throws -> ExportedModel {
    func failure(_ reason: String, _ place: Int = 0) -> ExportFileError { value.failure(reason, at: place) }
    var type: String?
    var identifier: String?
    var record: [UInt8]?
    do {
      if let repeated = try value.repeatedKey() { throw repeated }
      try value.bytes.withUnsafeBytes { bytes in
        var scanner = JSONScanner(bytes)
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          scanner.skipWhitespace()
          let start = scanner.offset
          switch key.string {
          case "type": type = try scanner.readString()
          case "identifier": identifier = try scanner.readString()
          case "value":
            guard try scanner.peek() == .object else { throw failure("the value of a model is not an object", start) }
            try scanner.skipValue()
            record = Array(bytes[start..<scanner.offset])
          default: try scanner.skipValue()
          }
        }
        try scanner.finish()
      }
    } catch let error as JSONSyntaxError {
      throw failure(error.message, error.offset)
    }
    guard let type, let identifier, var record else {
      throw failure("a model needs type, identifier and value")
    }
    if record.contains(0x0a) || record.contains(0) {
      // The file was reformatted; a line of a journal is one line.
      record = Array(try JSONValue(json: record).jsonData(JSONWritingOptions(sortedKeys: true)))
    }
    return ExportedModel(type: type, identifier: identifier, value: record, line: value.line, offset: value.offset)
  }
}

extension ExportScanner.Value {
  /// Returns an error at a byte of the value.
  fileprivate func failure(_ reason: String, at place: Int) -> ExportFileError {
    let passed = bytes[..<min(place, bytes.count)]
    return ExportFileError(
      line: line + passed.count { $0 == 0x0a }, offset: offset + UInt64(passed.count), reason: reason)
  }

  /// Returns the error for a key that occurs twice in an object of the value; nil if there is none.
  fileprivate func repeatedKey() throws -> ExportFileError? {
    let repeated = try bytes.withUnsafeBytes { try RepeatedKey(in: $0) }
    return repeated.map { failure($0.reason, at: $0.offset) }
  }
}
