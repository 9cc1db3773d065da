@_spi(ModelKitInternals) public import FieldKit

@_spi(ModelKitInternals)
extension ValueTransformerContext {
  /// A model that was just made, with what is known of it besides its class.
  public func prepared<M: ModelObject>(_ model: M) -> M {
    if preparation != nil { prepare(model) }
    return model
  }

  /// Has the fields of a model completed by what is known of it besides its class, unless that was done.
  public func prepare(_ model: ModelObject) {
    guard let preparation, !model.isPrepared else { return }
    model.isPrepared = true
    preparation.prepare(model)
  }
}

@_spi(ModelKitInternals)
extension ModelObject {
  /// The declared fields with the names of their properties, in the order of their declaration, superclasses first.
  public var declaredFields: [(index: Int, name: String, field: AnyField)] {
    var fields: [(index: Int, name: String, field: AnyField)] = []
    layout.forEachField(of: self) { field, index in
      fields.append((index, layout.slots[index].propertyName, field))
    }
    return fields
  }

  /// The field at a place of the layout.
  ///
  /// - Complexity: O(1).
  public func declaredField(at index: Int) -> AnyField? { layout.field(at: index, of: self) }

  /// The name of the property that holds a field. A field that was added at run time has one only if it got it.
  public func nameOfProperty(holding field: AnyField) -> String? {
    layout.propertyName(of: field, in: self) ?? details?.dynamicNames[ObjectIdentifier(field)]
  }

  /// Adds a field to this one model that is called by a name besides its key.
  ///
  /// - Throws: `FieldError`; the model stays as it is.
  public func add(field: AnyField, named name: String) throws {
    guard let model = self as? any Model else { return }
    try model.add(field: field)
    detailsForWriting.dynamicNames[ObjectIdentifier(field)] = name
  }

  /// Whether a store or a document gave the model its values, or part of them.
  public var wasRead: Bool { origin == .read }

  /// Completes the declarations of fields of a model that was just made.
  public func apply(_ declarations: [PlacedDeclaration]) {
    let layout = layout
    guard layout.isProven else {
      for declaration in declarations {
        if let field = layout.field(at: declaration.index, of: self) { declaration.apply(to: field) }
      }
      return
    }
    let places = layout.slots.indices
    // Declarations are not copied here: to retain what they refer to would cost more than to apply them.
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

/// What completes the declaration of one field of a class.
@_spi(ModelKitInternals)
public struct PlacedDeclaration: Sendable {
  /// The place of the field in the layout of its class.
  public let index: Int
  let field: FieldDeclaration?
  let relation: RelationDeclaration?
  /// That of the declaration of the field.
  let place: MetadataPlace?
  /// Whether there is nothing to say but what goes to the place.
  let isForPlace: Bool

  /// Creates a declaration for the field at a place.
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

@_spi(ModelKitInternals)
extension PlacedDeclaration {
  /// Whether there is anything to say.
  public var isUseful: Bool { field != nil || relation != nil }
}
