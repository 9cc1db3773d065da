@_spi(ModelKitInternals) import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// The fields by priority, small numbers first. Those without priority follow in the order of their declaration,
  /// superclasses first, as if they were numbered from 1,000 on; fields added at run time come after those declared.
  ///
  /// - Complexity: O(*n*) in the number of fields; O(*n* log *n*) if fields were added or an instance has priorities of
  ///   its own.
  public var fields: [AnyField] { allFields }

  /// How much of the model is known. A model that was only referred to is `incomplete`: it has nothing but its
  /// identifier.
  public var loadState: LoadState {
    get { modelLoadState }
    set { modelLoadState = newValue }
  }

  /// Whether a field changed since the model was last loaded or saved.
  public var isDirty: Bool { orderedFields.contains { $0.isDirty } }

  /// The identity map this model is part of; nil before it was loaded, saved or related to a model that has one.
  public var scope: ModelScope? { memberScope }

  /// An instance to look at: which fields there are, what they are called.
  ///
  /// Made for each call. A model lives in one isolation, so one that everybody shares would be a data race, and to make one
  /// costs less than to look for it in a table of the scope.
  public static func prototype() -> Self { Self() }

  /// The keys of all fields, in the order of ``fields``.
  public static var fieldKeys: [String] {
    let prototype = prototype()
    // A field has its key from its model, which must not be gone before.
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
      // While the first instance is made, its layout knows no order yet.
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

  /// Goes through all fields in the order of their declaration, those added at run time last.
  ///
  /// - Parameter body: gets the field and its place in the layout, or -1.
  func forEachField(_ body: (AnyField, Int) throws -> Void) rethrows {
    try layout.forEachField(of: self, body)
    for field in details?.dynamicFields ?? [] { try body(field, -1) }
  }

  /// The key of a field that was found at a place of the layout.
  func key(of field: AnyField, at index: Int) -> String {
    field.declaredKey ?? (index < 0 ? "" : layout.slots[index].propertyName)
  }
}
