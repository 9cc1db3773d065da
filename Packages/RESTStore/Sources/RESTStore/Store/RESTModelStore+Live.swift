@_spi(ModelKitInternals) public import StoreProtocol

/// Live queries receive the writes of all instances of one engine, but no changes by others on the server.
///
/// A save whose answer is the whole record updates the results without a request. The condition and the order of the
/// query are evaluated here for that record. Without an order, an updated model stays where it is, and a new one is the
/// last. The results are fetched again with one request after any other write to the type of the query:
///
/// - the answer lacks the value of a field, other than a to-many relation
/// - a model was deleted, or two writes to the type overlapped
/// - the condition or the order reads related models
/// - the position is uncertain, because models are equal in the order of the query or have local changes
/// - models beyond the limit of the query, or before its offset, may come into the results
/// - ``RESTOptions/followsPages`` is false
extension RESTModelStore: LiveModelStore {
  /// The feed of the writes of all store instances.
  public var changeFeed: StoreChangeFeed { handle.changeFeed }

  /// Publishes a save. The record has the known values: those that were sent, and those of the server's answer.
  ///
  /// - Parameter isAlone: whether no other write to the type overlapped this one, whose record may be newer then.
  func report<M: Model>(
    _ kind: RecordChange.Kind, _ save: SaveOperation<M>, answer: AttributeDictionary?, isAlone: Bool
  ) {
    guard changeFeed.isObserved, let identifier = save.model.identifier else { return }
    let sent = save.record
    var record = sent.merging(answer ?? [:]) { _, answered in answered }
    M.prototype().storedValue(ofIdentifier: identifier, in: scope.transformers)?.write(to: &record)
    let bytes = try? JSONValue.object(record).jsonData(JSONWritingOptions(sortedKeys: true))
    var change = RecordChange(
      kind, save.typeName, identifier, after: bytes.map { Array($0) }, keys: kind == .updated ? Array(sent.keys) : nil)
    change.isPartial = !(isAlone && handle.options.followsPages && isWhole(answer, save.model))
    changeFeed.publish([change])
  }

  /// Returns whether an answer has a value for each field of a model, apart from to-many relations.
  private func isWhole(_ answer: AttributeDictionary?, _ model: ModelObject) -> Bool {
    guard let answer else { return false }
    // Not the model itself: its fields need not be loaded, and it may have added some. Fields have keys while their
    // model is live.
    let sample = scope.transformers.prepared(type(of: model).init())
    return withExtendedLifetime(sample) {
      sample.fieldsForDictionaryValue().allSatisfy { field in
        if (field as? any RelationField)?.isToMany == true { return true }
        guard let key = field.key.map({ scope.transformers.key($0) }) else { return true }
        return answer.keys.contains(key) || answer.keys.contains(String(key.prefix { $0 != "." }))
      }
    }
  }

  /// Publishes a deletion.
  func notifyDeletion(of record: PendingDeletion.Record) {
    changeFeed.publish([RecordChange(.deleted, record.typeName, record.identifier)])
  }
}
