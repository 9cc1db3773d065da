@_spi(ModelKitInternals) public import FieldKit

/// JSON that a model could not take when it was read leniently, and gives back when it is written.
///
/// ```swift
/// let scope = ModelScope(transformers: ValueTransformerContext(decoding: .lenient))
/// let person = try Person.from(dictionaryValue: ["name": "Ada", "age": "old"], in: scope)
/// print(person.rejectedValues[0].issues[0])  // age: expected an integer, found the string "old"
/// print(person.dictionaryValue)  // has "old" for the age, until person.age is set
/// ```
public struct RejectedValue: Sendable {
  /// The key of the field as it is declared.
  public let key: String
  /// What did not fit: all that was to be read into the field. For a relation to many, whose other members were read, the
  /// list of those elements that did not fit.
  public let json: JSONValue
  /// What was wrong, with paths from the root of the document.
  public let issues: [ModelDecodingError]
}

extension ModelIsolation where Self: ModelObject {
  /// What could not be read into the fields of this model when it was read leniently, in the order of ``fields``. Fields
  /// that were set since are not among them.
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

  /// What was read under keys that none of the fields has, in a scope whose context has
  /// `ValueTransformerContext.keepsUnknownKeys`: an object like the one that was read, without what fields took.
  ///
  /// It comes with a full ``copy()``, is forgotten by ``unload()``, and not touched by ``merge(from:include:exclude:if:)``: a merge is
  /// about fields. Where the model is read again, each unknown key replaces what it was; those that are missing stay, as
  /// fields do.
  public var unknownValues: AttributeDictionary {
    var values: AttributeDictionary = [:]
    details?.remainder?.addUnknown(to: &values)
    return values
  }
}

extension ModelScope {
  /// What is done about values that did not fit when models of this scope were read leniently. Called once for each
  /// document, after it was read, with all its issues, each with its path from the root of the document. Writes the first to
  /// standard error, and how many there are, unless it is replaced.
  ///
  /// The models keep the values themselves: see ``ModelIsolation/rejectedValues``.
  public var decodingIssueHandler: ([ModelDecodingError]) -> Void {
    get { map.decodingIssueHandler }
    set { map.decodingIssueHandler = newValue }
  }
}
