@_spi(ModelKitInternals) public import FieldKit

extension ModelIsolation where Self: ModelObject {
  /// Validates every field, then the rules over several fields, then ``ModelObject/validateModel()``.
  ///
  /// Embedded models are validated first, unless a store has a record of their own: they are part of the record of this
  /// model. Other related models are not validated, unless a relation declares `requireValid()`. Errors added by the
  /// app are discarded.
  ///
  /// Asynchronous rules are not checked, but their results for the present values count if they are known: see
  /// ``validateFully()``.
  ///
  /// - Returns: `.valid`, or `.invalid` with messages that name the field, such as `lines[0].text cannot be blank`. If
  ///   only asynchronous rules are left to check, `.validating` during a check, otherwise `.unknown`.
  @discardableResult
  public func validate() -> ValidationState { validateFields() }

  /// Validates as ``validate()`` does, and waits for the asynchronous rules of all fields.
  ///
  /// They skip the fields of a stored model that have their saved values: a test for a unique name would find the model
  /// itself. The other fields, including those of embedded models, are checked at the same time. If a value changes
  /// during its check, the result is discarded and the new value is checked. Other related models are not waited for.
  /// Runs in the isolation of the caller.
  ///
  /// - Returns: the state of the values that the model then has; `.unknown` if the task was cancelled before the end of
  ///   a check.
  @discardableResult
  public func validateFully() async -> ValidationState {
    validateFields()
    let fields = orderedFields + EmbeddedModels(of: self).models.flatMap(\.orderedFields)
    await FieldValidation.finishChecks(of: fields) { needsAsynchronousCheck(of: $0) }
    return validateFields()
  }

  /// Validates each field whenever its value has changed and then stayed the same for a time, until the task is
  /// cancelled. Rules over several fields are not checked, nor are related models.
  ///
  /// ```swift
  /// .task { await person.validateChanges() }
  /// ```
  ///
  /// Runs in the isolation of the caller, and retains the model.
  ///
  /// - Parameters:
  ///   - pause: the time without a change after which a value is validated.
  ///   - clock: the clock that measures the pause.
  public func validateChanges(
    after pause: Duration = .milliseconds(300), clock: some Clock<Duration> = ContinuousClock()
  ) async {
    await FieldValidation.validateChanges(of: orderedFields, after: pause, clock: clock) {
      needsAsynchronousCheck(of: $0)
    }
  }

  /// The errors of the last validation, by field in the order of ``fields``, and errors added by the app. Setting a
  /// field removes its errors.
  ///
  /// The errors of embedded models are among them, as their own `validationErrors` have them, with paths such as
  /// `lines[0].text`.
  public var validationErrors: [ModelValidationError] { fieldErrors }

  /// Discards the result of the last validation, of all fields, of the embedded models, and of the model as a whole.
  public func resetValidationState() {
    for model in [self] + EmbeddedModels(of: self).models {
      model.details?.errors = []
      for field in model.orderedFields { field.resetValidationState() }
    }
  }

  // MARK: Added errors

  /// Adds an error from outside the model, such as from a server. The next validation, or the next set of the field,
  /// removes it.
  ///
  /// The field at the path becomes invalid, even if it belongs to a related model. The error is always among the
  /// ``validationErrors`` of this model. If there is no field at the path, or the path is empty, the error belongs to
  /// the model itself.
  ///
  /// - Parameters:
  ///   - path: the path of the field, such as `"company.name"` or `"tags[2]"`.
  ///   - message: a predicate whose subject is the field, such as `is taken`.
  public func addError(at path: FieldPath, message: String) { addErrors([(path, message)]) }

  /// Adds errors from outside the model, such as those of another copy of it: see ``addError(at:message:)``. The
  /// observers of a field are notified once.
  ///
  /// - Complexity: O(*n* + *m*) for a field, where *n* is the number of errors that it has, and *m* of those that are
  ///   added.
  public func addErrors(_ errors: some Sequence<ModelValidationError>) {
    addErrors(errors.map { ($0.path, $0.message) })
  }

  /// Adds the errors of a server that reports them by key:
  /// `["name": "is taken", "company": ["name": ["is too long"]]]`.
  ///
  /// Keys are spelled as declared, or as the scope of the model spells them. A text is one message, a list contains
  /// several, and an object contains those of a related model. An object in a list contains those of the list member at
  /// its index: `["employees": [[:], ["name": "is missing"]]]` is an error of `employees[1].name`. Any other value is
  /// converted to its JSON text.
  ///
  /// - Parameters:
  ///   - errors: messages by key.
  ///   - context: the key spelling of the server; nil for that of the scope of this model.
  public func addErrors(_ errors: AttributeDictionary, in context: ValueTransformerContext? = nil) {
    let context = context ?? memberScope?.transformers ?? .standard
    addErrors(
      Self.errors(in: .object(errors), at: FieldPath()).map { (declaredPath($0.path, in: context), $0.message) })
  }

  private static func errors(in json: JSONValue, at path: FieldPath) -> [ModelValidationError] {
    switch json {
    case .string(let message): [ModelValidationError(path: path, message: message)]
    case .array(let list):
      list.enumerated().flatMap { index, element in
        if case .object = element { return errors(in: element, at: path.appending(FieldPath([.index(index)]))) }
        return errors(in: element, at: path)
      }
    case .object(let members):
      members.sorted { $0.key < $1.key }.flatMap { errors(in: $0.value, at: path.appending(FieldPath($0.key))) }
    case .null: []
    default: [ModelValidationError(path: path, message: json.description)]
    }
  }
}

/// An error other than one of the model's own fields.
struct LocatedError {
  let path: FieldPath
  let violation: RuleViolation
  /// The field that has the error as well; the error ends when that field no longer has it.
  weak var field: AnyField?
  private let isPlaced: Bool

  init(path: FieldPath, violation: RuleViolation, field: AnyField?) {
    self.path = path
    self.violation = violation
    self.field = field
    isPlaced = field != nil
  }

  /// Returns whether the field still has the error.
  ///
  /// - Parameter known: the violations of fields checked before, which make the check of many errors linear.
  func counts(_ known: inout [ObjectIdentifier: Set<RuleViolation>]) -> Bool {
    guard isPlaced else { return true }
    guard let field else { return false }
    let id = ObjectIdentifier(field)
    if known[id] == nil { known[id] = Set(field.violations) }
    return known[id]?.contains(violation) ?? false
  }
}

extension ModelObject {
  /// Adds errors, grouped by field.
  func addErrors(_ errors: [(path: FieldPath, message: String)]) {
    var fields: [(field: AnyField, violations: [RuleViolation])] = []
    var indices: [ObjectIdentifier: Int] = [:]
    var placed: [LocatedError] = []
    let embedded = EmbeddedModels(of: self)
    for (path, message) in errors {
      var violation = RuleViolation(message: message)
      let place = try? locate(path)
      if let place {
        violation = place.field.withoutSecrets(violation)
        violation.index = place.element
        if let index = indices[ObjectIdentifier(place.field)] {
          fields[index].violations.append(violation)
        } else {
          indices[ObjectIdentifier(place.field)] = fields.count
          fields.append((place.field, [violation]))
        }
      }
      // The field of this model, or of one in its record, has the error itself.
      let isOwn = place.map { $0.model === self || embedded.contains($0.model) } ?? false
      if !isOwn { placed.append(LocatedError(path: path, violation: violation, field: place?.field)) }
    }
    for (field, violations) in fields { field.addViolations(violations) }
    if !placed.isEmpty { detailsForWriting.errors += placed }
  }

  /// - Parameter isForSaving: whether the fields of an unloaded reference that have no values yet are left out.
  @discardableResult
  func validateFields(isForSaving: Bool = false) -> ValidationState {
    let embedded = EmbeddedModels(of: self)
    // Observers of the states must not see a field as valid and then as invalid in one validation.
    transaction {
      // First, because `validateModel()` of this model may add errors to them.
      if embedded.isEmpty { return validateOwnFields(isForSaving: isForSaving) }
      ValidationRun.together {
        embedded.validate()
        validateOwnFields(isForSaving: isForSaving)
      }
    }
    let errors = fieldErrors
    guard errors.isEmpty else { return .invalid(errors.map(\.description)) }
    let unchecked = (orderedFields + embedded.models.flatMap(\.orderedFields)).filter {
      $0.awaitsCheck && needsAsynchronousCheck(of: $0)
    }
    if unchecked.isEmpty { return .valid }
    return unchecked.contains { $0.validationState == .validating } ? .validating : .unknown
  }

  /// Returns whether a save checks a field: those of an unloaded reference may have no values yet.
  func isCheckedForSaving(_ field: AnyField) -> Bool {
    guard case .incomplete = modelLoadState, origin == .read else { return true }
    return !field.isUnset || field.isDirty
  }

  /// Validates the model without those that it contains.
  func validateOwnFields(isForSaving: Bool = false) {
    transaction {
      details?.errors = []
      for field in orderedFields where !isForSaving || isCheckedForSaving(field) {
        if let issue = details?.remainder?.rejection(of: field)?.issues.first {
          field.validate(
            unread: "expected \(issue.expected.shortenedForMessage()), found \(issue.found.shortenedForMessage())")
        } else {
          field.validate()
        }
      }
      for failure in (details?.rules ?? []).compactMap({ $0() }) {
        for field in failure.fields { field.addViolation(failure.violation) }
      }
      addErrorsOfDeletedModels()
      validateModel()
    }
  }

  /// Returns a path with keys as declared instead of as a context spells them, as far as there are such fields.
  func declaredPath(_ path: FieldPath, in context: ValueTransformerContext) -> FieldPath {
    var (model, rest) = (self as ModelObject?, path.components[...])
    var members: [ModelObject] = []
    var declared: [FieldPath.Component] = []
    while let first = rest.first {
      if case .index(let index) = first {
        declared.append(first)
        rest = rest.dropFirst()
        model = members.indices.contains(index) ? members[index] : nil
        continue
      }
      var found: (parts: [FieldPath.Component], members: [ModelObject])?
      model?.forEachField { field, index in
        let key = model?.key(of: field, at: index) ?? ""
        let parts = FieldPath(key).components
        guard parts.count > (found?.parts.count ?? 0),
          rest.starts(with: parts) || rest.starts(with: FieldPath(context.key(key)).components)
        else { return }
        found = (parts, (field as? any Relation)?.relatedModels ?? [])
      }
      declared += found?.parts ?? [first]
      rest = rest.dropFirst(max(1, found?.parts.count ?? 1))
      members = found?.members ?? []
      model = members.first
    }
    return FieldPath(declared)
  }

  var fieldErrors: [ModelValidationError] {
    let embedded = EmbeddedModels(of: self)
    return embedded.isEmpty ? ownErrors : errors(with: embedded.errors)
  }

  /// The errors of the model without those that it contains.
  var ownErrors: [ModelValidationError] { errors(with: [:]) }

  private func errors(with embedded: [ObjectIdentifier: [ModelValidationError]]) -> [ModelValidationError] {
    var errors = orderedFields.flatMap { field in
      let nested = embedded.isEmpty ? [] : embedded[ObjectIdentifier(field)] ?? []
      return nested.isEmpty ? messages(of: field) : messages(of: field) + nested
    }
    var known: [ObjectIdentifier: Set<RuleViolation>] = [:]
    for error in details?.errors ?? [] where error.counts(&known) {
      errors.append(ModelValidationError(path: error.path, message: error.violation.message))
    }
    return errors
  }

  private func messages(of field: AnyField) -> [ModelValidationError] {
    field.validationState.messages.map { message in
      ModelValidationError(
        path: FieldPath(verbatim: field.key ?? field.name ?? "?"), message: message, name: field.name,
        property: propertyName(of: field))
    }
  }
}
