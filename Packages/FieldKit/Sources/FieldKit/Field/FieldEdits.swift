/// The fields that an edit from a document changes, each with the value it had before.
@_spi(ModelKitInternals)
public final class FieldEdits {
  /// A changed field with its state before the change.
  public struct Edit {
    /// The changed field.
    public let field: AnyField
    /// Whether the field had a local change before.
    public let wasDirty: Bool
    /// The state before the edit.
    public let oldState: FieldState
  }

  /// The changes in their order, one for each field.
  public private(set) var edits: [Edit] = []
  /// The models that were created by the edit.
  public var newModels: [AnyObject] = []
  /// The closures that restore other state of the edited models, in the order of the changes.
  public var restorations: [() -> Void] = []
  private var known: Set<ObjectIdentifier> = []

  /// Creates a record without changes.
  public init() {}

  /// Records a field before it is changed.
  public func willEdit(_ field: AnyField) {
    guard known.insert(ObjectIdentifier(field)).inserted else { return }
    edits.append(Edit(field: field, wasDirty: field.isDirty, oldState: field.captureState()))
  }

  /// Runs a closure, and records the fields with unsaved values that it sets.
  public func recordSets(of fields: [AnyField], _ body: () -> Void) {
    let before = fields.map { field in
      (edit: Edit(field: field, wasDirty: field.isDirty, oldState: field.captureState()), lastSet: field.lastSet)
    }
    body()
    for (edit, lastSet) in before where edit.field.isDirty && edit.field.lastSet != lastSet {
      if known.insert(ObjectIdentifier(edit.field)).inserted { edits.append(edit) }
    }
  }

  /// Records a field that has the value of the document already. If it is an unsaved edit, it is saved with the others.
  public func noteEqualValue(of field: AnyField) {
    if field.isDirty { willEdit(field) }
  }
}

extension Field {
  /// Returns a closure that sets a value as a local edit. A field that has the value already is not set.
  func edit(_ value: Content?, _ edits: FieldEdits, in context: ValueTransformerContext) -> () -> Void {
    { [self] in
      let newValue = flags.contains(.hooksSet) ? constrained(value) : value
      if loadState == .loaded, areSame(storage, newValue, in: context) { return edits.noteEqualValue(of: self) }
      edits.willEdit(self)
      set(newValue, stamp: .next())
    }
  }

  /// Returns whether two values are equal. Values that can't be compared are compared as they are written.
  func areSame(_ one: Content?, _ other: Content?, in context: ValueTransformerContext) -> Bool {
    guard isChange(from: one, to: other) else { return true }
    guard equality == nil, let one, let other, let json = try? exportedValue(one, in: context) else { return false }
    return (try? exportedValue(other, in: context)) == json
  }
}
