public import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

/// The successful answer to a request of ``RESTModelStore/request(_:_:parameters:body:headers:)``.
///
/// ```swift
/// let people = try await store.request(.get, "/people/active").models(Person.self)
/// ```
///
/// - Note: It belongs to its store instance, and lives in its isolation.
public struct RESTResult {
  /// The answer with its status, headers and body.
  public let response: HTTPResponseData

  private let call: RESTCall
  private let read: OpenRead
  private let store: RESTModelStore

  init(_ response: HTTPResponseData, to call: RESTCall, _ read: OpenRead, in store: RESTModelStore) {
    self.response = response
    self.call = call
    self.read = read
    self.store = store
  }

  /// The status, such as 200.
  public var status: Int { response.status }
  /// The header fields.
  public var headers: HTTPHeaderList { response.headers }
  /// The whole body; empty if there is none.
  public var body: Data { response.body }

  /// The body as JSON.
  ///
  /// - Throws: `ModelStoreError` with the code `server` if it is not JSON.
  /// - Complexity: O(*n*) in the length of the body. It is read each time.
  public var json: JSONValue {
    get throws { try reading { try JSONValue(json: response.body) } }
  }

  /// Decodes the body as a value other than a model.
  ///
  /// - Parameters:
  ///   - type: the type of the value.
  ///   - decoder: the decoder.
  /// - Throws: `ModelStoreError` with the code `server` if the body does not fit.
  public func decoded<Value: Decodable>(
    as type: Value.Type, with decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try reading { try decoder.decode(type, from: response.body) }
  }

  /// Reads the record of the answer into its live model, as the dialect reads the answer to a lookup.
  ///
  /// Fields with local changes keep their values, and a model that was saved since the request was sent stays
  /// unchanged.
  ///
  /// - Parameter type: the class of the model.
  /// - Throws: `ModelStoreError` with the code `server` if there is no record, or it does not fit. With the code
  ///   `notFound` if the record was deleted since the request was sent.
  public func model<M: Model>(_ type: M.Type) throws -> M {
    try reading {
      guard let record = try store.record(in: dialectAnswer(.lookup, type), of: type) else {
        throw ModelStoreError(.server, "the response has no body, where a model was expected")
      }
      let models: [M] = try store.models(of: [record], readSince: read.start)
      guard let model = models.first else {
        throw ModelStoreError.notFound(M.typeName, identifier: try store.identifier(in: record, of: type) ?? "")
      }
      return model
    }
  }

  /// Reads the records of the answer into their live models, atomically, as the dialect reads the answer to a list.
  ///
  /// Fields with local changes keep their values. Models that were saved since the request was sent are unchanged.
  ///
  /// - Parameter type: the class of the models.
  /// - Throws: `ModelStoreError` with the code `server` if there is no list, or a record can't be read.
  public func models<M: Model>(_ type: M.Type) throws -> [M] {
    try reading {
      let records = try store.records(in: dialectAnswer(.list, type), of: type)
      do {
        return try store.models(of: records, readSince: read.start)
      } catch {
        throw store.placed(error, in: records, of: type)
      }
    }
  }

  /// Reads the records of an answer of changes into their live models, as ``models(_:)`` does.
  func changePage<M: Model>(of type: M.Type) throws -> ModelChangePage<M> {
    let json = try self.json
    return try reading {
      guard case .array(let updated)? = json["updated"], let position = json["position"]?.stringValue else {
        throw ModelDecodingError(path: FieldPath(), expected: "changes", found: json.typeDescription)
      }
      let records = try updated.map { try store.deserialized($0, of: type) }
      let gone = try ["deleted", "left"].flatMap { key in
        // A server without conditions on changes has no list of records that "left".
        let list = json[key] ?? (key == "left" ? [] : .null)
        guard case .array(let identifiers) = list else {
          throw ModelDecodingError(
            path: FieldPath([.key(key)]), expected: "a list of identifiers", found: list.typeDescription)
        }
        return try identifiers.enumerated().map { index, identifier in
          if let text = identifier.stringValue { return text }
          if case .int(let number) = identifier { return String(number) }
          throw ModelDecodingError(
            path: FieldPath([.key(key), .index(index)]), expected: "an identifier", found: identifier.typeDescription)
        }
      }
      return ModelChangePage(
        updated: try store.models(of: records, readSince: read.start), deleted: gone,
        position: position, hasMore: json["hasMore"]?.boolValue ?? false, isReset: json["reset"]?.boolValue ?? false)
    }
  }

  /// Returns the answer as the dialect reads that of a call.
  private func dialectAnswer<M: Model>(_ kind: RESTOperation.Kind, _ type: M.Type) throws -> RESTResponse {
    let names = store.names(of: type)
    let path = (try? store.handle.router.pathOfCollection(type)) ?? call.operation.path
    let answer = try store.handle.dialect.constructResponse(
      response,
      to: RESTOperation(
        kind, typeName: names.typeName, collectionPath: path, path: call.operation.path,
        identifierKey: names.identifierKey))
    if let error = answer.error { throw error }
    return answer
  }

  /// Runs a body, and adds the request to its error.
  private func reading<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw store.handle.explained(error, call, isAccepted: true)
    }
  }
}

/// A read of a scope from the request until the answer is released.
final class OpenRead {
  private let reads: PendingReads
  let start: PendingReads.Moment

  init(_ reads: PendingReads) {
    self.reads = reads
    start = reads.begin()
  }

  deinit { reads.end() }
}
