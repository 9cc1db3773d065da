@_spi(ModelKitInternals) public import FieldKit

/// A JSON value that a model rejected in a lenient reading, and includes when it is written.
///
/// ```swift
/// let scope = ModelScope(
///   transformers: ValueTransformerContext(decoding: .lenient))
/// let person = try Person.from(
///   dictionaryValue: ["name": "Ada", "age": "old"], in: scope)
/// print(person.rejectedValues[0].issues[0])
/// // age: expected an integer, found the string "old"
/// print(person.dictionaryValue)  // has "old" for the age, until person.age is set
/// ```
public struct RejectedValue: Sendable {
  /// The key of the field as declared.
  public let key: String
  /// The rejected value of the field. For a to-many relation, this is the list of the rejected elements; the others
  /// were read.
  public let json: JSONValue
  /// The issues, with paths from the root of the document.
  public let issues: [ModelDecodingError]
}

extension ModelIsolation where Self: ModelObject {
  /// The values that were rejected when the model was read leniently, in the order of ``fields``. Fields that were set
  /// since are not included.
  public var rejectedValues: [RejectedValue] {
    guard let remainder = details?.remainder else { return [] }
    return orderedFields.compactMap { field in
      guard let key = field.key, let rejection = remainder.rejection(of: field) else { return nil }
      let json: JSONValue =
        switch rejection.content {
        case .value(let json): json
        case .elements(let elements): .array(elements.map(\.json))
        }
      return RejectedValue(key: key, json: json, issues: rejection.issues)
    }
  }

  /// The values that were read under unknown keys, in an object nested like the one that was read.
  ///
  /// They are kept in a scope whose context has `ValueTransformerContext.keepsUnknownKeys`. A full ``copy()`` includes
  /// them, ``unload()`` discards them, and ``merge(from:include:exclude:if:)`` does not change them. When the model is
  /// read again, each unknown key replaces its previous value; missing keys keep theirs.
  public var unknownValues: AttributeDictionary {
    var values: AttributeDictionary = [:]
    details?.remainder?.addUnknown(to: &values)
    return values
  }
}

extension ModelScope {
  /// The closure that receives the issues of a document that was read leniently, with paths from its root. It is called
  /// once per document, after the reading. The default writes the first issue and their number to standard error.
  ///
  /// The models keep the values themselves: see ``ModelIsolation/rejectedValues``.
  public var decodingIssueHandler: ([ModelDecodingError]) -> Void {
    get { map.decodingIssueHandler }
    set { map.decodingIssueHandler = newValue }
  }
}
