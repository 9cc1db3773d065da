import FieldKit
public import Foundation
import StoreEngine
public import StoreProtocol

/// A choice about the records of one type.
///
/// ```swift
/// store.policy(
///   Book.self, .refresh(after: .seconds(60)), .keep(where: { $0.year > 2000 }),
///   .changes(by: \.updatedAt))
/// ```
public struct SyncPolicy<M: Model> {
  enum Kind {
    case refresh(Duration)
    case keep((ModelColumns<M>) -> QueryExpression)
    case changes(IncrementalReading<M>)
  }

  let kind: Kind

  /// Reads the server's records again, in the background, once the last reading is this long ago.
  public static func refresh(after interval: Duration) -> SyncPolicy { SyncPolicy(kind: .refresh(interval)) }

  /// Keeps only matching records locally, and records with local changes.
  public static func keep(where condition: @escaping (ModelColumns<M>) -> QueryExpression) -> SyncPolicy {
    SyncPolicy(kind: .keep(condition))
  }

  /// Reads only the records that changed since the last reading, by a field that the server sets with each change.
  ///
  /// If the server rejects or ignores the condition or the order by this field, all records are compared each time.
  /// A record that is deleted on the server is noticed when all records are compared. A server that keeps deleted
  /// records with a mark can be followed at once: `.keep(where: { $0.isDeleted != true })`.
  ///
  /// - Parameters:
  ///   - field: the time of the last change of a record, by the clock of the server.
  ///   - overlap: the time before the last change that is read again, since a change may become visible later than its
  ///     time.
  ///   - interval: the time after which all records are compared.
  public static func changes(
    by field: KeyPath<M, Field<Date>>, overlap: Duration = .seconds(60),
    comparingAllAfter interval: Duration = .seconds(86_400)
  ) -> SyncPolicy {
    SyncPolicy(
      kind: .changes(
        IncrementalReading(
          field: field, overlap: Double(overlap.milliseconds) / 1_000, interval: interval.milliseconds)))
  }
}

/// The choices about a type, without its class.
struct TypePolicy {
  /// The milliseconds after which its records are read again; nil for the default.
  var refreshInterval: Int?
  /// The condition of the records that are kept; nil for all.
  var kept: QueryExpression?
  /// An ``IncrementalReading`` of the class; nil if all records are compared each time.
  var incremental: AnyObject?
}

/// The reading of records that changed since the last one.
final class IncrementalReading<M: Model> {
  private let field: KeyPath<M, Field<Date>>
  private let overlap: Double
  /// The milliseconds after which all records are compared.
  let interval: Int

  init(field: KeyPath<M, Field<Date>>, overlap: Double, interval: Int) {
    (self.field, self.overlap, self.interval) = (field, overlap, interval)
  }

  /// Returns the query for the records that changed since a time, the oldest change first.
  func query(since time: Date) -> ModelQuery<M> {
    query(from: time.addingTimeInterval(PlantedFault.isPlanted(.pullsWithoutOverlap) ? 1 : -overlap))
  }

  /// Returns the query for the records that changed at a time or later, the oldest change first.
  func query(from time: Date) -> ModelQuery<M> {
    ModelQuery(M.self, where: { [field] in $0[dynamicMember: field] >= time }, sort: [.ascending(field)])
  }

  /// Returns the time of the last change of a model.
  func time(of model: M) -> Date? { model[keyPath: field].value }
}

/// The high-water mark of the records of a type that were read, as a record of the local engine.
struct PullMark: Equatable {
  /// The name of the type of the records that hold marks.
  static let recordType = "sync.mark"

  /// The time of the last change that was read.
  var time: Date
  /// The time when all records were compared last, in milliseconds since 1970.
  var compared: Int

  /// Reads the mark of a type; nil if there is none.
  static func read(_ type: String, in engine: some RecordEngine) async throws -> PullMark? {
    guard let bytes = try await engine.read(recordType, type)?.bytes,
      let members = (try? JSONValue(json: bytes))?.objectValue,
      let time = members["time"]?.doubleValue, let compared = members["compared"]?.intValue
    else { return nil }
    return PullMark(time: Date(timeIntervalSinceReferenceDate: time), compared: compared)
  }

  /// Stores the mark of a type.
  func write(_ type: String, in engine: some RecordEngine) async throws {
    let bytes = try StoredLane.bytes([
      "time": .double(time.timeIntervalSinceReferenceDate), "compared": .int(compared),
    ])
    let isKnown = try await engine.read(Self.recordType, type) != nil
    try await engine.commit(
      RecordBatch([isKnown ? .update(Self.recordType, type, bytes) : .create(Self.recordType, type, bytes)]))
  }
}

/// A type of which records were read from the server, as a record of the local engine.
enum PulledType {
  /// The name of the type of these records.
  static let recordType = "sync.type"

  /// Records a type.
  static func note(_ type: String, in engine: some RecordEngine) async throws {
    if try await engine.read(recordType, type) != nil { return }
    try await engine.commit(RecordBatch([.create(recordType, type, Array("{}".utf8))]))
  }
}
