@_spi(ModelKitInternals) import FieldKit

/// The offsets of the fields of one model class, found by reflection once per class.
///
/// Reflecting every instance with `Mirror` would cost more than decoding it. The stored properties of the class are
/// looked up once, superclasses first, so an inherited field has the same index in every subclass. The layout is proven
/// on the first instance before it is used: see `ModelLayout+Discovery.swift`.
final class ModelLayout: Sendable {
  struct Slot: Sendable {
    /// The name of the property. That of a property wrapper lacks the underscore of its storage.
    let propertyName: String
    /// The name of the stored property.
    let storedName: String
    /// Bytes from the start of the object to the reference.
    let offset: Int
    let isOptional: Bool
    /// The number of stored properties of superclasses with the same name, which private ones may have.
    var namesakes = 0
    /// Whether the property may be set to another field.
    var isVariable = false
    /// Whether it is the storage of a property wrapper, which is set only while a model is created.
    var isWrapper = false
    /// How the direct path converts between bytes and the value of the field.
    var kind = DirectKind.value
  }

  let slots: [Slot]
  /// The offsets of the fields if none is variable, for creating and deallocating a model.
  private let fixedOffsets: ContiguousArray<Int>?
  /// Whether fields may be read at their offsets. Otherwise every instance is mirrored when it is created.
  let isProven: Bool
  /// Whether there is a variable property.
  private let hasVariables: Bool
  /// The name of the class in stores.
  let typeName: String
  /// The error of a property that no record can have, for which stores reject the class.
  let wrongDeclaration: FieldError?
  /// The topmost class of the hierarchy, which represents the hierarchy in registries.
  let rootClass: ModelObject.Type
  /// The index of the identifier field, if the class declares it.
  let identifierIndex: Int?
  /// The indices of the relations.
  let relationIndices: [Int]
  /// The order of the fields in a form, taken from the first instance.
  let order: FieldOrder
  /// Whether the class conforms to `FieldInitializing`.
  let initializesFields: Bool
  /// Whether the class takes part in reading or writing, so that its models need the tree path.
  let readsOrWritesByItself: Bool
  /// The index of the inverse field for each relation and class of related models, or -1 if there is none.
  let inverses = Lock<[InverseKey: Int]>([:])

  /// The relations that their inverse stores.
  let storedByInverse = Lock(RelationsStoredByInverse())

  /// The plans for converting between bytes and fields, for each spelling of keys.
  let directPlans = Lock<[DirectPlan.Key: DirectPlan]>([:])

  /// The indices of the fields whose values are properties, by the key paths of these.
  private let properties = Lock<[ObjectIdentifier: Int]>([:])

  struct InverseKey: Hashable, Sendable {
    let index: Int
    let relatedClass: ObjectIdentifier
  }

  init(
    modelClass: ModelObject.Type, slots: [Slot], isProven: Bool, identifierIndex: Int?,
    order: FieldOrder = FieldOrder(), wrongDeclaration: FieldError? = nil
  ) {
    self.order = order
    self.wrongDeclaration = wrongDeclaration
    initializesFields =
      modelClass is any FieldInitializing.Type || modelClass is any FieldListing.Type
      || modelClass is any ChangeIntercepting.Type
    readsOrWritesByItself =
      modelClass is any DocumentConverting.Type || modelClass is any ReadingHook.Type
    self.slots = slots
    relationIndices = slots.indices.filter { slots[$0].kind == .relation }
    let isFixed = isProven && !slots.contains(where: \.isVariable)
    fixedOffsets = isFixed ? ContiguousArray(slots.map(\.offset)) : nil
    self.isProven = isProven
    hasVariables = slots.contains { $0.isVariable || (!isProven && $0.isWrapper) }
    self.identifierIndex = identifierIndex
    typeName = modelClass.typeName
    rootClass = Self.rootClass(of: modelClass)
  }

  // MARK: One layout per class

  private static let layouts = ClassTable<ModelLayout>(bucketCount: 1_024)

  /// Used while the first instance of a class is reflected.
  static let unknown = ModelLayout(modelClass: ModelObject.self, slots: [], isProven: true, identifierIndex: nil)

  static func known(for modelClass: ModelObject.Type) -> ModelLayout? {
    layouts[ObjectIdentifier(modelClass)]
  }

  /// Adds a layout to the table. If another thread added one before, returns that one.
  static func remember(_ layout: ModelLayout, for modelClass: ModelObject.Type) -> ModelLayout {
    layouts.add(layout, for: ObjectIdentifier(modelClass))
  }

  // MARK: Properties

  /// Returns the index of the field whose value a property is; nil if it has not been found yet.
  func index(of property: AnyKeyPath) -> Int? { properties.withLock { $0[ObjectIdentifier(property)] } }

  /// Stores the index of the field whose value a property is.
  func remember(_ property: AnyKeyPath, at index: Int) {
    let id = ObjectIdentifier(property)
    properties.withLock { known in
      // One that captures values is a new object at each evaluation.
      guard known[id] == nil, known.count < 1_000 else { return }
      known[id] = index
      // Never released, so that no other one gets its address.
      _ = Unmanaged.passRetained(property)
    }
  }

  // MARK: Fields

  /// Makes a model the owner of its fields.
  func adoptFields(of model: ModelObject) {
    if forEachFixedField(of: model, { field, index in field.adopt(by: model, at: index) }) { return }
    if !isProven { model.detailsForWriting.mirroredFields = mirroredFields(of: model) }
    forEachField(of: model, isNew: true) { field, index in field.adopt(by: model, at: index) }
  }

  /// Ends the ownership of the fields in the deinitialiser of the model. Some fields may outlive it.
  func disownFields(of model: ModelObject) {
    if isProven {
      if !forEachFixedField(of: model, { field, _ in field.clearOwner() }) {
        forEachField(of: model) { field, _ in field.clearOwner() }
      }
    } else {
      // A model that is being deallocated is not mirrored again. Fields set later are among the variable ones.
      for field in model.details?.mirroredFields ?? [] { field?.clearOwner() }
    }
    model.details?.disownFields()
  }

  /// Returns the fields of a model in the order of their declaration, superclasses first, without optional fields that
  /// are nil.
  func fields(of model: ModelObject) -> [AnyField] {
    var fields: [AnyField] = []
    fields.reserveCapacity(slots.count)
    forEachField(of: model) { field, _ in fields.append(field) }
    return fields
  }

  func field(at index: Int, of model: ModelObject) -> AnyField? {
    guard slots.indices.contains(index) else { return nil }
    guard isProven else {
      let mayChange = slots[index].isVariable || slots[index].isWrapper
      let field = mayChange ? mirroredFields(of: model)[index] : model.details?.mirroredFields?[index]
      if let field, slots[index].isVariable { adoptVariable(field, of: model, at: index) }
      return field
    }
    let field = reference(at: index, of: model)?.takeUnretainedValue()
    if let field, slots[index].isVariable { adoptVariable(field, of: model, at: index) }
    return field
  }

  @inline(__always)
  func forEachField(
    of model: ModelObject, isNew: Bool = false, _ body: (AnyField, Int) throws -> Void
  ) rethrows {
    guard isProven else {
      let fields = hasVariables ? mirroredFields(of: model) : model.details?.mirroredFields ?? []
      for (index, field) in fields.enumerated() {
        guard let field else { continue }
        if slots[index].isVariable {
          adoptVariable(field, of: model, at: index)
        } else if slots[index].isWrapper, !isNew, field.owner !== model {
          adoptReplaced(field, of: model, at: index)
        }
        try body(field, index)
      }
      return
    }
    for index in slots.indices {
      // The model retains its fields; another retain would cost more than the work of the closure.
      try reference(at: index, of: model)?._withUnsafeGuaranteedRef {
        if slots[index].isVariable {
          adoptVariable($0, of: model, at: index)
        } else if slots[index].isWrapper, !isNew, $0.owner !== model {
          adoptReplaced($0, of: model, at: index)
        }
        try body($0, index)
      }
    }
  }

  /// Calls a closure for the fields of a model, if none of them is variable.
  ///
  /// - Returns: `false` if the class has variable fields; the closure was not called then.
  @inline(__always)
  func forEachFixedField(of model: ModelObject, _ body: (AnyField, Int) -> Void) -> Bool {
    guard let fixedOffsets else { return false }
    let start = UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
    for index in fixedOffsets.indices {
      // See `reference(at:of:)`.
      start.load(fromByteOffset: fixedOffsets[index], as: Unmanaged<AnyField>?.self)?
        ._withUnsafeGuaranteedRef { body($0, index) }
    }
    return true
  }

  /// Adopts a field of a variable or lazy property, which may be set after the model was created. The model keeps such
  /// fields until it is deallocated, because it has to clear the owner of every field it adopted.
  private func adoptVariable(_ field: AnyField, of model: ModelObject, at index: Int) {
    if field.owner !== model || Int(field.layoutIndex) != index {
      field.adopt(by: model, at: index)
      if model.watchesFields { field.beginTracking(isFollowed: index == identifierIndex) }
    }
    if model.details?.variableFields.contains(where: { $0 === field }) == true { return }
    model.detailsForWriting.variableFields.append(field)
    model.details?.fieldAdded(field, to: model)
  }

  /// Adopts a field that replaced another one in a property wrapper after the model was created, which is a mistake.
  private func adoptReplaced(_ field: AnyField, of model: ModelObject, at index: Int) {
    adoptVariable(field, of: model, at: index)
    let name = slots[index].propertyName
    ModelIssue.report(
      FieldError(
        notSet: FieldPath(verbatim: name),
        "the field of \(type(of: model)).\(name) was replaced. Assign to \(name), not to _\(name)", .notFound))
  }

  func propertyName(of field: AnyField, in model: ModelObject) -> String? {
    let index = Int(field.layoutIndex)
    guard slots.indices.contains(index), self.field(at: index, of: model) === field else { return nil }
    return slots[index].propertyName
  }

  /// Returns the field at an index in a class whose layout is proven, without retaining it.
  @inline(__always)
  func reference(at index: Int, of model: ModelObject) -> Unmanaged<AnyField>? {
    // The proof: every instance has a strong reference to a field at this offset, or nil for an optional one.
    UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
      .load(fromByteOffset: slots[index].offset, as: Unmanaged<AnyField>?.self)
  }
}
