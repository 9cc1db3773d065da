@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
@_spi(ModelKitInternals) import StoreEngine
@_spi(ModelKitInternals) public import StoreProtocol

extension MemoryModelStore {
  /// Returns a snapshot of all records as JSON: for each type its records in the order of their creation.
  ///
  /// ```swift
  /// let snapshot = try store.snapshot()
  /// try snapshot.jsonData().write(to: url)
  /// ```
  ///
  /// - Throws: `ModelStoreError` with the code `corrupt` if a record can't be read.
  /// - Complexity: O(*n*) in the number of stored models.
  public func snapshot() throws -> JSONValue {
    var types: AttributeDictionary = [:]
    for (type, rows) in handle.everything() {
      var records: [JSONValue] = []
      try rows.forEach { row, _ in
        do {
          records.append(["identifier": .string(row.identifier), "value": try JSONValue(json: row.bytes)])
        } catch {
          throw ModelStoreError.unreadable(type, identifier: row.identifier, error)
        }
      }
      if !records.isEmpty { types[type] = .array(records) }
    }
    return ["version": 1, "types": .object(types)]
  }

  /// Replaces all records by those of a ``snapshot()``, for all instances of the store. Live models are updated when
  /// they are read next. Indexes are kept.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if this is not a snapshot, or has an unreadable record. The
  ///   code is `unsupported` if it has a newer version, and `conflict` if it has equal values of a unique index.
  ///   Nothing is changed then.
  public func restore(_ snapshot: JSONValue) throws {
    guard transaction == nil else {
      throw ModelStoreError(.unsupported, "Nothing was restored: restore a snapshot outside of a transaction.")
    }
    func refused(_ reason: String) -> ModelStoreError {
      ModelStoreError(.invalid, "Nothing was restored: \(reason).")
    }
    guard let version = snapshot["version"]?.intValue, case .object(let types)? = snapshot["types"] else {
      throw refused("the value is not a snapshot of a store")
    }
    guard version == 1 else {
      throw ModelStoreError(
        .unsupported, "Nothing was restored: the snapshot has version \(version), but only version 1 is supported.")
    }
    var records: [(type: String, identifier: String, bytes: [UInt8])] = []
    for (type, list) in types {
      guard case .array(let list) = list else { throw refused("the records of \(type.nameForMessage) are not a list") }
      var identifiers: Set<ExactText> = []
      for entry in list {
        guard let identifier = entry["identifier"]?.stringValue, let value = entry["value"], case .object = value else {
          throw refused("a record of \(type.nameForMessage) has no identifier or no value")
        }
        guard identifiers.insert(ExactText(identifier)).inserted else {
          throw refused("the \(type.nameForMessage) \(identifier.quotedForMessage) occurs twice")
        }
        guard let bytes = try? Array(value.jsonData(JSONWritingOptions(sortedKeys: true))) else {
          throw refused("the \(type.nameForMessage) \(identifier.quotedForMessage) can't be written as JSON")
        }
        if bytes.withUnsafeBytes(RecordLimits.isTooDeep) {
          throw refused("the \(type.nameForMessage) \(identifier.quotedForMessage) \(RecordLimits.tooDeep)")
        }
        records.append((type, identifier, bytes))
      }
    }
    try handle.replaceEverything(with: records)
  }
}
