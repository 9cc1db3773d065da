/// The identity of a model in a document: its hierarchy and its identifier.
///
/// Text that spells an integer is stored as the integer, which is hashed faster.
struct IdentityKey: Hashable {
  let rootClass: ObjectIdentifier
  let identifier: RegisteredIdentifier

  /// The identifier, if it is an integer.
  var number: Int? {
    guard case .number(let number) = identifier else { return nil }
    return number
  }

  init(rootClass: ModelObject.Type, _ identifier: RegisteredIdentifier) {
    self.rootClass = ObjectIdentifier(rootClass)
    self.identifier = identifier
  }

  init(rootClass: ModelObject.Type, identifier: String) {
    self.init(rootClass: rootClass, RegisteredIdentifier(identifier))
  }
}
