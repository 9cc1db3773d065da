@_spi(ModelKitInternals) import StoreProtocol

/// The versions of the models of a group, which stand in the journal as records of a type of their own: so they change in
/// the same batch as the records that they are about.
enum ModelVersions {
  /// No class has this name.
  static let typeName = "@model-versions"

  /// The versions of all types that have another one than 1.
  static func all(in index: JournalIndex, _ contents: JournalContents) throws -> [String: Int] {
    guard let number = index.number(of: typeName) else { return [:] }
    var versions: [String: Int] = [:]
    let records = index.selection(index.types[number].entries.filter(\.isLive), ofType: number)
    try contents.forEachRecord(records) { number, line, value in
      let type = records.identifier(number)
      // Left by a program that gave this name to models: it says nothing about any records.
      if StoreFormat.isReservedType(type) { return }
      let version = value.flatMap { try? JSONValue(json: Array(line[$0]))["version"]?.intValue }
      if version == nil, value != nil, index.number(of: type) == nil { return }
      guard let version else {
        throw FileEngineError.damaged(contents.damage(at: records.entries[number].place, in: line))
      }
      versions[type] = version
    }
    return versions
  }

  static func record(_ version: Int) -> [UInt8] { Array(#"{"version":\#(version)}"#.utf8) }
}
