@_spi(ModelKitInternals) public import FieldKit

/// An ordered to-many relation without duplicates: `let employees = ModelField<Person>()*`.
///
/// ```swift
/// author.books.add(book)      // book.author.value is author
/// author.books.remove(book)   // book.author.value is nil
/// ```
///
/// A list whose members are known only from their inverses is `incomplete`: there may be more, and its ``count`` is
/// nil. The value of a list is nil if its model was read without it. A list that was never read, saved or set is in no
/// record. A save of this model does not write such a list, and leaves it clean.
///
/// If the inverse has foreign keys and the list is declared without, the members store it: see
/// ``ModelObject/fieldsForDictionaryValue()``.
///
/// A list that is set becomes complete, even when an incomplete value is assigned to itself or appended to. After
/// members were deallocated, setting the remaining ones leaves the list `incomplete`; ``removeAll()`` empties it. Add
/// with ``add(_:)`` and remove with ``remove(_:)`` in any load state: a store merges these changes into an `incomplete`
/// list when it is loaded.
@propertyWrapper
public final class ModelArrayField<Related: Model>: Field<[Related]>, RelationField, Relation {
  /// Whether related models are written as their identifiers instead of in full.
  public let isForeignKey: Bool
  /// The effect on the related models when the model that has this field is deleted.
  public internal(set) var deleteRule: DeleteRule
  var declaredInverse: ((Related) -> (any RelationField)?)?
  /// Nil while all members are retained and few are being removed; they are then the stored value.
  var table: MemberTable<Related>?
  weak var original: ToManyBaseline<Related>?
  /// The kind of the next change.
  var nextChange = RelationChange.Kind.local
  var isToBeAnnounced = false
  var isUneven = false
  /// Whether all changes since the list was clean are in the records of the members, and none in that of this model.
  var hasFollowed = false
  /// Whether members held weakly were deallocated since the list was last set or read.
  var lacksMembers = false
  /// Whether the next change removes all members, including deallocated ones.
  var isClearing = false
  /// The number of searches through a long list since it was last read.
  var scans: UInt8 = 0

  /// Creates a to-many relation from one that describes a member; `ModelField<Person>()*` is short for it.
  ///
  /// - Parameter member: the source of name, key, foreign key, delete rule and inverse.
  public init(_ member: ModelField<Related>) {
    isForeignKey = member.isForeignKey
    deleteRule = member.deleteRule
    declaredInverse = member.declaredInverse
    super.init(
      hooked: [], name: member.declaredName, key: member.declaredKey, priority: member.priority,
      comparing: .sameObjects())
    if member.hasTransformers { takeTransformers(ofElement: member) }
  }

  /// Creates the relation of a property: `@ModelArrayField(inverse: \.$author) var books: [Book]?`.
  ///
  /// - Parameters:
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - foreignKey: whether related models are written as their identifiers instead of in full.
  ///   - deleteRule: the effect on the related models when the model that has this field is deleted.
  ///   - inverse: the inverse, a field of the related model. Declare it on one side only.
  ///   - configure: completes the declaration, such as with a rule.
  public convenience init(
    name: String? = nil, key: String? = nil, priority: Int? = nil, foreignKey: Bool = false,
    deleteRule: DeleteRule = .nullify, inverse: ((Related) -> any RelationField)? = nil,
    configure: ((ModelArrayField) -> Void)? = nil
  ) {
    self.init(
      ModelField(
        name: name, key: key, priority: priority, foreignKey: foreignKey, deleteRule: deleteRule, inverse: inverse))
    configure?(self)
  }

  /// The members that are known here, as a property declared with `@ModelArrayField` has them; nil if the model was
  /// read without its list. There may be more members if ``count`` is nil.
  ///
  /// To set it, even by appending, is to set the whole list: add a member with ``add(_:)``. Appending to nil changes
  /// nothing.
  @_nonoverride
  @inlinable
  public var wrappedValue: [Related]? {
    get { value }
    set { value = newValue }
    _modify { yield &value }
  }

  /// The relation of a property declared with `@ModelArrayField`.
  @_nonoverride
  @inlinable
  public var projectedValue: ModelArrayField<Related> { self }

  deinit {
    // The list may hold the last reference to long chains of models.
    ReleasedMembers.release(moveStoredValue(), &table)
  }

  /// The related models that are currently in memory.
  public var relatedModels: [ModelObject] { value ?? [] }

  /// The class of the related models.
  public var relatedClass: ModelObject.Type { Related.self }

  /// Whether the relation can reference more than one model: true.
  public var isToMany: Bool { true }

  /// The number of members; nil if not all members are known.
  ///
  /// All members are known if the list is ``/FieldKit/LoadState/loaded``, or if its model is new. Otherwise call
  /// `store.list(in:)`, which loads the list, or `store.count(_:where:)`.
  public var count: Int? {
    let members = value
    return isWhole ? members?.count ?? 0 : nil
  }

  /// Whether all members are known here.
  private var isWhole: Bool {
    if loadState == .loaded { return true }
    // No stored record can reference a new model.
    return ownerModel.map { $0.origin == .new && !lacksMembers } ?? true
  }

  // MARK: Value

  @_spi(ModelKitInternals)
  public override var describedValue: Any? { liveValue }

  var liveValue: [Related]? { table?.models ?? storedValue }

  /// The value before a change, if the field is observed.
  var valueForObservers: [Related]? { isObserved && !isToBeAnnounced ? liveValue : nil }

  @_spi(ModelKitInternals)
  public override func hookedValue() -> [Related]? {
    scans = 0
    guard let models = table?.models else {
      readsThroughHook = false
      return storedValue
    }
    if table?.prune(to: models.count) == true {
      // A member held weakly was deallocated: the remaining ones are not the whole list.
      if loadState == .loaded { loadState = .incomplete }
      lacksMembers = true
    }
    if table?.retainsAll == true { keep(models) }
    return models
  }

  @_spi(ModelKitInternals)
  public override func setHooked(_ newValue: [Related]?, stamp: ChangeStamp) {
    let change = RelationChange(stamp: stamp, nextChange, of: self)
    nextChange = .local
    let oldValue = liveValue
    change.noteInverses(of: self)
    var members = Set<ObjectIdentifier>()
    let newValue = newValue?.map { copyInDraft(of: $0, change) }.filter {
      members.insert(ObjectIdentifier($0)).inserted
    }
    cutStaleInverses(except: newValue ?? [], change)
    guard Self.isChange(from: oldValue, to: newValue) else {
      // Setting the remaining members can't be distinguished from setting the list to itself, so it does not make the
      // list complete.
      let staysIncomplete = lacksMembers && !isClearing && change.kind == .local && loadState == .incomplete
      let isNews = !staysIncomplete && isNews(newValue, change)
      if isNews {
        keepBaseline(before: change)
        prepareToSet(isChange: true)
      } else if loadState != .loaded || hasFollowed || lacksMembers {
        change.willChange(self)
      }
      markSet(isChange: isNews, stamp: stamp)
      if staysIncomplete { loadState = .incomplete } else { (hasFollowed, lacksMembers) = (false, false) }
      if isObserved { announce(from: oldValue, to: newValue, isChange: false, stamp: stamp) }
      change.announce()
      return
    }
    keepBaseline(before: change)
    prepareToSet(isChange: true)
    (hasFollowed, lacksMembers) = (false, false)
    // Members that stay keep their link: it is retained by the side on which it was made.
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
    for model in oldValue ?? [] where !members.contains(ObjectIdentifier(model)) { cutInverse(model, change) }
    let known = change.kind == .reversion ? old.union(original?.silent ?? []) : old
    for model in newValue ?? [] where !known.contains(ObjectIdentifier(model)) {
      if !isForeignKey { model.noteContainer(self) }
      shareScope(with: model, change)
      linkInverse(model, change)
    }
    change.announce()
  }

  func keep(_ models: [Related]?) {
    table = nil
    readsThroughHook = false
    storedValue = models
  }

  func keep(_ newTable: MemberTable<Related>) {
    table = newTable
    readsThroughHook = true
    storedValue = []
  }

  @_spi(ModelKitInternals)
  public override func markNotLoaded() {
    // The links of an inverse make the list incomplete, so there are none.
    keep(nil)
  }

  @_spi(ModelKitInternals)
  public override func unload() {
    // The current members are the old value that observers receive.
    keep(liveValue)
    scans = 0
    isUneven = true
    (hasFollowed, lacksMembers) = (false, false)
    rememberStaleInverses()
    super.unload()
  }

  @_spi(ModelKitInternals)
  public override func captureState() -> FieldState { ToManyState(of: self, original) }

  @_spi(ModelKitInternals)
  public override func reinstate(_ state: FieldState, exactly isExact: Bool, marksClean: Bool) {
    reinstateList(state, exactly: isExact, marksClean: marksClean)
  }

  // States that histories and transactions recorded may retain it longer than the field.
  @_spi(ModelKitInternals)
  public override func discardBaseline() { original = nil }

  // MARK: Reading and writing

  @_spi(ModelKitInternals)
  public override func staged(_ json: JSONValue, by reader: FieldReader) throws -> () -> Void {
    if hasTransformer(in: reader.context) {
      if (reader as? ModelReader)?.isInOuterRecord(self) == true { return {} }
      let apply = try super.staged(json, by: reader)
      return { [self] in
        if (reader as? ModelReader)?.keeps(self) == true { return }
        if reader.edits == nil { nextChange = .reading }
        apply()
      }
    }
    guard let reader = reader as? ModelReader else {
      return try ModelReader.staged(json, into: self, in: reader.context)
    }
    let isInOuterRecord = reader.isInOuterRecord(self)
    if json.isNull {
      if isInOuterRecord { return {} }
      if let edits = reader.edits { return edit(nil, edits) }
      return { [self] in if reader.keeps(self) { join(read: []) } else { read(nil) } }
    }
    guard case .array(let elements) = json else {
      throw ValueTransformError(expected: "a list", found: json)
    }
    let related = try reader.stage(
      elements, as: Related.self, isForeignKey: isForeignKey, of: self,
      into: reader.readsInPlace(self) ? liveValue : nil)
    if isInOuterRecord { return { for related in related { related.link() } } }
    if let edits = reader.edits { return edit(related, edits) }
    return { [self] in
      if reader.keeps(self) {
        join(read: related.map(\.model))
        // The inverse inside an embedded model would add it beside the kept ones.
        for related in related where !related.model.hasNoIdentifier { related.link() }
        return
      }
      read(related.map(\.model))
      for related in related { related.link() }
      keepLinks(to: related.map(\.model))
    }
  }

  @_spi(ModelKitInternals)
  public override func load(readRelated models: [AnyObject]?) { read(models?.compactMap { $0 as? Related }) }

  @_spi(ModelKitInternals)
  public override func loadUntouched(readRelated models: UnsafeBufferPointer<Unmanaged<AnyObject>>) -> Bool {
    readUntouched(models)
  }

  @_spi(ModelKitInternals)
  public override var hasReleasedModels: Bool {
    isForeignKey && (lacksMembers || table?.hasReleasedMembers == true)
  }

  @_spi(ModelKitInternals)
  public override func withRelatedObjects(
    _ body: (UnsafeBufferPointer<Unmanaged<AnyObject>>?) throws -> Bool
  ) rethrows -> Bool {
    guard table == nil, !isUneven else { return false }
    guard let storedValue else { return try body(nil) }
    return try storedValue.withReferences { try body($0) }
  }

  @_spi(ModelKitInternals)
  public override func writeRelated(
    _ key: UnsafeBufferPointer<UInt8>, to json: inout JSONWriter, by writer: FieldWriter
  ) throws {
    let writer = ModelWriter.writer(for: self, writer)
    noteValueRead()
    let isWritten = try withRelatedObjects { members in
      guard let members else { return false }
      try writer.write(members, key, isForeignKey: isForeignKey, to: &json)
      return true
    }
    if !isWritten { try writer.write(value, key, isForeignKey: isForeignKey, to: &json) }
  }

  @_spi(ModelKitInternals)
  public override func exported(by writer: FieldWriter) throws -> JSONValue? {
    if hasTransformer(in: writer.context) { return try super.exported(by: writer) }
    guard let value else { return nil }
    let writer = ModelWriter.writer(for: self, writer)
    let elements = try value.enumerated().compactMap { index, model in
      do {
        return try writer.json(of: model, isForeignKey: isForeignKey)
      } catch let error as ModelEncodingError {
        throw error.inside(.index(index))
      }
    }
    // A list that seems empty because no member can be referenced would cut the links when it is read.
    return elements.isEmpty && !value.isEmpty ? nil : .array(elements)
  }
}
