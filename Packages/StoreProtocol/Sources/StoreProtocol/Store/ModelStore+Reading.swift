import Foundation
@_spi(ModelKitInternals) import ModelCore

extension ModelStore {
  /// Makes models from stored records: live objects where there are, updated but for their local changes, which only
  /// ``refresh(_:)`` overwrites. For those who write stores.
  ///
  /// - Throws: ``ModelStoreError`` with the code `corrupt` if a record does not fit the model, `invalid` if models of another
  ///   class are stored under the same name; nothing is changed then.
  public func models<M: Model>(_ type: M.Type, from records: [AttributeDictionary]) throws -> [M] {
    try claimTypeName(of: type)
    do {
      return try scope.models(type, from: records, keepsLocalChanges: !Refreshing.isUnderWay)
    } catch {
      let bytes = records.map { Array((try? JSONValue.object($0).jsonData()) ?? Data()) }
      throw corruption(in: bytes, of: type) { _ in nil } ?? .unreadable(M.typeName, identifier: nil, error)
    }
  }

  /// Makes models from the bytes of stored records, as ``models(_:from:)`` does, without trees on the way.
  ///
  /// - Parameters:
  ///   - type: the class of the models.
  ///   - records: the bytes of one JSON object each.
  ///   - identifier: the identifier of the record of a number.
  /// - Throws: ``ModelStoreError`` with the code `corrupt` and the identifier of the first record that does not fit the
  ///   model; nothing is changed then.
  @_spi(ModelKitInternals)
  public func models<M: Model>(
    _ type: M.Type, fromBytes records: [[UInt8]], identifier: (Int) -> String
  ) throws -> [M] {
    try claimTypeName(of: type)
    do {
      return try scope.models(
        type, fromJSON: RecordBytes.list(of: records), keepsLocalChanges: !Refreshing.isUnderWay)
    } catch {
      throw corruption(in: records, of: type, identifier: identifier)
        ?? .unreadable(M.typeName, identifier: nil, error)
    }
  }

  private func claimTypeName<M: Model>(of type: M.Type) throws {
    if let conflict = scope.claimTypeName(of: type) { throw ModelStoreError(.invalid, conflict) }
  }

  /// The error of the first record that can't be read by itself.
  private func corruption<M: Model>(
    in records: [[UInt8]], of type: M.Type, identifier: (Int) -> String?
  ) -> ModelStoreError? {
    for (number, record) in records.enumerated() {
      do {
        // Nothing is to be changed: a scope of its own has no models that could be.
        _ = try ModelScope(transformers: scope.transformers)
          .models(type, fromJSON: RecordBytes.list(of: [record]), keepsLocalChanges: true)
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

extension ModelDecodingError {
  /// The same error, seen from the element of the list that it is about.
  fileprivate var outsideOfList: ModelDecodingError {
    ModelDecodingError(path: path.dropFirst(), expected: expected, found: found, cause: cause)
  }
}
