@_spi(ModelKitInternals) import FieldKit

// Lenient reading of whole documents. A value that does not fit is recorded with its path, kept by its model, and
// reported after all other values were read. Only the tree path is lenient: the direct path leaves documents with
// errors to it.

/// The rejected values so far, and the current path in the document.
final class Leniency {
  var issues: [ModelDecodingError] = []
  fileprivate var place = FieldPath()
  /// The rejected elements of the list of models that was staged last.
  fileprivate var elements: [(index: Int, json: JSONValue)] = []
  fileprivate var elementIssues: [ModelDecodingError] = []
  fileprivate var pending: [PendingKey: PendingRejection] = [:]
}

private struct PendingKey: Hashable {
  let model: ModelObject
  let key: String
}

private struct PendingRejection {
  let field: AnyField
  var rejection: Rejection
}

extension ModelReader {
  /// Calls a closure that reads a value at a path of the document.
  func inside<Result>(_ path: FieldPath, _ body: () throws -> Result) rethrows -> Result {
    guard let outer = leniency?.place else { return try body() }
    leniency?.place = outer.appending(path)
    defer { leniency?.place = outer }
    return try body()
  }

  /// Stages the elements of a list of models; in a lenient reading, without those that do not fit.
  ///
  /// - Parameters:
  ///   - elements: the models, or their identifiers.
  ///   - type: the class of the relation.
  ///   - isForeignKey: whether identifiers are expected.
  ///   - relation: the list.
  ///   - current: the members that objects without identifier may be read into; nil for none. An edit finds them by their
  ///     values, another reading by their position.
  func stage<M: Model>(
    _ elements: [JSONValue], as type: M.Type, isForeignKey: Bool, of relation: any Relation, into current: [M]?
  ) throws -> [Staged<M>] {
    let current = edits == nil ? current ?? [] : editedMembers(current ?? [], by: elements, as: type)
    var rejected: [(index: Int, json: JSONValue)] = []
    var issues: [ModelDecodingError] = []
    var staged: [Staged<M>] = []
    staged.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      let member = index < current.count ? current[index] : nil
      do {
        if leniency == nil {
          staged.append(try stage(element, as: type, isForeignKey: isForeignKey, into: member, of: relation))
        } else {
          let path = FieldPath([.index(index)])
          staged.append(
            try inside(path) {
              try stage(element, as: type, isForeignKey: isForeignKey, into: member, of: relation)
            })
        }
      } catch {
        let error = ModelDecodingError.wrapping(error, at: FieldPath([.index(index)]))
        guard let leniency else { throw error }
        issues.append(error.inside(leniency.place))
        rejected.append((index, element))
      }
    }
    leniency?.elements = rejected
    leniency?.elementIssues = issues
    return staged
  }

  /// Returns a closure that sets a field; nil if the value was rejected and recorded.
  func stagedLeniently(
    _ json: JSONValue, _ field: AnyField, at path: FieldPath, of model: ModelObject
  ) -> (() -> Void)? {
    do {
      guard field.isRelation else {
        let apply = try field.staged(json, by: self)
        note(nil, field, of: model)
        return apply
      }
      let apply = try inside(path) { try field.staged(json, by: self) }
      let (elements, issues) = (leniency?.elements ?? [], leniency?.elementIssues ?? [])
      leniency?.elements = []
      leniency?.elementIssues = []
      leniency?.issues += issues
      note(elements.isEmpty ? nil : Rejection(content: .elements(elements), issues: issues), field, of: model)
      return apply
    } catch {
      let issues = issues(of: json, error, field).map { error in
        ModelDecodingError.wrapping(error, at: path, of: model.propertyName(of: field))
          .inside(leniency?.place ?? FieldPath())
      }
      leniency?.issues += issues
      note(Rejection(content: .value(json), issues: issues), field, of: model)
      return nil
    }
  }

  /// Records the last value of a field in the document, if it was rejected.
  private func note(_ rejection: Rejection?, _ field: AnyField, of model: ModelObject) {
    guard rejection != nil || leniency?.pending.isEmpty == false, let key = field.key else { return }
    // If local changes are kept, the stored value does not count. A rejected edit is not kept either: the stored model
    // has a valid value.
    let isKept = !keeps(field) && (edits == nil || !model.isStored)
    let pending = rejection.flatMap { !isKept ? nil : PendingRejection(field: field, rejection: $0) }
    leniency?.pending[PendingKey(model: model, key: key)] = pending
  }

  /// Returns the errors of all elements of a list, if an element was rejected.
  private func issues(of json: JSONValue, _ error: any Error, _ field: AnyField) -> [any Error] {
    guard !field.isRelation, case .array(let elements) = json,
      case .index? = ModelDecodingError.wrapping(error, at: FieldPath()).path.components.first
    else { return [error] }
    let reader = FieldReader(context: context)
    var issues: [any Error] = []
    for (index, element) in elements.enumerated() {
      do {
        _ = try field.staged([element], by: reader)
      } catch {
        let error = ModelDecodingError.wrapping(error, at: FieldPath())
        issues.append(
          ModelDecodingError(
            path: FieldPath([.index(index)] + error.path.components.dropFirst()), property: error.property,
            expected: error.expected,
            found: error.found, position: error.position, cause: error.cause))
      }
    }
    return issues.isEmpty ? [error] : issues
  }

  /// Gives the models their rejected values after the commit, and reports them.
  func reportIssues() {
    guard let issues = leniency?.issues, !issues.isEmpty else { return }
    for (key, pending) in leniency?.pending ?? [:] {
      var rejection = pending.rejection
      rejection.stamp = pending.field.lastSet
      edits?.willChangeRemainder(of: key.model)
      key.model.detailsForWriting.remainder = key.model.details?.remainder ?? Remainder()
      key.model.details?.remainder?.keep(rejection, of: key.key)
    }
    leniency = Leniency()
    scope?.decodingIssueHandler(issues)
  }
}

extension ModelDecodingError {
  static func writeToStandardError(_ issues: [ModelDecodingError]) {
    guard let first = issues.first else { return }
    let others = issues.count == 1 ? "" : " (the first of \(issues.count) such values)"
    ModelIssue.write("A value was not read, and is kept as it was: \(first)\(others)")
  }
}
