@_spi(ModelKitInternals) import StoreProtocol

// Between records and what goes over the wire.
extension RESTModelStore {
  /// What a save sends, as the API calls it.
  func payload<M: Model>(_ save: PendingSave<M>) throws -> JSONValue {
    do {
      return try handle.dialect.serialize(save.record, of: type(of: save.model))
    } catch let error as ModelStoreError {
      throw error
    } catch {
      throw ModelStoreError(
        .invalid, "This \(save.typeName) was not written: the dialect refuses it: \(error)",
        identifier: save.identifier,
        cause: error)
    }
  }

  /// The one record of an answer; nil if the answer has none.
  func record<M: Model>(in answer: RESTResponse, of type: M.Type) throws -> AttributeDictionary? {
    guard let payload = answer.payload, !payload.isNull else { return nil }
    return try handle.dialect.deserialize(payload, of: type)
  }

  /// The records of an answer that has to be a list.
  func records<M: Model>(in answer: RESTResponse, of type: M.Type) throws -> [AttributeDictionary] {
    guard case .array(let elements)? = answer.payload else {
      let found = answer.payload?.typeDescription ?? "nothing"
      throw ModelDecodingError(path: FieldPath(), expected: "a list", found: found)
    }
    return try elements.enumerated().map { index, element in
      do {
        return try handle.dialect.deserialize(element, of: type)
      } catch let error as ModelDecodingError {
        throw error.inside(FieldPath([.index(index)]))
      }
    }
  }

  /// The identifier that a record gives to its model; nil if it has none.
  ///
  /// The record is read into a model of its own first, which also proves that it fits: only then does it touch live ones.
  ///
  /// - Throws: `ModelDecodingError` if the record does not fit.
  func identifier<M: Model>(in record: AttributeDictionary, of type: M.Type) throws -> String? {
    func identifier<Exact: Model>(_ exact: Exact.Type) throws -> String? {
      try exact.from(dictionaryValue: record, in: ModelScope(transformers: scope.transformers)).identifier
    }
    // The class may be derived from `M`, and have other fields.
    let exact: any Model.Type = type
    return try identifier(exact)
  }

  /// Refuses an answer about another model: read all the same, it would give a model the identity of another.
  func check(_ found: String?, is expected: String?) throws {
    guard let found, let expected, found != expected else { return }
    throw ModelStoreError(.server, "the answer is about \"\(found)\", not \"\(expected)\"")
  }

  /// An error of reading a list, with the place of the element it is about.
  func placed<M: Model>(_ error: any Error, in records: [AttributeDictionary], of type: M.Type) -> any Error {
    for (index, record) in records.enumerated() {
      do {
        _ = try M.from(dictionaryValue: record, in: ModelScope(transformers: scope.transformers))
      } catch let error as ModelDecodingError {
        return error.inside(FieldPath([.index(index)]))
      } catch {
        return error
      }
    }
    return error
  }
}
