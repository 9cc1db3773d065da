import Foundation
import StoreEngine
import StoreProtocol

/// A change of one record in a log.
struct LoggedChange {
  /// The type of the records of the log. Their identifiers are positions.
  static let recordType = "RESTServiceChange"
  /// The type of the record that each commit writes if positions in an engine don't have the order of the commits.
  static let headType = "RESTServiceChangeHead"
  /// The number of commits after which expired changes are removed.
  static let commitsPerTrim = 1_000

  /// A record before a change.
  enum Before {
    /// There was none.
    case nothing
    /// It could not be read, so it may have had any values.
    case unknown
    /// Its values.
    case values(AttributeDictionary)
  }

  /// The type of the record; empty for a mark, which is not a change.
  let type: String
  let identifier: String
  /// The record before the change.
  let before: Before
  /// The time of the change, which only its retention depends on.
  let date: Date

  /// The types of the records that belong to the service.
  private static let internalTypes: Set<String> = [recordType, headType, RecordedAnswer.typeName]

  /// Returns whether records of a type belong to the service, so that clients don't follow them.
  static func isInternal(_ type: String) -> Bool { internalTypes.contains(type) }

  init(_ operation: RecordOperation, before: Before, at date: Date) {
    self.init(operation.type, operation.identifier, before, date)
  }

  private init(_ type: String, _ identifier: String, _ before: Before, _ date: Date) {
    (self.type, self.identifier, self.before, self.date) = (type, identifier, before, date)
  }

  /// Returns an entry without a change, for a position in an empty log.
  static func mark(at date: Date) -> LoggedChange { LoggedChange("", "", .nothing, date) }

  // MARK: Records

  /// Reads an entry; nil if the bytes are not those of one.
  init?(bytes: [UInt8]) {
    guard let members = (try? JSONValue(json: bytes))?.objectValue, let type = members["type"]?.stringValue,
      let identifier = members["id"]?.stringValue, let seconds = members["at"]?.doubleValue
    else { return nil }
    let before: Before = members["before"].map { $0.objectValue.map { .values($0) } ?? .unknown } ?? .nothing
    self.init(type, identifier, before, Date(timeIntervalSince1970: seconds))
  }

  /// Returns the operation that adds the entry to the log.
  ///
  /// - Throws: `JSONWritingError` if a value can't be written.
  func creation() throws -> RecordOperation {
    var members: AttributeDictionary = [
      "type": .string(type), "id": .string(identifier), "at": .double(date.timeIntervalSince1970),
    ]
    switch before {
    case .nothing: break
    case .unknown: members["before"] = .some(.null)
    case .values(let values): members["before"] = .object(values)
    }
    let bytes = Array(try JSONValue.object(members).jsonData(.init(sortedKeys: true)))
    return .create(Self.recordType, UUID().uuidString, bytes)
  }
}
