@_spi(ModelKitInternals) import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// The fields in the order of their declaration, superclasses first; those with a priority before the others, small
  /// numbers first.
  ///
  /// - Complexity: O(*n*) in the number of fields; O(*n* log *n*) if some have priorities.
  public var fields: [any FieldProtocol] { allFields }

  /// How much of the model is known. A model that was only referred to is `incomplete`: it has nothing but its
  /// identifier.
  public var loadState: LoadState {
    get { modelLoadState }
    set { modelLoadState = newValue }
  }

  /// Whether a field changed since the model was last loaded or saved.
  public var isDirty: Bool { allFields.contains { $0.isDirty } }

  /// The identity map this model is part of; nil before it was loaded, saved or related to a model that has one.
  public var scope: ModelScope? { memberScope }

  /// An instance to look at: which fields there are, what they are called. Made for each call.
  public static func prototype() -> Self { Self() }

  /// The keys of all fields, in the order of ``fields``.
  public static var fieldKeys: [String] {
    let prototype = prototype()
    // A field has its key from its model, which must not be gone before.
    return withExtendedLifetime(prototype) { prototype.fields.compactMap(\.key) }
  }
}

extension ModelObject {
  var allFields: [any FieldProtocol] {
    let fields = layout.fields(of: self) as [any FieldProtocol]
    guard fields.contains(where: { $0.priority != nil }) else { return fields }
    // Fields without priority follow those that have one, as if numbered from 1,000 on.
    return fields.enumerated()
      .map { (order: $1.priority ?? 1_000 + $0, field: $1) }
      .enumerated()
      .sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
      .map(\.element.field)
  }
}
