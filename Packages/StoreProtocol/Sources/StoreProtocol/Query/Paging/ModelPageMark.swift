@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) public import ModelCore

/// A mark of the end of a page. Pass it to `page(_:after:)` of the same store to get the next page.
///
/// ```swift
/// var mark: ModelPageMark?
/// repeat {
///   let page = try await store.page(query, after: mark)
///   show(page.models)
///   mark = page.next
/// } while mark != nil
/// ```
///
/// A mark is a value that can be stored, and sent to another process. It contains the sort values of the last record.
/// It is neither encrypted nor signed.
public struct ModelPageMark: Hashable, Sendable {
  private let type: String
  /// A digest of the condition, the order and the offset.
  private let query: Int
  private let position: JSONValue

  /// Creates a mark. For implementations of stores.
  ///
  /// - Parameters:
  ///   - position: the end of the page, in a form that only the store reads.
  ///   - query: the query of the page.
  /// - Throws: ``ModelStoreError`` with the code `invalid` if the query can't be written as JSON.
  public init<M: Model>(_ position: JSONValue, in query: ModelQuery<M>) throws {
    type = M.typeName
    self.query = try query.digest
    self.position = position
  }

  /// Returns the position with which a store created the mark. For implementations of stores.
  ///
  /// - Throws: ``ModelStoreError`` with the code `invalid` if the mark is of a query with another type, condition,
  ///   order or offset. The limit can differ.
  public func position<M: Model>(in query: ModelQuery<M>) throws -> JSONValue {
    guard type == M.typeName, try self.query == query.digest else {
      throw ModelStoreError(
        .invalid,
        """
        The page of \(M.displayName) was not read: its mark is of a query for \(type.nameForMessage) with another condition \
        or order. Nothing is changed; begin with the first page.
        """)
    }
    return position
  }
}

extension ModelPageMark: Codable {
  private enum Key: String, CodingKey { case type, query, position }

  /// Reads a mark.
  ///
  /// - Throws: Errors of the decoder, and `DecodingError` if the position is not JSON.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    type = try container.decode(String.self, forKey: .type)
    query = try container.decode(Int.self, forKey: .query)
    let text = try container.decode(String.self, forKey: .position)
    do {
      position = try JSONValue(json: text)
    } catch {
      throw DecodingError.dataCorruptedError(
        forKey: .position, in: container, debugDescription: "The position is not JSON: \(error)")
    }
  }

  /// Writes the mark.
  ///
  /// - Throws: Errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(type, forKey: .type)
    try container.encode(query, forKey: .query)
    // As text, because encoders don't write the digits of every number, and decoders don't read them.
    try container.encode(position.jsonString(JSONWritingOptions(sortedKeys: true)), forKey: .position)
  }
}

extension ModelPageMark: CustomStringConvertible {
  /// The type of the models. The values of the record are left out.
  public var description: String { "a mark in \(type)" }
}

@_spi(ModelKitInternals)
extension ModelPageMark {
  /// Returns the error for a mark whose position the store can't read.
  public static func unreadable<M: Model>(_ type: M.Type) -> ModelStoreError {
    ModelStoreError(
      .invalid,
      "The page of \(M.displayName) was not read: its mark is of another store. Nothing is changed; begin with the first page."
    )
  }
}

extension ModelQuery {
  /// A digest that is the same for queries with the same condition, order and offset.
  ///
  /// - Complexity: O(*n*) in the size of the condition.
  fileprivate var digest: Int {
    get throws {
      if filter == nil, sort.isEmpty, offset == 0 { return 0 }
      var query = self
      query.limit = nil
      let bytes = Array(try query.json.jsonData(JSONWritingOptions(sortedKeys: true)))
      return Int(truncatingIfNeeded: bytes.digest)
    }
  }
}

extension [UInt8] {
  /// The FNV-1a hash of the bytes, which is the same in every process.
  @_spi(ModelKitInternals)
  public var digest: UInt64 { reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}
