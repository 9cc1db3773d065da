@_spi(ModelKitInternals) import FieldKit

/// The state that few models need, created on first use.
final class ModelDetails {
  /// The fields, if the layout of the class is not proven.
  var mirroredFields: [AnyField?]?
  /// The fields found in variable properties, including those replaced since.
  var variableFields: [AnyField] = []
  /// The fields added at run time, in the order in which they were added.
  var dynamicFields: [AnyField] = []
  /// The property names of fields added at run time that have one besides their key.
  var dynamicNames: [ObjectIdentifier: String] = [:]
  /// Rules over several fields.
  var rules: [() -> ModelRuleFailure?] = []
  /// Errors added by the app or by rules over several fields.
  var errors: [LocatedError] = []
  /// The observations by path; the empty wildcard observes everything.
  var watches: [FieldPath: ModelWatch] = [:]
  /// The keys and values that were read and belong to none of the fields.
  var remainder: Remainder?
  /// A load from a document that is not yet in the store.
  var documentLoad: DocumentLoad?
  /// When `beforeSave()` ended, in a save that waits for asynchronous rules.
  var beforeSave: (start: ChangeStamp, end: ChangeStamp)?
  /// The changed fields whose stored value was unknown when they were changed.
  var unknownBaselines: Set<ObjectIdentifier> = []
  /// The identifiers of the links that reads of other records removed. The record of the model may still have them.
  var formerLinks: [ObjectIdentifier: String] = [:]
  /// The number of deletions of the model by stores.
  var deletions = 0
  /// The open transaction that deleted the model, and so removed it from the scope; the outermost one if several are
  /// nested.
  weak var deletion: TransactionEdits?
  /// The relations that embed the model.
  var containers = Containers()
  /// The models that relations referenced before they were unloaded.
  var staleInverses = StaleInverses()
  /// The objects to notify when a field is added to the model.
  private var watchers: [WeakWatcher] = []

  private struct WeakWatcher {
    weak var watcher: (any ModelWatcher)?
  }

  func disownFields() {
    for field in variableFields { field.clearOwner() }
    for field in dynamicFields { field.clearOwner() }
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
