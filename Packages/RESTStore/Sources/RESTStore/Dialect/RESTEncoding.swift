public import Foundation
public import StoreProtocol

/// How the payload of a request is written: as JSON, as a form, in the address, or in a way of your own.
///
/// ```swift
/// func encoding(for method: HTTPRequestData.Method) -> RESTEncoding { method == .post ? .form() : .json }
/// ```
public struct RESTEncoding: Sendable {
  /// What becomes of a payload.
  public struct Output: Sendable {
    /// The body; nil for none.
    public var body: Data?
    /// What the body is; nil for none.
    public var contentType: String?
    /// What is added to the address.
    public var query: [RESTQueryItem]

    /// Creates what becomes of a payload.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - contentType: what the body is.
    ///   - query: what is added to the address.
    public init(body: Data? = nil, contentType: String? = nil, query: [RESTQueryItem] = []) {
      self.body = body
      self.contentType = contentType
      self.query = query
    }
  }

  private let write: @Sendable (JSONValue) throws -> Output

  /// Creates an encoding of your own.
  ///
  /// - Parameter write: makes body or query of a payload. What it throws ends the call; nothing is sent then.
  public init(_ write: @escaping @Sendable (JSONValue) throws -> Output) { self.write = write }

  /// Writes a payload.
  public func encode(_ payload: JSONValue) throws -> Output { try write(payload) }

  /// JSON with sorted keys.
  public static let json = RESTEncoding(contentType: "application/json")

  /// JSON with sorted keys, under another name.
  public init(contentType: String) {
    self.init { Output(body: try $0.jsonData(JSONWritingOptions(sortedKeys: true)), contentType: contentType) }
  }

  /// A form as browsers send it, with nested names such as `people[0][name]=Ada`.
  public static func form(_ encoder: ParameterEncoder = ParameterEncoder(includesNull: true)) -> RESTEncoding {
    RESTEncoding { payload in
      Output(
        body: Data(encoder.encode(payload).utf8), contentType: "application/x-www-form-urlencoded; charset=utf-8")
    }
  }

  /// The payload in the address, with nested names; there is no body.
  public static func query(_ encoder: ParameterEncoder = ParameterEncoder()) -> RESTEncoding {
    RESTEncoding { Output(query: encoder.items($0)) }
  }
}
