@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Creates or updates models from stored records. Returns live objects if they exist, updated except for their local
  /// changes, which only ``refresh(_:)`` overwrites. For implementing stores.
  ///
  /// - Throws: ``ModelStoreError`` with the code `corrupt` if a record does not fit the model. The code is `invalid` if
  ///   models of another class are stored under the same name. Nothing is changed then.
  public func models<M: Model>(_ type: M.Type, from records: [AttributeDictionary]) throws -> [M] {
    try claimTypeName(of: type)
    do {
      return try readingRecords { try scope.models(type, from: records, localChanges: $0) }
    } catch {
      let bytes = records.map { Array((try? JSONValue.object($0).jsonData()) ?? Data()) }
      throw corruption(in: bytes, of: type) { _ in nil } ?? .unreadable(M.typeName, identifier: nil, error)
    }
  }

  private func claimTypeName<M: Model>(of type: M.Type) throws {
    if let conflict = scope.claimTypeName(of: type) { throw ModelStoreError(.invalid, conflict) }
  }

  /// Returns the error of the first record that can't be read.
  private func corruption<M: Model>(
    in records: [[UInt8]], of type: M.Type, identifier: (Int) -> String?
  ) -> ModelStoreError? {
    let comparesIdentifiers = scope.activity.comparesIdentifiers
    for (number, record) in records.enumerated() {
      do {
        // Nothing is to be changed: a scope of its own has no models that could be.
        _ = try ModelScope(transformers: scope.transformers)
          .models(
            type, fromJSON: RecordBytes.list(of: [record]),
            identifiers: comparesIdentifiers ? identifier(number).map { known in { _ in known } } : nil,
            localChanges: .keep)
      } catch {
        // The record was read as a list of one.
        let reason = (error as? ModelDecodingError).map { $0.outsideOfList } ?? error
        return .unreadable(
          M.typeName, identifier: identifier(number), place: "record \(number + 1) of \(records.count)", reason)
      }
    }
    return nil
  }
}

@_spi(ModelKitInternals)
extension ModelStore {
  /// Creates or updates models from the bytes of stored records, as ``models(_:from:)`` does, without building JSON
  /// trees.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - records: the bytes of one JSON object each.
  ///   - identifier: returns the identifier of the record with a number.
  /// - Throws: ``ModelStoreError`` with the code `corrupt` and the identifier of the first record that does not fit the
  ///   model, or has another identifier inside. Nothing is changed then.
  public func models<M: Model>(
    _ type: M.Type, fromBytes records: [[UInt8]], identifier: (Int) -> String
  ) throws -> [M] {
    try claimTypeName(of: type)
    scope.prepareToRead()
    if records.count == 1, scope.activity.comparesIdentifiers, let model = model(type, records[0], identifier(0)) {
      return [model]
    }
    // In a list of records, an empty one would be missing.
    if let empty = records.firstIndex(where: \.isEmpty) {
      throw ModelStoreError.unreadable(M.typeName, identifier: identifier(empty), EmptyRecord())
    }
    do {
      let comparesIdentifiers = scope.activity.comparesIdentifiers
      return try withoutActuallyEscaping(identifier) { identifiers in
        try readingRecords {
          try scope.models(
            type, fromJSON: RecordBytes.list(of: records), identifiers: comparesIdentifiers ? identifiers : nil,
            localChanges: $0)
        }
      }
    } catch {
      throw corruption(in: records, of: type, identifier: identifier)
        ?? .unreadable(M.typeName, identifier: nil, error)
    }
  }

  /// Creates or updates the model of one record; nil, with nothing changed, if it has to be read as a list.
  private func model<M: Model>(_ type: M.Type, _ record: [UInt8], _ identifier: String) -> M? {
    readingRecords { localChanges in
      record.withUnsafeBytes {
        scope.model(type, fromBytes: $0, identifier: identifier, localChanges: localChanges)
      }
    }
  }

  /// Creates or updates models from the bytes of stored records, and skips records that can't be read.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - records: the bytes of one JSON object each.
  ///   - identifier: returns the identifier of the record with a number.
  /// - Returns: a model, or nil, for each record, and the errors of the others with the numbers of their records.
  /// - Throws: ``ModelStoreError`` with the code `invalid` if models of another class are stored under the same name.
  public func readableModels<M: Model>(
    _ type: M.Type, fromBytes records: [[UInt8]], identifier: (Int) -> String
  ) throws -> (models: [M?], unreadable: [(number: Int, error: ModelStoreError)]) {
    do {
      return (try models(type, fromBytes: records, identifier: identifier), [])
    } catch let error as ModelStoreError where error.code == .corrupt {
      if records.count == 1 { return ([nil], [(0, error)]) }
    }
    var models: [M?] = []
    var unreadable: [(number: Int, error: ModelStoreError)] = []
    for number in records.indices {
      let made = try readableModels(type, fromBytes: [records[number]]) { _ in identifier(number) }
      models += made.models
      unreadable += made.unreadable.map { (number, $0.error) }
    }
    return (models, unreadable)
  }

  /// Checks that records can be read as ``models(_:fromBytes:identifier:)`` would read them, without changing models.
  ///
  /// - Parameters:
  ///   - type: the topmost class of the models.
  ///   - records: the bytes of one JSON object each, and the identifiers under which they are to be stored.
  /// - Returns: the number of the first record that is not a model of the class or has another identifier, and the
  ///   error. Nil if all can be read.
  public func firstMismatch<M: Model>(
    _ type: M.Type, in records: [(identifier: String, bytes: [UInt8])]
  ) -> (number: Int, reason: any Error)? {
    // Lenient issues are reported when the models are read.
    func makeScope() -> ModelScope {
      let scope = ModelScope(transformers: self.scope.transformers)
      scope.decodingIssueHandler = { _ in }
      return scope
    }
    func hasOnlyMatches() -> Bool {
      let list = RecordBytes.list(of: records.map(\.bytes))
      let models = try? makeScope()
        .models(type, fromJSON: list, identifiers: { records[$0].identifier }, localChanges: .keep)
      return models != nil
    }
    if hasOnlyMatches() { return nil }
    // Finds the first record that does not fit together with those before it.
    let scope = makeScope()
    var models: [M] = []
    for (number, record) in records.enumerated() {
      do {
        let list = RecordBytes.list(of: [record.bytes])
        models += try scope.models(
          type, fromJSON: list, identifiers: { _ in record.identifier }, localChanges: .keep)
      } catch {
        return (number, (error as? ModelDecodingError).map { $0.outsideOfList } ?? error)
      }
    }
    return withExtendedLifetime(models) { nil }
  }
}

private struct EmptyRecord: Error, CustomStringConvertible {
  var description: String { "its record is empty" }
}

extension ModelDecodingError {
  /// The same error, with the path relative to the element of the list.
  fileprivate var outsideOfList: ModelDecodingError {
    ModelDecodingError(path: path.dropFirst(), property: property, expected: expected, found: found, cause: cause)
  }
}
