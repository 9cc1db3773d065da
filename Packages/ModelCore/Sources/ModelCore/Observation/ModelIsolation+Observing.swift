@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Observes changes of this model and of the models that can be reached from it.
  ///
  /// ```swift
  /// person.addObserver { person, path in print(path) }
  /// person.addObserver(for: "company.name") { person, path in
  ///   show(person["company.name"])
  /// }
  /// person.name.value = "Ada"          // name
  /// person.company.value?.name.value = "ACM"  // company.name, twice
  /// ```
  ///
  /// The observer receives the path of the field that changed, as keys that begin with a field of this model.
  /// `company.name` is a field of a related model. `employees.name` is a field of a list member, without its index,
  /// which may change. The observation follows the graph as it changes. In cycles, each change is reported once, with a
  /// shortest path.
  ///
  /// With a path, the observer is notified of changes of that field and of each field on the path. An observer of
  /// `company.name` is also notified when `company` is replaced. A path through a list observes every member;
  /// `employees[2].name` observes one. A wildcard, `company.*`, observes `company` and everything below it.
  ///
  /// Observers run synchronously before the setter returns, in the order in which they were added. In a `transaction`,
  /// they run at the end, once for every field that changed. Setting an equal value is not a change.
  ///
  /// A model without observers has no cost. An observer without path, or with a wildcard, observes every field it can
  /// reach; one with a path only the fields on the path.
  ///
  /// - Parameters:
  ///   - path: the path to observe; nil for everything. A path that begins with no field of this model is reported to
  ///     ``ModelIssue/handler``, and observed once such a field is added.
  ///   - action: receives this model and the path of the field that changed. The model retains the closure: capture the
  ///     model weakly, if at all.
  /// - Returns: a token that ends the observation when cancelled, but not when released.
  @discardableResult
  public func addObserver(
    for path: FieldPath? = nil, action: @escaping (_ model: Self, _ path: FieldPath) -> Void
  ) -> ObservationToken {
    watch(for: path).addObserver(updateImmediately: false) { [weak self] _, changed in
      if let self { action(self, changed) }
    }
  }

  /// Observes changes with a closure without parameters: see `addObserver(for:action:)`.
  ///
  /// - Parameters:
  ///   - path: the path to observe; nil for everything.
  ///   - action: called for every change.
  /// - Returns: a token that ends the observation when cancelled, but not when released.
  @discardableResult
  public func addObserver(for path: FieldPath? = nil, action: @escaping () -> Void) -> ObservationToken {
    watch(for: path).addObserver(updateImmediately: false) { _, _ in action() }
  }

  /// Observes changes until an owner is deallocated: see `addObserver(for:action:)`.
  ///
  /// - Parameters:
  ///   - owner: held weakly; the observation ends with its deallocation, or with ``removeObserver(_:)``.
  ///   - path: the path to observe; nil for everything.
  ///   - action: receives this model and the path of the field that changed. Capture the owner weakly.
  /// - Returns: a token that ends the observation when cancelled, but not when released.
  @discardableResult
  public func addObserver(
    _ owner: some ObservationOwner, for path: FieldPath? = nil,
    action: @escaping (_ model: Self, _ path: FieldPath) -> Void
  ) -> ObservationToken {
    watch(for: path).addObserver(owner, updateImmediately: false) { [weak self] changed in
      if let self { action(self, changed) }
    }
  }

  /// Ends all observations of this model by an owner. An object that is not an owner is ignored.
  public func removeObserver(_ owner: AnyObject) {
    for watch in (details?.watches ?? [:]).values { watch.removeObserver(owner) }
  }

  /// Ends all observations of this model, but not those of its fields.
  public func removeAllObservers() {
    for watch in (details?.watches ?? [:]).values { watch.removeAllObservers() }
    details?.watches = [:]
    if self is any ChangeIntercepting { interceptChanges() }
  }
}
