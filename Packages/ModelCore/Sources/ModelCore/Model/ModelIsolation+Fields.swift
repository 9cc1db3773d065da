@_spi(ModelKitInternals) import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// The fields by priority, small numbers first.
  ///
  /// Fields without priority are numbered from 1,000 on, in the order of their declaration, superclasses first. Fields
  /// added at run time follow the declared ones.
  ///
  /// - Complexity: O(*n*) in the number of fields; O(*n* log *n*) if fields were added at run time or this model has
  ///   priorities of its own.
  public var fields: [AnyField] { allFields }

  /// Whether the model is loaded or `incomplete`. An incomplete model is an unloaded reference: it has only its
  /// identifier.
  public var loadState: LoadState {
    get { modelLoadState }
    set { modelLoadState = newValue }
  }

  /// Whether a field changed since the model was last loaded or saved.
  public var isDirty: Bool { orderedFields.contains { $0.isDirty } }

  /// The scope whose identity map contains this model; nil until the model is loaded or saved, or is linked to a model
  /// with a scope.
  public var scope: ModelScope? { memberScope }

  /// Creates an instance for reading the declaration of the class: its fields and their keys.
  ///
  /// Each call creates a new instance: a shared one would be a data race, because a model belongs to one isolation.
  /// Creating one is cheaper than a lookup in a table of the scope.
  public static func prototype() -> Self { Self() }

  /// The keys of all fields, in the order of ``fields``.
  public static var fieldKeys: [String] {
    let prototype = prototype()
    // A field gets its key from its model, which must stay alive.
    return withExtendedLifetime(prototype) { prototype.fields.compactMap(\.key) }
  }
}

extension ModelObject {
  var allFields: [AnyField] { orderedFields }

  /// All fields by priority.
  var orderedFields: [AnyField] {
    let order = layout.order
    var isAsFirst = true
    var fields: [AnyField] = []
    fields.reserveCapacity(layout.slots.count)
    layout.forEachField(of: self) { field, index in
      // The layout of the first instance has no order while it is built.
      if index >= order.priorities.count || field.priority != order.priorities[index] { isAsFirst = false }
      fields.append(field)
    }
    if let dynamicFields = details?.dynamicFields, !dynamicFields.isEmpty {
      isAsFirst = false
      fields += dynamicFields
    }
    if isAsFirst, fields.count == layout.slots.count { return order(fields) }
    return FieldOrder(fields.map(\.priority))(fields)
  }

  /// Calls a closure for all fields in the order of their declaration, those added at run time last.
  ///
  /// - Parameter body: receives the field and its index in the layout, or -1 for a field added at run time.
  func forEachField(_ body: (AnyField, Int) throws -> Void) rethrows {
    try layout.forEachField(of: self, body)
    for field in details?.dynamicFields ?? [] { try body(field, -1) }
  }

  /// Returns the key of a field at an index of the layout.
  func key(of field: AnyField, at index: Int) -> String {
    field.declaredKey ?? (index < 0 ? "" : layout.slots[index].propertyName)
  }
}
