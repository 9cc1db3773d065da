@_spi(ModelKitInternals) public import FieldKit

@_spi(ModelKitInternals)
extension ValueTransformerContext {
  /// Returns a new model after completing its declarations from outside its class, such as from a schema.
  public func prepared<M: ModelObject>(_ model: M) -> M {
    if preparation != nil { prepare(model) }
    return model
  }

  /// Creates a model for a record of a store. Values that its `init` sets are initial values, not edits.
  public func makeStored<M: ModelObject>(_ type: M.Type) -> M {
    let model = prepared(type.init())
    model.acceptInitialValues()
    return model
  }

  /// Completes the fields of a model with declarations from outside its class, unless that was done.
  public func prepare(_ model: ModelObject) {
    guard let preparation, !model.isPrepared else { return }
    model.isPrepared = true
    preparation.prepare(model)
  }
}

extension ModelObject {
  /// Makes the values that the class sets in `init` initial ones. Related models are only those of the record.
  ///
  /// - Returns: whether there are such values.
  @discardableResult
  func acceptInitialValues() -> Bool {
    var hasEdits = false
    forEachField { field, _ in
      guard field.isDirty else { return }
      hasEdits = true
      if let relation = field as? any Relation {
        relation.unlink(relation.relatedModels)
        field.unload()
      } else {
        field.markInitial()
      }
    }
    return hasEdits
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The declared fields with their property names, in the order of their declaration, superclasses first.
  public var declaredFields: [(index: Int, name: String, field: AnyField)] {
    var fields: [(index: Int, name: String, field: AnyField)] = []
    layout.forEachField(of: self) { field, index in
      fields.append((index, layout.slots[index].propertyName, field))
    }
    return fields
  }

  /// Returns the field at an index of the layout.
  ///
  /// - Complexity: O(1).
  public func declaredField(at index: Int) -> AnyField? { layout.field(at: index, of: self) }

  /// Returns the name of the property that holds a field. A field added at run time has one only if it was added with a
  /// name.
  public func nameOfProperty(holding field: AnyField) -> String? {
    layout.propertyName(of: field, in: self) ?? details?.dynamicNames[ObjectIdentifier(field)]
  }

  /// Adds a field to this one model under a property name that differs from its key.
  ///
  /// - Throws: `FieldError`; the model stays as it is.
  public func add(field: AnyField, named name: String) throws {
    guard let model = self as? any Model else { return }
    try model.add(field: field)
    detailsForWriting.dynamicNames[ObjectIdentifier(field)] = name
  }

  /// Completes the declarations of fields of a new model.
  public func apply(_ declarations: [CompletedDeclaration]) {
    let layout = layout
    guard layout.isProven else {
      for declaration in declarations {
        if let field = layout.field(at: declaration.index, of: self) { declaration.apply(to: field) }
      }
      return
    }
    let places = layout.slots.indices
    // Declarations are not copied here: retaining their references would cost more than applying them.
    declarations.withUnsafeBufferPointer { declarations in
      guard var next = declarations.baseAddress else { return }
      let end = next + declarations.count
      while next < end {
        let index = next.pointee.index
        if places.contains(index), let field = layout.reference(at: index, of: self),
          !next.pointee.isForPlace || next.pointee.place?.complete(field) != true
        {
          field._withUnsafeGuaranteedRef { next.pointee.apply(to: $0) }
        }
        next += 1
      }
    }
  }
}

/// The completion of the declaration of one field of a class.
@_spi(ModelKitInternals)
public struct CompletedDeclaration: Sendable {
  /// The index of the field in the layout of its class.
  let index: Int
  let field: FieldDeclaration?
  let relation: RelationDeclaration?
  /// The metadata of the field that the declaration sets.
  let place: MetadataLocation?
  /// Whether the declaration sets nothing besides the metadata.
  let isForPlace: Bool

  /// Creates a declaration for the field at an index.
  public init(index: Int, field: FieldDeclaration?, relation: RelationDeclaration?) {
    self.index = index
    self.field = field
    self.relation = relation
    place = field?.place
    isForPlace = relation == nil
  }

  func apply(to field: AnyField) {
    _ = self.field?.apply(to: field)
    relation?.apply(to: field)
  }
}

extension CompletedDeclaration {
  /// Whether the declaration sets anything.
  public var isUseful: Bool { field != nil || relation != nil }
}
