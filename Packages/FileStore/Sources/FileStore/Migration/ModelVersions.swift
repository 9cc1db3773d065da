@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

/// The versions of the models of a group. The journal stores them as records of a reserved type, so they change in the
/// same batch as the migrated records.
///
/// Each version has a copy at the other end of the batch: if a version were lost, its migration would run twice.
struct ModelVersions {
  /// No class has this name.
  static let typeName = "@model-versions"

  /// The stored version of a type.
  struct Version {
    var record: Int?
    var copy: Int?

    /// The effective version: the larger one. The other may be an older one whose replacement is damaged.
    var number: Int { max(record ?? 1, copy ?? 1) }
  }

  private(set) var types: [String: Version] = [:]

  /// The identifiers of all records, readable or not.
  private var identifiers: Set<String> = []

  /// Returns the versions of all types with a version other than 1.
  static func all(in index: JournalIndex, _ contents: JournalContents) throws -> [String: Int] {
    try ModelVersions(index, contents).types.mapValues(\.number)
  }

  /// Returns the versions of all types with a version other than 1.
  static func all(in contents: JournalContents) throws -> [String: Int] {
    try all(in: contents.withIndex { $0 }, contents)
  }

  init(_ index: JournalIndex, _ contents: JournalContents) throws {
    guard let number = index.number(of: Self.typeName) else { return }
    var types: [String: Version] = [:]
    var identifiers: Set<String> = []
    var damages: [(type: String, issue: IntegrityIssue)] = []
    let records = index.selection(index.types[number].entries.filter(\.isLive), ofType: number)
    try contents.forEachRecord(records) { number, line, value in
      let identifier = records.identifier(number)
      identifiers.insert(identifier)
      let isCopy = identifier.hasPrefix(Self.copyPrefix)
      let type = isCopy ? String(identifier.dropFirst(Self.copyPrefix.count)) : identifier
      // Written by a program that used this name for models: it is not a version.
      if StoreFormat.isReservedType(type) { return }
      let version = value.flatMap { try? JSONValue(json: Array(line[$0]))["version"]?.intValue }
      if version == nil, value != nil, isCopy || index.number(of: type) == nil { return }
      guard let version else {
        return damages.append((type, contents.damage(at: records.entries[number].place, in: line)))
      }
      if isCopy {
        types[type, default: Version()].copy = version
      } else {
        types[type, default: Version()].record = version
      }
    }
    for damage in damages where types[damage.type] == nil {
      throw FileEngineError.unknownVersion(type: damage.type, damage.issue)
    }
    (self.types, self.identifiers) = (types, identifiers)
  }

  /// Returns the changes that store a version: those before the records of the batch, and those after them.
  func changes(of type: String, to version: Int) -> (before: [Change], after: [Change]) {
    func change(_ old: Int?, _ identifier: String) -> [Change] {
      if old == version { return [] }
      let record = Array(#"{"version":\#(version)}"#.utf8)
      return [
        !identifiers.contains(identifier)
          ? .create(Self.typeName, identifier, record) : .update(Self.typeName, identifier, record)
      ]
    }
    let known = types[type] ?? Version()
    return (change(known.copy, Self.copy(of: type)), change(known.record, type))
  }

  /// The prefix of the identifier of a copy. Older programs ignore it.
  private static let copyPrefix = "@copy/"

  private static func copy(of type: String) -> String { copyPrefix + type }

  /// Throws if a damaged line may contain a later version of a type than the known one.
  ///
  /// - Throws: ``FileEngineError/unknownVersion(type:_:)``.
  func refuseLostVersion(of type: String, _ issues: [IntegrityIssue], _ fileSystem: any FileSystem) throws {
    let known = types[type] ?? Version()
    for issue in issues where issue.kind == .damage && issue.length > 0 {
      let bytes = try fileSystem.open(issue.file, .read).bytes(
        from: issue.offset, count: Int(min(issue.length, 1 << 16)))
      guard let identifier = Self.identifier(in: bytes) else { continue }
      let isKnown =
        identifier == type ? known.copy != nil : identifier == Self.copy(of: type) ? known.record != nil : nil
      if isKnown == false || identifier.isEmpty { throw FileEngineError.unknownVersion(type: type, issue) }
    }
  }

  /// Returns the identifier in a damaged line of such a record, empty if it is unknown; nil for other lines.
  private static func identifier(in bytes: [UInt8]) -> String? {
    bytes.withUnsafeBytes { bytes in
      if bytes.count > LineLayout.prefixLength, case .record(let record) = LineParser.parse(bytes) {
        guard StoreFormat.isReservedType(record.type.string(in: bytes)) else { return nil }
        return record.identifier.string(in: bytes)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      return text.contains("\"\(typeName)\"") ? "" : nil
    }
  }
}

/// A record that a migration can't read. It is skipped when the whole journal is read.
struct UnreadableBeforeMigration: Error {
  let issue: IntegrityIssue
}
