@_spi(ModelKitInternals) import FieldKit

/// Where the fields of one model class lie, found by reflection once per class.
///
/// Reflecting every instance with `Mirror` would cost more than decoding it. So the stored properties of the class are
/// looked up once, superclasses first, which gives an inherited field the same index in every subclass. The result is
/// proven on the first instance before it is trusted: see `ModelLayout+Discovery.swift`.
final class ModelLayout: Sendable {
  struct Slot: Sendable {
    /// The name of the property. That of a property wrapper lacks the underscore of its storage.
    let propertyName: String
    /// The name of the stored property.
    let storedName: String
    /// Bytes from the start of the object to the reference.
    let offset: Int
    let isOptional: Bool
    /// How many stored properties of superclasses have the same name, as private ones may.
    var namesakes = 0
    /// Whether another field may come to lie here.
    var isVariable = false
    /// Whether the storage of a property wrapper lies here, which is set only while a model is made.
    var isWrapper = false
    /// How the field goes between bytes and its value.
    var kind = DirectKind.value
  }

  let slots: [Slot]
  /// Where the fields are in every instance, if none comes later or is replaced: what making and ending a model need.
  private let fixedOffsets: ContiguousArray<Int>?
  /// Whether fields may be read at their offsets. Otherwise every instance is mirrored when it is made.
  let isProven: Bool
  /// Whether there is a property that may get another field.
  private let hasVariables: Bool
  /// What stores call models of this class.
  let typeName: String
  /// The class that stands for the whole hierarchy in registries.
  let rootClass: ModelObject.Type
  /// The place of the identifier field, if it is one of the class's own.
  let identifierIndex: Int?
  /// The places of relations.
  let relationIndices: [Int]
  /// The order of the fields in a form, as the first instance had it.
  let order: FieldOrder
  /// Whether the class wants to see its fields when a model is made.
  let initializesFields: Bool
  /// For each relation and class of related models: the index there of the inverse field, or -1 if there is none.
  let inverses = Lock<[InverseKey: Int]>([:])

  /// How models of this class go between bytes and fields, for each spelling of keys.
  let directPlans = Lock<[DirectPlan.Key: DirectPlan]>([:])

  struct InverseKey: Hashable, Sendable {
    let index: Int
    let relatedClass: ObjectIdentifier
  }

  init(
    modelClass: ModelObject.Type, slots: [Slot], isProven: Bool, identifierIndex: Int?, order: FieldOrder = FieldOrder()
  ) {
    self.order = order
    initializesFields = modelClass is any FieldInitializing.Type
    self.slots = slots
    relationIndices = slots.indices.filter { slots[$0].kind == .relation }
    let isFixed = isProven && !slots.contains(where: \.isVariable)
    fixedOffsets = isFixed ? ContiguousArray(slots.map(\.offset)) : nil
    self.isProven = isProven
    hasVariables = slots.contains(where: \.isVariable)
    self.identifierIndex = identifierIndex
    typeName = modelClass.typeName
    rootClass = Self.rootClass(of: modelClass)
  }

  // MARK: One layout per class

  private static let layouts = LayoutTable()

  /// Used while the first instance of a class is reflected.
  static let unknown = ModelLayout(modelClass: ModelObject.self, slots: [], isProven: true, identifierIndex: nil)

  static func known(for modelClass: ModelObject.Type) -> ModelLayout? {
    layouts.layout(of: modelClass)
  }

  /// Keeps a layout for good. If another thread was faster, its layout stands.
  static func remember(_ layout: ModelLayout, for modelClass: ModelObject.Type) -> ModelLayout {
    layouts.add(layout, for: modelClass)
  }

  // MARK: Fields

  /// Makes a new model the owner of its fields.
  func adoptFields(of model: ModelObject) {
    if forEachFixedField(of: model, { field, index in field.adopt(by: model, at: index) }) { return }
    if !isProven { model.detailsForWriting.mirroredFields = mirroredFields(of: model) }
    forEachField(of: model) { field, index in field.adopt(by: model, at: index) }
  }

  /// Ends the ownership, in the deinitialiser of the model: the fields still exist there, and some may live on.
  func disownFields(of model: ModelObject) {
    if isProven {
      if !forEachFixedField(of: model, { field, _ in field.disown() }) {
        forEachField(of: model) { field, _ in field.disown() }
      }
    } else {
      // A model that dies is not mirrored again. Fields that it got later are among those in variables.
      for field in model.details?.mirroredFields ?? [] { field?.disown() }
    }
    model.details?.disownFields()
  }

  /// The fields of a model in the order of their declaration, superclasses first. Optional fields that are nil are left
  /// out.
  func fields(of model: ModelObject) -> [AnyField] {
    var fields: [AnyField] = []
    fields.reserveCapacity(slots.count)
    forEachField(of: model) { field, _ in fields.append(field) }
    return fields
  }

  func field(at index: Int, of model: ModelObject) -> AnyField? {
    guard slots.indices.contains(index) else { return nil }
    guard isProven else {
      let field = slots[index].isVariable ? mirroredFields(of: model)[index] : model.details?.mirroredFields?[index]
      if let field, slots[index].isVariable { adoptVariable(field, of: model, at: index) }
      return field
    }
    let field = reference(at: index, of: model)?.takeUnretainedValue()
    if let field, slots[index].isVariable { adoptVariable(field, of: model, at: index) }
    return field
  }

  @inline(__always)
  func forEachField(of model: ModelObject, _ body: (AnyField, Int) throws -> Void) rethrows {
    guard isProven else {
      let fields = hasVariables ? mirroredFields(of: model) : model.details?.mirroredFields ?? []
      for (index, field) in fields.enumerated() {
        guard let field else { continue }
        if slots[index].isVariable { adoptVariable(field, of: model, at: index) }
        try body(field, index)
      }
      return
    }
    for index in slots.indices {
      // The model retains its fields; retaining each once more would cost more than what is done with it.
      try reference(at: index, of: model)?._withUnsafeGuaranteedRef {
        if slots[index].isVariable {
          adoptVariable($0, of: model, at: index)
        } else if slots[index].isWrapper, $0.owner !== model {
          adoptReplaced($0, of: model, at: index)
        }
        try body($0, index)
      }
    }
  }

  /// Calls a closure for the fields of a model if all of them are there from its beginning to its end.
  ///
  /// - Returns: `false` if the class has others; then nothing was called.
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

  /// A variable may get another field, and a lazy one its first, after the model was made: they are adopted when they
  /// are met. A model has to disown every field it adopted, so it keeps those that may be replaced until it dies.
  private func adoptVariable(_ field: AnyField, of model: ModelObject, at index: Int) {
    if field.owner !== model || Int(field.layoutIndex) != index {
      field.adopt(by: model, at: index)
      if model.identityMap != nil { field.beWatched(isFollowed: index == identifierIndex) }
    }
    if model.details?.variableFields.contains(where: { $0 === field }) == true { return }
    model.detailsForWriting.variableFields.append(field)
    model.details?.fieldAdded(field, to: model)
  }

  /// Adopts a field that took the place of another one in a property wrapper after the model was made, which is a mistake.
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

  /// The field at an index in a class whose layout is proven, without retaining it.
  @inline(__always)
  func reference(at index: Int, of model: ModelObject) -> Unmanaged<AnyField>? {
    // The proof showed that a strong reference to a field, or nil for an optional one, lies here in every instance.
    UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
      .load(fromByteOffset: slots[index].offset, as: Unmanaged<AnyField>?.self)
  }
}
