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
  let isForeignKey: Bool
  let declaredInverse: ((Related) -> any RelationField)?

  /// A member that is retained by this side, or seen weakly because the link was set on the other.
  private struct Link {
    let retained: Related?
    private weak var seen: Related?

    init(retaining model: Related) { retained = model }

    init(seeing model: Related) {
      retained = nil
      seen = model
    }

    var model: Related? { retained ?? seen }
  }

  /// Nil as long as all members are retained; then they are the stored value.
  private var links: [Link]?
  private var isBeingRead = false
  private var isToBeAnnounced = false

  /// Creates a relation to many from one that describes a member; `ModelField<Person>()*` is short for it.
  ///
  /// - Parameter member: gives name, key, foreign key and inverse.
  public init(_ member: ModelField<Related>) {
    isForeignKey = member.isForeignKey
    declaredInverse = member.declaredInverse
    super.init(
      hooked: [], name: member.declaredName, key: member.declaredKey, priority: member.priority,
      areEqual: { $0.elementsEqual($1, by: ===) })
  }

  /// The related models that are there now.
  public var relatedModels: [ModelObject] { value ?? [] }

  /// The number of members that are there now.
  public var count: Int { value?.count ?? 0 }

  // MARK: Members

  /// Adds a model at the end, unless it is a member already. Where an inverse is declared, the model leaves its old
  /// place.
  ///
  /// - Returns: `false` if the model is a member already.
  /// - Complexity: O(1) on average where the inverse leads to one model, otherwise O(*n*).
  @discardableResult
  public func add(_ model: Related) -> Bool {
    let inverse = inverse(on: model)
    let isMember =
      if let inverse, let owner = ownerModel { inverse.refers(to: owner) } else { refers(to: model) }
    if isMember { return false }
    let change = RelationChange(stamp: .next())
    let oldValue = isObserved ? liveValue : nil
    if links == nil {
      if storedValue == nil { storedValue = [] }
      storedValue?.append(model)
    } else {
      links?.append(Link(retaining: model))
    }
    mark(from: oldValue, isPartial: isPartial, change)
    shareScope(with: model)
    if let owner = ownerModel, let inverse, inverse !== self { inverse.attachBack(owner, change) }
    change.announce()
    return true
  }

  /// Removes a model.
  ///
  /// - Returns: `false` if it is not a member.
  /// - Complexity: O(*n*).
  @discardableResult
  public func remove(_ model: Related) -> Bool {
    guard refers(to: model) else { return false }
    let change = RelationChange(stamp: .next())
    let oldValue = isObserved ? liveValue : nil
    drop(model)
    mark(from: oldValue, isPartial: isPartial, change)
    if let owner = ownerModel, let inverse = inverse(on: model), inverse !== self {
      inverse.detachBack(owner, change)
    }
    change.announce()
    return true
  }

  /// Whether a model is a member.
  ///
  /// - Complexity: O(*n*).
  public func contains(_ model: Related) -> Bool { refers(to: model) }

  // MARK: Value

  private var liveValue: [Related]? {
    if let links { links.compactMap(\.model) } else { storedValue }
  }

  @_spi(ModelKitInternals)
  public override func hookedValue() -> [Related]? {
    guard let links else { return storedValue }
    let models = links.compactMap(\.model)
    if models.count < links.count {
      // A member nobody retained is gone: what is left is not the whole list.
      self.links = links.filter { $0.model != nil }
      if loadState == .loaded { loadState = .incomplete }
    }
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
    // Members that stay keep their link as it is: retained by the side on which it was made.
    let seen = Set((links ?? []).filter { $0.retained == nil }.compactMap { $0.model.map(ObjectIdentifier.init) })
    if let newValue, newValue.contains(where: { seen.contains(ObjectIdentifier($0)) }) {
      setLinks(newValue.map { seen.contains(ObjectIdentifier($0)) ? Link(seeing: $0) : Link(retaining: $0) })
    } else {
      setLinks(nil)
      storedValue = newValue
    }
    markSet(isChange: true, stamp: stamp)
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

  private func setLinks(_ newLinks: [Link]?) {
    links = newLinks
    readsThroughHook = newLinks != nil
    if newLinks != nil { storedValue = [] }
  }

  private func drop(_ model: ModelObject) {
    if links != nil {
      links?.removeAll { $0.model === model }
    } else if let index = storedValue?.firstIndex(where: { $0 === model }) {
      storedValue?.remove(at: index)
    }
  }

  /// Marks a change of members. A list that was not whole does not become whole by it.
  private func mark(from oldValue: [Related]?, isPartial: Bool, _ change: RelationChange) {
    let wasDirty = isDirty
    markSet(isChange: true, stamp: change.stamp)
    if change.isRead, !wasDirty { markSaved(asOf: change.stamp) }
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
    if let links { links.contains { $0.model === model } } else { storedValue?.contains { $0 === model } ?? false }
  }

  func attachBack(_ model: ModelObject, _ change: RelationChange) {
    guard let model = model as? Related else { return }
    let oldValue = isObserved ? liveValue : nil
    if links == nil { setLinks((storedValue ?? []).map(Link.init(retaining:))) }
    links?.append(Link(seeing: model))
    mark(from: oldValue, isPartial: loadState != .loaded, change)
  }

  func detachBack(_ model: ModelObject, _ change: RelationChange) {
    let oldValue = isObserved ? liveValue : nil
    drop(model)
    mark(from: oldValue, isPartial: loadState != .loaded, change)
  }

  @_spi(ModelKitInternals)
  public override func unload() {
    super.unload()
    links = nil
  }

  // MARK: Reading and writing

  @_spi(ModelKitInternals)
  public override func staged(_ json: JSONValue, by reader: FieldReader) throws -> () -> Void {
    guard let reader = reader as? ModelReader else {
      return try ModelReader.staged(json, into: self, in: reader.context)
    }
    if json.isNull {
      return { [self] in if !reader.keeps(self) { read(nil) } }
    }
    guard case .array(let elements) = json else {
      throw ValueTransformError(expected: "a list", found: json)
    }
    let related = try elements.enumerated().map { index, element in
      do {
        return try reader.stage(element, as: Related.self, isForeignKey: isForeignKey)
      } catch {
        throw ModelDecodingError.wrapping(error, at: FieldPath([.index(index)]))
      }
    }
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
  public override func exported(by writer: FieldWriter) throws -> JSONValue? {
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
