public import StoreProtocol

/// A model that refers to others by foreign keys without an inverse.
///
/// ```swift
/// ticket.company.value = company
/// ```
public final class ContractTicket: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// A text.
  public let title = Field<String>()
  /// Written as an identifier. The company does not know it.
  public let company = ModelField<ContractCompany>(foreignKey: true)
  /// Written as identifiers. The companies do not know it.
  public let watchers = ModelField<ContractCompany>(foreignKey: true)*

  /// The integer.
  public override var identifierField: AnyField? { id }
}
