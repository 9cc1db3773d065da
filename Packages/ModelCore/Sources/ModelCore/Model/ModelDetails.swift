@_spi(ModelKitInternals) import FieldKit

/// What few models need, made when it is first needed.
final class ModelDetails {
  /// The fields, if the class's layout could not be proven.
  var mirroredFields: [AnyField?]?
  /// The fields that were found in variables, also those that were replaced since.
  var variableFields: [AnyField] = []
  /// The fields that were added at run time, in the order in which they were.
  var dynamicFields: [AnyField] = []
  /// What fields that were added at run time are called where they have a name besides their key.
  var dynamicNames: [ObjectIdentifier: String] = [:]
  /// Rules about several fields.
  var rules: [() -> ModelRuleFailure?] = []
  /// Errors that were added by hand or by rules about several fields.
  var errors: [PlacedError] = []
  /// What is observed, by path; an empty wildcard for everything.
  var watches: [FieldPath: ModelWatch] = [:]
  /// What was read of the model and is in none of its fields.
  var remainder: Remainder?
  /// The load from a document of which the store does not know yet.
  var documentLoad: DocumentLoad?
  /// The changed fields of which nobody knows what the store had when they were changed.
  var unknownBaselines: Set<ObjectIdentifier> = []
  /// What relations led to before they were unloaded.
  var staleInverses = StaleInverses()
  /// Who has to know when the model gets another field.
  private var watchers: [WeakWatcher] = []

  private struct WeakWatcher {
    weak var watcher: (any ModelWatcher)?
  }

  func disownFields() {
    for field in variableFields { field.disown() }
    for field in dynamicFields { field.disown() }
  }

  func add(_ watcher: any ModelWatcher) {
    watchers.removeAll { $0.watcher == nil }
    watchers.append(WeakWatcher(watcher: watcher))
  }

  func fieldAdded(_ field: AnyField, to model: ModelObject) {
    for entry in watchers { entry.watcher?.fieldAdded(field, to: model) }
  }
}

extension ModelObject {
  /// Whether fields were added to this one model.
  var hasDynamicFields: Bool { details.map { !$0.dynamicFields.isEmpty } ?? false }

  var detailsForWriting: ModelDetails {
    if let details { return details }
    let details = ModelDetails()
    self.details = details
    return details
  }
}
