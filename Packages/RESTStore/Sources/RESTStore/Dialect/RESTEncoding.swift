public import Foundation
public import StoreProtocol

/// The encoding of a request's payload: as JSON, as a form, in the address, or your own.
///
/// ```swift
/// func encoding(for method: HTTPRequestData.Method) -> RESTEncoding {
///   method == .post ? .form() : .json
/// }
/// ```
public struct RESTEncoding: Sendable {
  /// An encoded payload: a body, items of the address, or both.
  public struct Output: Sendable {
    /// The body; nil for none.
    public var body: Data?
    /// The media type of the body; nil for none.
    public var contentType: String?
    /// The items added to the address.
    public var query: [RESTQueryItem]

    /// Creates an encoded payload.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - contentType: the media type of the body.
    ///   - query: the items added to the address.
    public init(body: Data? = nil, contentType: String? = nil, query: [RESTQueryItem] = []) {
      self.body = body
      self.contentType = contentType
      self.query = query
    }
  }

  private let write: @Sendable (JSONValue) throws -> Output

  /// Creates your own encoding.
  ///
  /// - Parameter write: encodes a payload. If it throws, the call fails and nothing is sent.
  public init(_ write: @escaping @Sendable (JSONValue) throws -> Output) { self.write = write }

  /// Encodes a payload.
  public func encode(_ payload: JSONValue) throws -> Output { try write(payload) }

  /// JSON with sorted keys.
  public static let json = RESTEncoding(contentType: "application/json")

  /// Creates an encoding as JSON with sorted keys, under another media type.
  public init(contentType: String) {
    self.init { Output(body: try $0.jsonData(JSONWritingOptions(sortedKeys: true)), contentType: contentType) }
  }

  /// Returns the encoding as a form of a browser, with nested names such as `people[0][name]=Ada`.
  public static func form(_ encoder: ParameterEncoder = ParameterEncoder(includesNull: true)) -> RESTEncoding {
    RESTEncoding { payload in
      Output(
        body: Data(encoder.encode(payload).utf8), contentType: "application/x-www-form-urlencoded; charset=utf-8")
    }
  }

  /// Returns the encoding in the address, with nested names and without a body.
  public static func query(_ encoder: ParameterEncoder = ParameterEncoder()) -> RESTEncoding {
    RESTEncoding { Output(query: encoder.items($0)) }
  }
}
