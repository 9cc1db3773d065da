@_spi(ModelKitInternals) public import StoreProtocol

/// What the fronts of one engine write is told; what others do on the server is not. A live query is asked of the server
/// anew, with one request, when such a write is about its type or a type at which its condition looks.
extension RESTModelStore: LiveModelStore {
  /// Where writes of all fronts are told.
  public var changeFeed: StoreChangeFeed { handle.changeFeed }

  /// Tells of a save. What is known of the record is what was sent, and what the server answered.
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

  /// Tells of a deletion.
  func tellDeletion(of record: PendingDeletion.Record) {
    changeFeed.publish([RecordChange(.deleted, record.typeName, record.identifier)])
  }
}
