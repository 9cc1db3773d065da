@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import StoreEngine
@_spi(ModelKitInternals) import StoreProtocol

extension SyncExchange {
  /// The milliseconds after which all records are compared, although the server has a change log. The server may have
  /// been restored from a backup, or written without its log.
  private static var comparisonInterval: Int { 86_400_000 }

  /// Reads the changes since the last exchange from the change log of the server.
  ///
  /// - Returns: false if the server has none.
  func pullLog<M: Model>(_ type: M.Type) async throws -> Bool {
    let name = M.typeName
    var known = try await locally { try await PullPosition.read(name, in: engine.local) }
    let age = known.map { environment.now() - $0.compared }
    if let age, comparesAll || !(0..<Self.comparisonInterval).contains(age) { known = nil }
    let kept = store.query(type)
    var positions = Set([known?.position].compactMap { $0 })
    for _ in 0..<RemoteRecords.maximumPages {
      let began = environment.now()
      var isTestable = true
      let page = try await remote.changes(type, after: known?.position) { deleted in
        try await cutReferences(to: try await remove(name, deleted))
      } _: { model, record in
        if let isKept = try kept.testableMatch(model) { record.isKept = isKept } else { isTestable = false }
      } _: { records in
        try await take(type, records)
      }
      // Only the server can evaluate the condition.
      guard let page, isTestable else { return false }
      if page.isReset { try await pullAll(type) }
      let next = PullPosition(
        position: page.position, compared: page.isReset ? began : known?.compared ?? began)
      if try await takeRejected(type), next != known {
        try await locally { try await next.write(name, in: engine.local) }
      }
      if page.isReset || !page.hasMore { return true }
      guard positions.insert(page.position).inserted else {
        throw ModelStoreError(
          .server,
          """
          The change log of \(name) has more changes after the position \(page.position.quotedForMessage), but returns an earlier position. \
          The changes read so far are kept.
          """)
      }
      known = next
    }
    throw RemoteRecords.endless("The change log of \(name)")
  }
}

/// The position in the server's change log up to which the changes of a type were read, as a record of the local
/// engine.
struct PullPosition: Equatable {
  /// The name of the type of the records that hold positions.
  static let recordType = "sync.position"

  var position: String
  /// The time when all records were compared last, in milliseconds since 1970.
  var compared: Int

  /// Reads the position of a type; nil if there is none.
  static func read(_ type: String, in engine: some RecordEngine) async throws -> PullPosition? {
    guard let bytes = try await engine.read(recordType, type)?.bytes,
      let members = (try? JSONValue(json: bytes))?.objectValue,
      let position = members["position"]?.stringValue, let compared = members["compared"]?.intValue
    else { return nil }
    return PullPosition(position: position, compared: compared)
  }

  /// Stores the position of a type.
  func write(_ type: String, in engine: some RecordEngine) async throws {
    let bytes = try StoredLane.bytes(["position": .string(position), "compared": .int(compared)])
    let isKnown = try await engine.read(Self.recordType, type) != nil
    try await engine.commit(
      RecordBatch([isKnown ? .update(Self.recordType, type, bytes) : .create(Self.recordType, type, bytes)]))
  }
}
