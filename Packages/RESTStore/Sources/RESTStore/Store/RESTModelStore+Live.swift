@_spi(ModelKitInternals) public import StoreProtocol

/// Live queries receive the writes of all instances of one engine, but no changes by others on the server. A write to
/// the type of a query, or to a type that its condition reads, makes the query fetch its results again with one
/// request.
extension RESTModelStore: LiveModelStore {
  /// The feed of the writes of all store instances.
  public var changeFeed: StoreChangeFeed { handle.changeFeed }

  /// Publishes a save. The record has the known values: those that were sent, and those of the server's answer.
  func tell<M: Model>(_ kind: RecordChange.Kind, _ save: SaveOperation<M>, answer: AttributeDictionary?) {
    guard changeFeed.isObserved, let identifier = save.model.identifier else { return }
    let sent = save.record
    var record = sent.merging(answer ?? [:]) { _, answered in answered }
    M.prototype().storedValue(ofIdentifier: identifier, in: scope.transformers)?.write(to: &record)
    let bytes = try? JSONValue.object(record).jsonData(JSONWritingOptions(sortedKeys: true))
    changeFeed.publish([
      RecordChange(
        kind, save.typeName, identifier, after: bytes.map { Array($0) }, keys: kind == .updated ? Array(sent.keys) : nil
      )
    ])
  }

  /// Publishes a deletion.
  func tellDeletion(of record: PendingDeletion.Record) {
    changeFeed.publish([RecordChange(.deleted, record.typeName, record.identifier)])
  }
}
