@_spi(ModelKitInternals) import FieldKit

/// What was read of a model and is in none of its fields: values under keys that belong to none, and values that did not
/// fit. A model has one only once there is something in it.
struct Remainder {
  /// Values by the keys that lead to them: more than one inside an object of which other members are fields.
  private(set) var unknown: [[String]: JSONValue] = [:]
  /// What did not fit, by the key of the field as it is declared.
  private(set) var rejections: [String: Rejection] = [:]

  var isEmpty: Bool { unknown.isEmpty && rejections.isEmpty }

  // MARK: Unknown keys

  /// Takes the unknown keys of another document: each replaces what was there in its place.
  mutating func take(_ values: [[String]: JSONValue]) {
    for (path, value) in values {
      if !unknown.isEmpty {
        unknown = unknown.filter { !$0.key.starts(with: path) && !path.starts(with: $0.key) }
      }
      unknown[path] = value
    }
  }

  /// Forgets what a field has now.
  mutating func dropUnknown(at path: [String]) { unknown[path] = nil }

  /// Adds the unknown keys to an object that was written. What fields wrote in the same place stays.
  func addUnknown(to object: inout AttributeDictionary) {
    for (path, value) in unknown { Self.add(value, path[...], to: &object) }
  }

  private static func add(_ value: JSONValue, _ path: ArraySlice<String>, to object: inout AttributeDictionary) {
    guard let key = path.first else { return }
    if path.count == 1 {
      if object[key] == nil { object[key] = value }
      return
    }
    switch object[key] {
    case nil:
      var members: AttributeDictionary = [:]
      add(value, path.dropFirst(), to: &members)
      object[key] = .object(members)
    case .object(var members)?:
      add(value, path.dropFirst(), to: &members)
      object[key] = .object(members)
    default: break
    }
  }

  // MARK: Values that did not fit

  mutating func keep(_ rejection: Rejection, of key: String) { rejections[key] = rejection }

  /// What did not fit into a field, unless that was set since.
  func rejection(of field: AnyField) -> Rejection? {
    if rejections.isEmpty { return nil }
    return field.key.flatMap { rejections[$0] }.flatMap { $0.isLive(in: field) ? $0 : nil }
  }
}

/// JSON that did not fit into a field.
struct Rejection {
  enum Content {
    /// All that was to be read into the field.
    case value(JSONValue)
    /// Elements of a list of models, of which the others were read, with their places in the list. In order.
    case elements([(index: Int, json: JSONValue)])
  }

  let content: Content
  let issues: [ModelDecodingError]
  /// When the field had last been set by then.
  var stamp = ChangeStamp.never

  func isLive(in field: AnyField) -> Bool { field.lastSet == stamp || stamp == .never && field.isUnset }

  /// A list that the field wrote, with the elements that it could not take in their places.
  func completing(_ written: JSONValue?) -> JSONValue? {
    guard case .elements(let rejected) = content, case .array(var elements)? = written else { return written }
    for (index, json) in rejected { elements.insert(json, at: min(index, elements.count)) }
    return .array(elements)
  }
}

extension ModelObject {
  /// What did not fit into a field and was not replaced since, for the writer of a context. A document for strict readers
  /// has none of it.
  func rejection(of field: AnyField, in context: ValueTransformerContext) -> Rejection? {
    guard context.decoding == .lenient, let remainder = details?.remainder else { return nil }
    return remainder.rejection(of: field)
  }

  /// Forgets what is under unknown keys and belongs to a field by now, such as one that was added at run time.
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
