@_spi(ModelKitInternals) import FieldKit

/// The error for a record whose value has another identifier than the record.
struct IdentifierMismatch: Error, CustomStringConvertible {
  /// The identifier in the value.
  let found: String?

  /// Creates an error, if a model that was read from the value has another identifier.
  init?(_ model: ModelObject, _ identifier: String) {
    found = model.storedIdentifier
    // Some classes don't write their identifier.
    if found == nil, model.identifierField?.key == nil { return nil }
    if let found, ExactText(found) == ExactText(identifier) { return nil }
  }

  var description: String {
    found.map { "its value has the identifier \($0.quotedForMessage)" } ?? "its value has no identifier"
  }
}

extension ModelReader {
  /// Throws an error if the record of a list has another identifier than it must have.
  func checkIdentifier(of model: ModelObject, number: Int) throws {
    guard let expected = identifiers?(number) else { return }
    let identifier = RegisteredIdentifier(expected)
    if let known = model.registeredIdentifier ?? model.identifierToRegister, known == identifier { return }
    // A record from before the store replaced the identifier.
    if let map = scope?.map, map.canonicalModel(of: model.typeKey, identifier) === model { return }
    if let mismatch = IdentifierMismatch(model, expected) { throw mismatch }
  }
}
