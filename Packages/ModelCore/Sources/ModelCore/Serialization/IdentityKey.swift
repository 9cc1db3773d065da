/// What tells the models of one document apart: their hierarchy and their identifier.
///
/// Text that spells an integer is that integer, as most identifiers are, and integers are hashed faster than text.
struct IdentityKey: Hashable {
  private enum Identifier: Hashable {
    case int(Int)
    case text(String)
  }

  let rootClass: ObjectIdentifier
  private let identifier: Identifier

  /// The identifier, if it is an integer.
  var number: Int? {
    guard case .int(let number) = identifier else { return nil }
    return number
  }

  init(rootClass: ModelObject.Type, identifier: Int) {
    self.rootClass = ObjectIdentifier(rootClass)
    self.identifier = .int(identifier)
  }

  init(rootClass: ModelObject.Type, identifier: String) {
    self.rootClass = ObjectIdentifier(rootClass)
    if let number = Int(identifier), String(number) == identifier {
      self.identifier = .int(number)
    } else {
      self.identifier = .text(identifier)
    }
  }
}
