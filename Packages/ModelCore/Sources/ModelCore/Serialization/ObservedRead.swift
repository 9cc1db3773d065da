@_spi(ModelKitInternals) import FieldKit

/// A read of an object into a model whose fields are observed.
///
/// A binding may set other fields of the model while some fields have their new values and others don't. The values of
/// the object replace such intermediate ones, and the fields are clean. Fields that were dirty before the read keep
/// their local changes.
final class ObservedRead {
  private let model: ModelObject
  private let localChanges: LocalChanges
  private let fields: [AnyField]
  private var kept: Set<ObjectIdentifier> = []
  private var loads: [(field: AnyField, load: () -> Void)] = []
  private weak var map: IdentityMap?

  /// - Parameter fields: the fields in the object, other than relations.
  init(of model: ModelObject, _ fields: [AnyField], _ localChanges: LocalChanges) {
    self.model = model
    self.fields = fields
    self.localChanges = localChanges
  }

  /// Begins the read, before the first value is set.
  func begin() {
    kept = Set(fields.lazy.filter(localChanges.keep).map { ObjectIdentifier($0) })
    guard let map = model.identityMap, map.isRecorded else { return }
    self.map = map
    for field in fields where !kept.contains(ObjectIdentifier(field)) {
      map.fieldsBeingRead.insert(ObjectIdentifier(field))
    }
  }

  /// Reads a value, unless the field keeps its local change.
  func load(_ field: AnyField, _ load: @escaping () -> Void) {
    if kept.contains(ObjectIdentifier(field)) { return }
    loads.append((field, load))
    load()
  }

  /// Reads the values again that a binding has replaced since.
  func end() {
    for (field, load) in loads where field.isDirty { load() }
    loads = []
    if let map { for field in fields { map.fieldsBeingRead.remove(ObjectIdentifier(field)) } }
  }
}
