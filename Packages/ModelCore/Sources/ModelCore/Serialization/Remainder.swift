@_spi(ModelKitInternals) import FieldKit

/// The values that were read for a model and belong to none of its fields: those under unknown keys, and rejected ones.
/// Created with the first such value.
struct Remainder {
  /// The values by their paths, which have several keys if the value is in an object with other members that are
  /// fields.
  private(set) var unknown: [[String]: JSONValue] = [:]
  /// The paths of unknown values that documents set in a stored model, with the moments. The store does not have these
  /// values yet.
  var unsaved: [[String]: ChangeStamp] = [:]
  /// The rejected values, by the key of the field as declared.
  private(set) var rejections: [String: Rejection] = [:]

  // MARK: Unknown keys

  /// Adds the unknown keys of another document: each replaces the previous value at its path.
  ///
  /// - Parameter stamp: the moment, if the document is not the record of a store that has the model.
  mutating func take(_ values: [[String]: JSONValue], unsavedSince stamp: ChangeStamp?) {
    for (path, value) in values where stamp != nil && unknown[path] != value { unsaved[path] = stamp }
    if stamp == nil, !unsaved.isEmpty {
      for path in values.keys { unsaved[path] = nil }
    }
    if !unknown.isEmpty {
      var outerPaths: Set<[String]> = []
      for path in values.keys {
        for count in 1..<path.count { outerPaths.insert(Array(path.prefix(count))) }
      }
      unknown = unknown.filter { path, _ in
        !outerPaths.contains(path) && !(1...path.count).contains { values[Array(path.prefix($0))] != nil }
      }
    }
    unknown.merge(values) { $1 }
    if !unsaved.isEmpty { unsaved = unsaved.filter { unknown[$0.key] != nil } }
  }

  /// Removes a value that now belongs to a field.
  mutating func dropUnknown(at path: [String]) {
    unknown[path] = nil
    unsaved[path] = nil
  }

  /// Adds the unknown keys to an object that was written. Values of fields at the same path stay.
  func addUnknown(to object: inout AttributeDictionary) {
    for (path, value) in unknown { Self.add(value, path[...], to: &object) }
  }

  private static func add(_ value: JSONValue, _ path: ArraySlice<String>, to object: inout AttributeDictionary) {
    guard let key = path.first else { return }
    if path.count == 1 {
      if object[key] == nil { object[key] = value }
      return
    }
    // Removed first and bound outside, so that the members are not copied.
    var members: AttributeDictionary = [:]
    switch object.removeValue(forKey: key) {
    case nil: break
    case .object(let existing)?: members = existing
    case let other?:
      object[key] = other
      return
    }
    add(value, path.dropFirst(), to: &members)
    object[key] = .object(members)
  }

  // MARK: Rejected values

  mutating func keep(_ rejection: Rejection, of key: String) { rejections[key] = rejection }

  /// Returns the rejected value of a field, unless the field was set since.
  func rejection(of field: AnyField) -> Rejection? {
    if rejections.isEmpty { return nil }
    return field.key.flatMap { rejections[$0] }.flatMap { $0.isLive(in: field) ? $0 : nil }
  }
}

/// A JSON value that a field rejected.
struct Rejection {
  enum Content {
    /// The whole value of the field.
    case value(JSONValue)
    /// The rejected elements of a list of models, with their indices, in order. The other elements were read.
    case elements([(index: Int, json: JSONValue)])
  }

  let content: Content
  let issues: [ModelDecodingError]
  /// The stamp of the field's last set at that time.
  var stamp = ChangeStamp.never

  func isLive(in field: AnyField) -> Bool { field.lastSet == stamp || stamp == .never && field.isUnset }

  /// Returns the rejected value, or the list that the field wrote with the rejected elements at their indices.
  func completing(_ written: @autoclosure () throws -> JSONValue?) rethrows -> JSONValue? {
    switch content {
    case .value(let json): return json
    case .elements(let rejected):
      let written = try written()
      guard case .array(var elements)? = written else { return written }
      for (index, json) in rejected { elements.insert(json, at: min(index, elements.count)) }
      return .array(elements)
    }
  }
}

extension ModelObject {
  /// Returns the rejected value of a field that was not set since, for a lenient context. A document for strict readers
  /// has no rejected values.
  func rejection(of field: AnyField, in context: ValueTransformerContext) -> Rejection? {
    guard context.decoding == .lenient, let remainder = details?.remainder else { return nil }
    return remainder.rejection(of: field)
  }

  /// Removes unknown keys that now belong to a field, such as one added at run time.
  func dropKnownRemainder(spelledIn context: ValueTransformerContext) {
    guard hasDynamicFields, let remainder = details?.remainder, !remainder.unknown.isEmpty else { return }
    forEachField { field, index in
      guard !field.isUnset else { return }
      let key = context.key(key(of: field, at: index))
      details?.remainder?.dropUnknown(at: [key])
      details?.remainder?.dropUnknown(at: key.split(separator: ".").map(String.init))
    }
  }
}
