import Foundation
import StoreProtocol

/// One request of a store, before it has an address: what is asked of which model.
struct RESTCall {
  let method: HTTPRequestData.Method
  /// The path below the base address, percent-encoded, beginning with a slash.
  let path: String
  var query: [(name: String, value: String)] = []
  /// What is sent along, in the shape the API wants.
  var payload: JSONValue?
  /// What the model in question is called.
  let typeName: String
  /// Its identifier, if it has one.
  var identifier: String?
  /// Whether an answer that is not JSON will do, because nothing is read from it.
  var ignoresPayload = false

  /// The address below a base address, whose own path and query are kept.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid` if the base address is not that of a server.
  func url(below base: URL) throws -> URL {
    guard var components = URLComponents(url: base, resolvingAgainstBaseURL: true),
      components.scheme?.isEmpty == false, components.host?.isEmpty == false
    else {
      throw ModelStoreError(
        .invalid, "the base address \"\(base.absoluteString)\" names no server; it should begin like https://host/")
    }
    components.percentEncodedPath = Self.path(path, below: components.percentEncodedPath)
    let items = query.map { PathComponent.percentEncoded($0.name) + "=" + PathComponent.percentEncoded($0.value) }
    let all = [components.percentEncodedQuery].compactMap { $0 }.filter { !$0.isEmpty } + items
    components.percentEncodedQuery = all.isEmpty ? nil : all.joined(separator: "&")
    components.fragment = nil
    guard let url = components.url else {
      throw ModelStoreError(.invalid, "the address below \"\(base.absoluteString)\" can't be made")
    }
    return url
  }

  private static func path(_ path: String, below base: String) -> String {
    var base = base[...]
    while base.hasSuffix("/") { base = base.dropLast() }
    return base + path
  }

  /// An error as the caller of the store should see it: what became of the model, and which request it was.
  ///
  /// - Parameters:
  ///   - error: what happened.
  ///   - isAccepted: whether the server said before that it carried the request out.
  ///   - path: the path of the request, with that of the base address.
  func explained(_ error: any Error, isAccepted: Bool, path: String) -> ModelStoreError {
    var explained: ModelStoreError
    switch error {
    case let error as ModelStoreError: explained = error
    case let error as JSONSyntaxError:
      explained = ModelStoreError(.server, "the answer is not JSON: \(error)", cause: error)
    case let error as ModelDecodingError:
      explained = ModelStoreError(.server, "the answer does not fit the model: \(error)", cause: error)
    case is CancellationError: explained = ModelStoreError(transportError: error)
    default: explained = ModelStoreError(.server, "the answer can't be used: \(error)", cause: error)
    }
    let lead = lead(for: explained, isAccepted: isAccepted)
    explained.message = "\(lead)\(method) \(path): \(explained.message)"
    if explained.identifier == nil { explained.identifier = identifier }
    return explained
  }

  /// A sentence on what became of the model.
  private func lead(for error: ModelStoreError, isAccepted: Bool) -> String {
    if error.code == .notFound, let identifier {
      return ModelStoreError.notFound(typeName, identifier: identifier).message + " "
    }
    if method == .get { return "" }
    let done = method == .delete ? "deleted" : "written"
    if isAccepted {
      return
        "The server says that this \(typeName) was \(done), but its answer is of no use; the model here is as before. "
    }
    switch error.code {
    case .invalid, .conflict, .unauthorized, .notFound, .unsupported, .full: return "This \(typeName) was not \(done). "
    default: return "It is not certain whether this \(typeName) was \(done). "
    }
  }
}
