@_spi(ModelKitInternals) public import FieldKit

/// A relation to many models, in order and without duplicates: `let employees = ModelField<Person>()*`.
///
/// ```swift
/// author.books.add(book)      // book.author.value is author
/// author.books.remove(book)   // book.author.value is nil
/// ```
///
/// A list that is known only because models named this one as their inverse is `incomplete`: there may be more.
public final class ModelArrayField<Related: Model>: Field<[Related]>, RelationField, Relation {
  /// Whether related models are written as their identifiers instead of in full.
  public let isForeignKey: Bool
  /// What happens to the related models when the model that has this field is deleted.
  public let deleteRule: DeleteRule
  let declaredInverse: ((Related) -> any RelationField)?
  private var isBeingRead = false
  private var isToBeAnnounced = false
  /// How often a long list was gone through since it was last read.
  private var scans: UInt8 = 0
  /// Nil as long as all members are retained and few are being removed; then they are the stored value.
  private var table: MemberTable<Related>?

  /// Creates a relation to many from one that describes a member; `ModelField<Person>()*` is short for it.
  ///
  /// - Parameter member: gives name, key, foreign key, delete rule and inverse.
  public init(_ member: ModelField<Related>) {
    isForeignKey = member.isForeignKey
    deleteRule = member.deleteRule
    declaredInverse = member.declaredInverse
    super.init(
      hooked: [], name: member.declaredName, key: member.declaredKey, priority: member.priority,
      comparing: .sameObjects())
    if member.hasTransformers { takeTransformers(ofElement: member) }
  }

  /// The related models that are there now.
  public var relatedModels: [ModelObject] { value ?? [] }

  /// The class of the related models.
  public var relatedClass: ModelObject.Type { Related.self }

  /// Whether the relation can lead to more than one model: it can.
  public var isToMany: Bool { true }

  /// The number of members that are there now.
  public var count: Int { value?.count ?? 0 }

  // MARK: Members

  /// Adds a model at the end, unless it is a member already. Where an inverse is declared, the model leaves its old
  /// place.
  ///
  /// - Returns: `false` if the model is a member already.
  /// - Complexity: O(1) on average without observers, O(*n*) with them.
  @discardableResult
  public func add(_ model: Related) -> Bool { add(contentsOf: CollectionOfOne(model)) > 0 }

  /// Adds models at the end, those that are members already excepted. Observers are told once.
  ///
  /// - Returns: how many were added.
  /// - Complexity: O(*m*) on average without observers, where *m* is the number of models; O(*n* + *m*) with them.
  @discardableResult
  public func add(contentsOf models: some Sequence<Related>) -> Int {
    let change = RelationChange()
    var added = 0
    for model in models where insert(model, change) { added += 1 }
    change.announce()
    return added
  }

  private func insert(_ model: Related, _ change: RelationChange) -> Bool {
    let inverse = inverse(on: model)
    let isMember =
      if let inverse, let owner = ownerModel, inverse.linkCount < linkCount { inverse.refers(to: owner) } else {
        refers(to: model)
      }
    if isMember { return false }
    let oldValue = valueForObservers
    prepareToSet(isChange: true)
    if table == nil {
      if storedValue == nil { storedValue = [] }
      storedValue?.append(model)
    } else {
      table?.append(model, isRetained: true)
    }
    mark(from: oldValue, isPartial: isPartial, change)
    shareScope(with: model)
    if let owner = ownerModel, let inverse, inverse !== self { inverse.attachBack(owner, change) }
    return true
  }

  /// Removes a model.
  ///
  /// - Returns: `false` if it is not a member.
  /// - Complexity: O(1) on average while many are removed and nobody reads the list in between, otherwise O(*n*).
  @discardableResult
  public func remove(_ model: Related) -> Bool { remove(contentsOf: CollectionOfOne(model)) > 0 }

  /// Removes models. Observers are told once.
  ///
  /// - Returns: how many were members.
  /// - Complexity: O(*n* + *m*) on average, where *m* is the number of models.
  @discardableResult
  public func remove(contentsOf models: some Sequence<Related>) -> Int {
    let change = RelationChange()
    var removed = 0
    for model in models where refers(to: model) {
      let oldValue = valueForObservers
      prepareToSet(isChange: true)
      drop(model)
      mark(from: oldValue, isPartial: isPartial, change)
      removed += 1
      if let owner = ownerModel, let inverse = inverse(on: model), inverse !== self {
        inverse.detachBack(owner, change)
      }
    }
    change.announce()
    return removed
  }

  /// Removes all models. The list is empty then, not nil.
  ///
  /// - Complexity: O(*n*).
  public func removeAll() { value = [] }

  /// Whether a model is a member.
  ///
  /// - Complexity: O(1) on average when asked often while nobody reads the list, otherwise O(*n*).
  public func contains(_ model: Related) -> Bool {
    noteValueRead()
    return refers(to: model)
  }

  // MARK: Value

  private var liveValue: [Related]? { table?.models ?? storedValue }

  /// The value before a change, if somebody is to be told of it.
  private var valueForObservers: [Related]? { isObserved && !isToBeAnnounced ? liveValue : nil }

  @_spi(ModelKitInternals)
  public override func hookedValue() -> [Related]? {
    scans = 0
    guard let models = table?.models else {
      readsThroughHook = false
      return storedValue
    }
    if table?.prune(to: models.count) == true {
      // A member nobody retained is gone: what is left is not the whole list.
      if loadState == .loaded { loadState = .incomplete }
    }
    if table?.retainsAll == true { keep(models) }
    return models
  }

  @_spi(ModelKitInternals)
  public override func setHooked(_ newValue: [Related]?, stamp: ChangeStamp) {
    let change = RelationChange(stamp: stamp, isRead: isBeingRead)
    isBeingRead = false
    let oldValue = liveValue
    var members = Set<ObjectIdentifier>()
    let newValue = newValue?.filter { members.insert(ObjectIdentifier($0)).inserted }
    guard Self.isChange(from: oldValue, to: newValue) else {
      markSet(isChange: false, stamp: stamp)
      if isObserved { announce(from: oldValue, to: newValue, isChange: false, stamp: stamp) }
      return
    }
    prepareToSet(isChange: true)
    // Members that stay keep their link as it is: retained by the side on which it was made.
    let seen = table?.weaklySeen ?? []
    if let newValue, !seen.isEmpty, newValue.contains(where: { seen.contains(ObjectIdentifier($0)) }) {
      var table = MemberTable<Related>(retaining: [])
      for model in newValue { table.append(model, isRetained: !seen.contains(ObjectIdentifier(model))) }
      keep(table)
    } else {
      keep(newValue)
    }
    markSet(isChange: true, stamp: stamp, isRead: change.isRead)
    announceLater(from: oldValue, change)
    let old = Set((oldValue ?? []).map(ObjectIdentifier.init))
    for model in oldValue ?? [] where !members.contains(ObjectIdentifier(model)) {
      if let owner = ownerModel, let inverse = inverse(on: model), inverse !== self {
        inverse.detachBack(owner, change)
      }
    }
    for model in newValue ?? [] where !old.contains(ObjectIdentifier(model)) {
      shareScope(with: model)
      if let owner = ownerModel, let inverse = inverse(on: model), inverse !== self {
        inverse.attachBack(owner, change)
      }
    }
    change.announce()
  }

  private func keep(_ models: [Related]?) {
    table = nil
    readsThroughHook = false
    storedValue = models
  }

  private func keep(_ newTable: MemberTable<Related>) {
    table = newTable
    readsThroughHook = true
    storedValue = []
  }

  private func drop(_ model: ModelObject) {
    makeTableIfWorthwhile()
    if table != nil {
      table?.remove(model)
    } else if let index = storedValue?.firstIndex(where: { $0 === model }) {
      storedValue?.remove(at: index)
    }
  }

  /// To go through a long list is fine now and then. Who does it again and again, and reads it never, gets a table.
  private func makeTableIfWorthwhile() {
    guard table == nil, let storedValue, storedValue.count > 64 else { return }
    if scans < 8 {
      scans += 1
      // So that reading it is noticed.
      readsThroughHook = true
    } else {
      keep(MemberTable(retaining: storedValue))
    }
  }

  /// Marks a change of members. A list that was not whole does not become whole by it.
  private func mark(from oldValue: [Related]?, isPartial: Bool, _ change: RelationChange) {
    markSet(isChange: true, stamp: change.stamp, isRead: change.isRead)
    if isPartial { loadState = .incomplete }
    announceLater(from: oldValue, change)
  }

  /// Announces the list once all sides are changed. If it waits to be announced already, after this change or one around
  /// it, it is announced with what it has then.
  private func announceLater(from oldValue: [Related]?, _ change: RelationChange) {
    guard isObserved, !isToBeAnnounced else { return }
    isToBeAnnounced = true
    change.add { [self, stamp = change.stamp] in
      isToBeAnnounced = false
      let newValue = liveValue
      let isChange = Self.isChange(from: oldValue, to: newValue)
      announce(from: oldValue, to: newValue, isChange: isChange, stamp: max(stamp, lastChange))
    }
  }

  private static func isChange(from oldValue: [Related]?, to newValue: [Related]?) -> Bool {
    (oldValue == nil) != (newValue == nil) || !(oldValue ?? []).elementsEqual(newValue ?? [], by: ===)
  }

  private var isPartial: Bool { loadState == .incomplete || ownerModel?.modelLoadState == .incomplete }

  // MARK: The other side

  func declaredInverse(on related: ModelObject) -> (any Relation)? {
    guard let declaredInverse, let related = related as? Related else { return nil }
    return declaredInverse(related) as? any Relation
  }

  func accepts(_ modelClass: ModelObject.Type) -> Bool { modelClass is Related.Type }

  func refers(to model: ModelObject) -> Bool {
    makeTableIfWorthwhile()
    if table != nil { return table?.contains(model) ?? false }
    return storedValue?.contains { $0 === model } ?? false
  }

  var linkCount: Int { table?.count ?? storedValue?.count ?? 0 }

  var retainedModels: [ModelObject] { table?.retained ?? storedValue ?? [] }

  func attachBack(_ model: ModelObject, _ change: RelationChange) {
    guard let model = model as? Related else { return }
    let oldValue = valueForObservers
    prepareToSet(isChange: true)
    if table == nil { keep(MemberTable(retaining: storedValue ?? [])) }
    table?.append(model, isRetained: false)
    mark(from: oldValue, isPartial: loadState != .loaded, change)
  }

  func detachBack(_ model: ModelObject, _ change: RelationChange) {
    let oldValue = valueForObservers
    prepareToSet(isChange: true)
    drop(model)
    mark(from: oldValue, isPartial: loadState != .loaded, change)
  }

  func link(_ model: ModelObject) -> Bool {
    guard let model = model as? Related else { return false }
    add(model)
    return true
  }

  func unlink(_ models: [ModelObject]) { remove(contentsOf: models.lazy.compactMap { $0 as? Related }) }

  @_spi(ModelKitInternals)
  public override func unload() {
    super.unload()
    table = nil
    scans = 0
  }

  // MARK: Reading and writing

  @_spi(ModelKitInternals)
  public override func staged(_ json: JSONValue, by reader: FieldReader) throws -> () -> Void {
    if hasTransformer(in: reader.context) {
      let apply = try super.staged(json, by: reader)
      return { [self] in
        if (reader as? ModelReader)?.keeps(self) == true { return }
        isBeingRead = true
        apply()
      }
    }
    guard let reader = reader as? ModelReader else {
      return try ModelReader.staged(json, into: self, in: reader.context)
    }
    if json.isNull {
      return { [self] in if !reader.keeps(self) { read(nil) } }
    }
    guard case .array(let elements) = json else {
      throw ValueTransformError(expected: "a list", found: json)
    }
    let related = try reader.stage(elements, as: Related.self, isForeignKey: isForeignKey)
    return { [self] in
      if !reader.keeps(self) { read(related.map(\.model)) }
      for related in related { related.link() }
    }
  }

  private func read(_ models: [Related]?) {
    isBeingRead = true
    load(models, stamp: .next())
  }

  @_spi(ModelKitInternals)
  public override func load(readRelated models: [AnyObject]?) { read(models?.compactMap { $0 as? Related }) }

  @_spi(ModelKitInternals)
  public override func writeRelated(
    _ key: UnsafeBufferPointer<UInt8>, to json: inout JSONWriter, by writer: FieldWriter
  ) throws {
    try ModelWriter.writer(for: self, writer).write(value, key, isForeignKey: isForeignKey, to: &json)
  }

  @_spi(ModelKitInternals)
  public override func exported(by writer: FieldWriter) throws -> JSONValue? {
    if hasTransformer(in: writer.context) { return try super.exported(by: writer) }
    guard let value else { return nil }
    let writer = ModelWriter.writer(for: self, writer)
    return .array(
      try value.enumerated().compactMap { index, model in
        do {
          return try writer.json(of: model, isForeignKey: isForeignKey)
        } catch let error as ModelEncodingError {
          throw error.inside(.index(index))
        }
      })
  }
}

/// Makes a relation to many of what the field describes: `let employees = ModelField<Person>()*`.
public postfix func * <Related: Model>(member: ModelField<Related>) -> ModelArrayField<Related> {
  ModelArrayField(member)
}

/// Makes a relation to many of what the field describes: `let employees = *ModelField<Person>()`.
public prefix func * <Related: Model>(member: ModelField<Related>) -> ModelArrayField<Related> {
  ModelArrayField(member)
}
