@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Observes changes of this model and of the models that can be reached from it.
  ///
  /// ```swift
  /// person.addObserver { person, path in print(path) }
  /// person.addObserver(for: "company.name") { person, path in show(person["company.name"]) }
  /// person.name.value = "Ada"          // name
  /// person.company.value?.name.value = "ACM"  // company.name, twice
  /// ```
  ///
  /// The observer hears which field changed, as a path of keys that begins with a field of this model: `company.name` for a
  /// field of a related model, `employees.name` for one of a member of a list, without the member's position, which may
  /// change any time. The graph is followed as it changes. In circles each change is told once, by a shortest path.
  ///
  /// With a path it hears of the changes of that field, and of every field on the way: when `company` is replaced, an
  /// observer of `company.name` hears of `company`. A path into a list is about every member, `employees[2].name` about
  /// one. A wildcard, `company.*`, is about `company` and everything below.
  ///
  /// Observers run synchronously, before the setter returns, in the order in which they were added. In a `transaction` each
  /// is called at the end, once for every field that changed. Setting an equal value is no change.
  ///
  /// A model that is not observed pays nothing for this. One observer without path, or with a wildcard, makes every field
  /// it can reach an observed field; one with a path only those on the path.
  ///
  /// - Parameters:
  ///   - path: what to observe. Nil: everything. A path that begins with no field of this model is reported to
  ///     ``ModelIssue/handler``, and observed as soon as there is such a field.
  ///   - action: gets this model and the path of the field that changed. It is kept by this model: don't capture it.
  /// - Returns: a token that ends the observation. Dropping it doesn't.
  @discardableResult
  public func addObserver(
    for path: FieldPath? = nil, action: @escaping (_ model: Self, _ path: FieldPath) -> Void
  ) -> ObservationToken {
    watch(for: path).addObserver(updateImmediately: false) { [weak self] _, changed in
      if let self { action(self, changed) }
    }
  }

  /// Observes changes with a closure that wants no details: see `addObserver(for:action:)`.
  ///
  /// - Parameters:
  ///   - path: what to observe. Nil: everything.
  ///   - action: called for every change.
  /// - Returns: a token that ends the observation. Dropping it doesn't.
  @discardableResult
  public func addObserver(for path: FieldPath? = nil, action: @escaping () -> Void) -> ObservationToken {
    watch(for: path).addObserver(updateImmediately: false) { _, _ in action() }
  }

  /// Observes changes for as long as an owner lives: see `addObserver(for:action:)`.
  ///
  /// - Parameters:
  ///   - owner: held weakly; the observation ends with it, or with ``removeObserver(_:)``.
  ///   - path: what to observe. Nil: everything.
  ///   - action: gets this model and the path of the field that changed. Capture the owner weakly.
  /// - Returns: a token that ends the observation. Dropping it doesn't.
  @discardableResult
  public func addObserver(
    _ owner: some ObservationOwner, for path: FieldPath? = nil,
    action: @escaping (_ model: Self, _ path: FieldPath) -> Void
  ) -> ObservationToken {
    watch(for: path).addObserver(owner, updateImmediately: false) { [weak self] changed in
      if let self { action(self, changed) }
    }
  }

  /// Ends all observations of this model by an owner. A stranger is ignored.
  public func removeObserver(_ owner: AnyObject) {
    for watch in (details?.watches ?? [:]).values { watch.removeObserver(owner) }
  }

  /// Ends all observations of this model. Observers of its fields stay.
  public func removeAllObservers() {
    for watch in (details?.watches ?? [:]).values { watch.removeAllObservers() }
    details?.watches = [:]
  }
}
