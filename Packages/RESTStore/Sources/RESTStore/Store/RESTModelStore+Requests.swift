public import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

/// The headers, parameters and limits of the requests of one store instance, in addition to those of the dialect.
struct RESTAdditions: Sendable {
  var headers = HTTPHeaderList()
  var query: [RESTQueryItem] = []
  var payload: AttributeDictionary = [:]
  var sendsCredentials = true
  var timeout: Duration?
  var cachePolicy: HTTPRequestData.CachePolicy?
}

// Requests outside of the store protocol, and options of single calls.
extension RESTModelStore {
  /// Sends any request below the base address, with the credentials, headers, retries, limits, errors and events of the
  /// store.
  ///
  /// ```swift
  /// let answer = try await store.request(
  ///   .post, "/people/10/activate", parameters: ["force": true])
  /// let person = try answer.model(Person.self)
  /// ```
  ///
  /// The parameters of a GET, HEAD or DELETE are part of the address, and so are those beside a body. Otherwise they
  /// are the body, in the encoding of the dialect.
  ///
  /// Live queries don't receive the changes that a request causes on the server. Entity tags are not used.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - path: the path below the base address, percent-encoded and with a slash at its beginning. It may have a query.
  ///   - parameters: the parameters by name.
  ///   - body: the bytes to send; nil for none. Name their media type in the header `Content-Type`.
  ///   - headers: the headers of this request. They replace those of the store.
  /// - Returns: the answer, whose status is a success.
  /// - Throws: `ModelStoreError` with the code of the failure, as all calls of the store do. Its code is `invalid` for
  ///   a path or header that can't be sent.
  public func request(
    _ method: HTTPRequestData.Method, _ path: String, parameters: AttributeDictionary = [:], body: Data? = nil,
    headers: HTTPHeaderList = [:]
  ) async throws -> RESTResult {
    var call = try anyCall(method, path, headers)
    call.body = body
    if !parameters.isEmpty {
      if body != nil || [.get, .delete].contains(method) || method.description == "HEAD" {
        call.address.query += handle.options.parameterEncoder.items(.object(parameters))
      } else {
        call.payload = .object(parameters)
      }
    }
    return try await result(of: call)
  }

  /// Returns any other request.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` for a path that can't be sent, or that leaves the base
  ///   address.
  func anyCall(_ method: HTTPRequestData.Method, _ path: String, _ headers: HTTPHeaderList) throws -> RESTCall {
    guard path.hasPrefix("/"), !path.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "#") })
    else {
      throw ModelStoreError(
        .invalid,
        """
        Nothing was sent: the path \(Self.shown(path)) must begin with a slash, and be percent-encoded without \
        fragment.
        """)
    }
    // They could leave the base address.
    guard !PathComponent.hasDots(String(path.prefix { $0 != "?" })) else {
      throw ModelStoreError(
        .invalid, "Nothing was sent: the path \(Self.shown(path)) has a component \".\" or \"..\".")
    }
    var call = RESTCall(method, path, self)
    call.ignoresPayload = true
    call.headers.replace(with: headers)
    return call
  }

  /// Returns a path for a message, without query and secrets.
  static func shown(_ path: String) -> String {
    RecordingRedaction().redacted(text: String(path.prefix { $0 != "?" && $0 != "#" })).quotedForMessage
  }

  /// Sends any other request.
  func result(of call: RESTCall) async throws -> RESTResult {
    var call = call
    if let header = handle.options.idempotencyKeyHeader, [.post, .patch].contains(call.method) {
      call.setIdempotencyKey(call.headers[header], by: handle.options)
    }
    let read = OpenRead(scope.pendingReads)
    return try await handle.run(
      call,
      whenAnswered: { response in
        // The answer may be about a model whose creation is not finished here.
        if response.isSuccessful, !RESTCall.isSendingCreation { try await scope.creations.waitForAll() }
      }
    ) { _, response in
      RESTResult(response, to: call, read, in: self)
    }
  }

  /// Returns an instance of this store whose requests have further headers, parameters, or limits.
  ///
  /// ```swift
  /// let person = try await store.with(timeout: .seconds(5)).lookup(
  ///   Person.self, identifier: "10")
  /// ```
  ///
  /// The instance shares the scope of this one, and so its models. It belongs to the same isolation.
  ///
  /// - Parameters:
  ///   - headers: the headers of every request. They replace those of the dialect.
  ///   - parameters: the parameters by name, which are added to every address but the server's links to next pages. They
  ///     can limit the fields of answers: `["fields": ["people": "name,age"]]` for JSON:API.
  ///   - payload: values that are added to the record of every create and update. They replace those of the same key.
  ///   - timeout: the time limit of one request; nil for that of this instance.
  ///   - cachePolicy: whether a cache of the transport may answer; nil for the policy of this instance.
  ///   - sendsCredentials: whether requests have the credentials of the ``RESTAuthentication`` and of the base address.
  ///     These are its name, its password, and items of its query with secret names. Without them no session is
  ///     restored, and 401 is final. Nil for the choice of this instance.
  /// - Complexity: O(1).
  public func with(
    headers: HTTPHeaderList = [:], parameters: AttributeDictionary = [:], payload: AttributeDictionary = [:],
    timeout: Duration? = nil, cachePolicy: HTTPRequestData.CachePolicy? = nil, sendsCredentials: Bool? = nil
  ) -> RESTModelStore {
    let store = RESTModelStore(handle, scope, tags, saveTurns)
    store.conflictPolicy = conflictPolicy
    store.additions = additions
    store.additions.headers.replace(with: headers)
    store.additions.query += handle.options.parameterEncoder.items(.object(parameters))
    store.additions.payload.merge(payload) { $1 }
    store.additions.sendsCredentials = sendsCredentials ?? additions.sendsCredentials
    store.additions.timeout = timeout ?? additions.timeout
    store.additions.cachePolicy = cachePolicy ?? additions.cachePolicy
    return store
  }
}
