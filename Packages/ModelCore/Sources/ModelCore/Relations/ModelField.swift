@_spi(ModelKitInternals) public import FieldKit

/// A relation to one model.
///
/// ```swift
/// final class Company: Model {
///   let name = Field<String>()
///   let employees = ModelField<Person>()*
/// }
/// final class Person: Model {
///   let name = Field<String>()
///   let company = ModelField<Company>(inverse: \.employees)
/// }
/// let person = Person(), company = Company()
/// person.company.value = company
/// assert(company.employees.value == [person])
/// ```
///
/// Each link is retained by the side on which it was set or loaded; the inverse side sees it weakly. A relation without
/// inverse retains.
public final class ModelField<Related: Model>: Field<Related>, RelationField, Relation {
  /// Whether the related model is written as its identifier instead of in full.
  public let isForeignKey: Bool
  /// What happens to the related model when the model that has this field is deleted.
  public let deleteRule: DeleteRule
  let declaredInverse: ((Related) -> any RelationField)?
  private weak var backLink: Related?
  private var backLinkIdentity: LinkIdentity?
  private var isBeingRead = false
  private var isToBeAnnounced = false

  /// Creates a relation.
  ///
  /// - Parameters:
  ///   - name: what people call the field.
  ///   - key: the key in dictionaries and JSON. Default: the property's name.
  ///   - priority: the place in a form.
  ///   - foreignKey: whether the related model is written as its identifier instead of in full.
  ///   - deleteRule: what happens to the related model when the one that has this field is deleted.
  ///   - inverse: the field of the related model that leads back. Declare it on one side; both sides know it.
  public init(
    name: String? = nil, key: String? = nil, priority: Int? = nil, foreignKey: Bool = false,
    deleteRule: DeleteRule = .nullify, inverse: ((Related) -> any RelationField)? = nil
  ) {
    isForeignKey = foreignKey
    self.deleteRule = deleteRule
    declaredInverse = inverse
    super.init(hooked: nil, name: name, key: key, priority: priority, comparing: .sameObject)
  }

  /// The related model, or none.
  public var relatedModels: [ModelObject] { value.map { [$0] } ?? [] }

  /// The class of the related model.
  public var relatedClass: ModelObject.Type { Related.self }

  /// Whether the relation can lead to more than one model: it can't.
  public var isToMany: Bool { false }

  // MARK: Value

  private var liveValue: Related? { readsThroughHook ? backLink : storedValue }

  @_spi(ModelKitInternals)
  public override func hookedValue() -> Related? {
    if let backLink { return backLink }
    // The model on the other side of a weak link is gone: what is known of it is its identifier.
    guard let identifier = backLinkIdentity?.identifier else {
      if loadState == .loaded { loadState = .incomplete }
      return nil
    }
    let shell: Related
    if let map = ownerModel?.identityMap {
      shell = Related.with(identifier: identifier, in: map.scope)
    } else {
      shell = Related()
      shell.becomeShell(identifier: identifier)
    }
    retain(shell)
    if let owner = ownerModel, let inverse = inverse(on: shell) {
      let change = RelationChange(stamp: .next(), isRead: true)
      inverse.attachBack(owner, change)
      change.announce()
    }
    return shell
  }

  @_spi(ModelKitInternals)
  public override func setHooked(_ newValue: Related?, stamp: ChangeStamp) {
    let change = RelationChange(stamp: stamp, isRead: isBeingRead)
    isBeingRead = false
    let oldValue = liveValue
    if oldValue === newValue {
      // An identifier without its model is a value too: setting nil cuts the link.
      if newValue == nil { release() }
      mark(from: oldValue, isChange: false, change)
    } else {
      let owner = ownerModel
      prepareToSet(isChange: true)
      if let newValue { retain(newValue) } else { release() }
      mark(from: oldValue, isChange: true, change)
      if let owner, let oldValue { inverse(on: oldValue)?.detachBack(owner, change) }
      if let owner, let newValue {
        shareScope(with: newValue)
        if let inverse = inverse(on: newValue), inverse !== self { inverse.attachBack(owner, change) }
      }
    }
    change.announce()
  }

  private func retain(_ model: Related) {
    storedValue = model
    backLink = nil
    backLinkIdentity = nil
    readsThroughHook = false
  }

  private func release() {
    storedValue = nil
    backLink = nil
    backLinkIdentity = nil
    readsThroughHook = false
  }

  private func mark(from oldValue: Related?, isChange: Bool, _ change: RelationChange) {
    markSet(isChange: isChange, stamp: change.stamp, isRead: change.isRead)
    // A field that waits to be announced, after this change or one around it, is announced with what it has then.
    guard isObserved, !isToBeAnnounced else { return }
    isToBeAnnounced = true
    change.add { [self, stamp = change.stamp] in
      isToBeAnnounced = false
      let newValue = liveValue
      announce(from: oldValue, to: newValue, isChange: oldValue !== newValue, stamp: max(stamp, lastChange))
    }
  }

  // MARK: The other side

  func declaredInverse(on related: ModelObject) -> (any Relation)? {
    guard let declaredInverse, let related = related as? Related else { return nil }
    return declaredInverse(related) as? any Relation
  }

  func accepts(_ modelClass: ModelObject.Type) -> Bool { modelClass is Related.Type }

  func refers(to model: ModelObject) -> Bool { liveValue === model }

  var linkCount: Int { 1 }

  var retainedModels: [ModelObject] { storedValue.map { [$0] } ?? [] }

  func link(_ model: ModelObject) -> Bool {
    guard let model = model as? Related else { return false }
    value = model
    return true
  }

  func unlink(_ models: [ModelObject]) {
    if let current = liveValue, models.contains(current) { value = nil }
  }

  func attachBack(_ model: ModelObject, _ change: RelationChange) {
    guard let model = model as? Related, liveValue !== model else { return }
    let oldValue = liveValue
    prepareToSet(isChange: true)
    storedValue = nil
    backLink = model
    backLinkIdentity = LinkIdentity(model)
    readsThroughHook = true
    mark(from: oldValue, isChange: true, change)
    if let owner = ownerModel, let oldValue { inverse(on: oldValue)?.detachBack(owner, change) }
  }

  func detachBack(_ model: ModelObject, _ change: RelationChange) {
    guard liveValue === model else { return }
    let oldValue = liveValue
    prepareToSet(isChange: true)
    release()
    mark(from: oldValue, isChange: true, change)
  }

  @_spi(ModelKitInternals)
  public override func unload() {
    super.unload()
    backLink = nil
    backLinkIdentity = nil
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
    let related = json.isNull ? nil : try reader.stage(json, as: Related.self, isForeignKey: isForeignKey)
    return { [self] in
      if !reader.keeps(self) {
        isBeingRead = true
        load(related?.model, stamp: .next())
      }
      related?.link()
    }
  }

  @_spi(ModelKitInternals)
  public override func load(readRelated models: [AnyObject]?) {
    isBeingRead = true
    load(models?.first as? Related, stamp: .next())
  }

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
    return try writer.json(of: value, isForeignKey: isForeignKey)
  }
}
