@_spi(ModelKitInternals) public import FieldKit

@_spi(ModelKitInternals)
extension ModelObject {
  /// Returns the baseline of a field, as a store writes it, with its path.
  ///
  /// A field without baseline in a fully loaded model counts as `null`: its record has no value for it.
  ///
  /// - Parameters:
  ///   - field: a field of this model.
  ///   - context: the spelling of records.
  /// If an open transaction of another task saved the field, the baseline is the one from before, which is stored.
  ///
  /// - Returns: nil if the baseline is unknown, as for embedded models.
  public func storedBaseline(of field: AnyField, in context: ValueTransformerContext) -> StoredValue? {
    guard let key = field.key else { return nil }
    if let details {
      if details.unknownBaselines.contains(ObjectIdentifier(field)) || isLoadedFromDocument(field) { return nil }
      if details.remainder?.rejection(of: field) != nil { return nil }
    }
    if let edits = identityMap?.transactions.first(where: { $0.hasUncommitted(field) }) {
      return edits.baselineBeforeSave(of: field)
    }
    if field.isRelation { return relationBaseline(of: field, Self.path(key, in: context), in: context) }
    if let value = try? field.exportedBaseline(by: FieldWriter(context: context)) {
      return StoredValue(path: Self.path(key, in: context), value: value)
    }
    guard field.wasNeverSaved, isWhollyStored else { return nil }
    return StoredValue(path: Self.path(key, in: context), value: .null)
  }

  /// Returns the baseline of a field, in the format in which updates write records.
  func storedBaseline(of field: AnyField) -> StoredValue? {
    guard var context = memberScope?.transformers else { return nil }
    context.explicitNull = true
    return storedBaseline(of: field, in: context)
  }

  /// Returns whether a stored value is the one that was read into a field. Other writers may spell the baseline in
  /// another way, and a rejected value is not a change by another writer.
  ///
  /// - Parameters:
  ///   - json: the stored value.
  ///   - field: a field of this model.
  ///   - baseline: its baseline, as a store writes it.
  ///   - context: the spelling of records.
  public func hasRead(
    _ json: JSONValue, into field: AnyField, as baseline: JSONValue, in context: ValueTransformerContext
  ) -> Bool {
    if json == baseline { return true }
    if baseline.isNull, let former = details?.formerLinks[ObjectIdentifier(field)],
      let relation = field as? any Relation
    {
      let reader = ModelReader(scope: nil, context: context, isFromStore: true)
      if reader.identifiers(in: json, of: relation.relatedClass) == .string(former) { return true }
    }
    let rejection = field.key.flatMap { details?.remainder?.rejections[$0] }
    if let rejection, json == rejection.completing(baseline) { return true }
    return Self.reads(json, like: baseline, into: field, in: context)
  }

  /// Returns whether a record has a value of this model, in any spelling.
  ///
  /// - Parameters:
  ///   - value: the value, as a store writes it.
  ///   - record: the record.
  ///   - context: the spelling of records.
  public func isSame(
    _ value: StoredValue, in record: AttributeDictionary, spelledBy context: ValueTransformerContext
  ) -> Bool {
    guard let json = value.path.dropFirst().reduce(record[value.path[0]], { $0?[$1] }) else { return false }
    if json == value.value { return true }
    let field = storableFields.first { $0.key.map { Self.path($0, in: context) } == value.path }
    return field.map { Self.reads(json, like: value.value, into: $0, in: context) } ?? false
  }

  private static func reads(
    _ json: JSONValue, like other: JSONValue, into field: AnyField, in context: ValueTransformerContext
  ) -> Bool {
    guard let relation = field as? any Relation else { return field.readsSameValue(json, other, in: context) }
    let reader = ModelReader(scope: nil, context: context, isFromStore: true)
    guard relation.isForeignKey, let identifiers = reader.identifiers(in: json, of: relation.relatedClass) else {
      return false
    }
    return identifiers == reader.identifiers(in: other, of: relation.relatedClass)
  }

  private var isWhollyStored: Bool { if isStored, case .loaded = modelLoadState { true } else { false } }

  private static func path(_ key: String, in context: ValueTransformerContext) -> [String] {
    let spelled = context.key(key)
    return spelled.utf8.contains(UInt8(ascii: ".")) ? spelled.split(separator: ".").map(String.init) : [spelled]
  }

  private func relationBaseline(
    of field: AnyField, _ path: [String], in context: ValueTransformerContext
  ) -> StoredValue? {
    guard let relation = field as? any Relation, relation.isForeignKey,
      !relation.isToMany || !changesBesideRecord(relation)
    else { return nil }
    // A copy has the baseline of its original, and its related models are not notified.
    // The model may be a member of its own list.
    let copy = copied(fields: [field] + [identifierField].compactMap(\.self))
    guard let copied = copy.layout.field(at: Int(field.layoutIndex), of: copy) else { return nil }
    if copied.isDirty {
      guard copied.restore(), !copied.isDirty else { return nil }
    }
    switch copied.loadState {
    case .loaded where copied.wasNeverSaved: return nil
    case .loaded: return try? copy.storedValues(of: [copied], in: context).first
    case .notLoaded where isWhollyStored: return StoredValue(path: path, value: .null)
    default: return nil
    }
  }

  /// Returns whether reads and saves of other models change a list. Those of a list that alone stores a many-to-many
  /// relation don't.
  private func changesBesideRecord(_ relation: any Relation) -> Bool {
    func doesChange(_ inverse: (any Relation)?) -> Bool { inverse.map { $0.isForeignKey || !$0.isToMany } ?? false }
    let models = relation.relatedModels + (relation.baselineModels ?? [])
    if models.isEmpty { return doesChange(relation.inverse(on: relation.relatedClass.init())) }
    return models.contains { doesChange(relation.inverse(on: $0)) }
  }
}

extension ModelObject {
  /// Records which local changes were made without knowledge of the stored values: in an unloaded reference, or over
  /// values of a document. Discards the previous links of clean relations. Call this when the model was read from its record.
  func noteUnknownBaselines() {
    if details?.formerLinks.isEmpty == false {
      forEachField { field, _ in if !field.isDirty { details?.formerLinks[ObjectIdentifier(field)] = nil } }
    }
    var wasNotLoaded = !isStored
    if case .incomplete = modelLoadState { wasNotLoaded = true }
    guard wasNotLoaded || details.map({ $0.documentLoad != nil || !$0.unknownBaselines.isEmpty }) == true else {
      return
    }
    let known = details?.unknownBaselines ?? []
    var unknown: Set<ObjectIdentifier> = []
    forEachField { field, _ in
      guard field.isDirty else { return }
      let identifier = ObjectIdentifier(field)
      let isUnknown = wasNotLoaded && (field.wasNeverSaved || field.isRelation)
      if isUnknown || known.contains(identifier) || isLoadedFromDocument(field) { unknown.insert(identifier) }
    }
    if !known.isEmpty || !unknown.isEmpty { detailsForWriting.unknownBaselines = unknown }
  }
}
