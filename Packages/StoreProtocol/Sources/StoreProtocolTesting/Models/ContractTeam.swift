public import StoreProtocol

/// A model whose relations have delete rules.
///
/// ```swift
/// let team = ContractTeam()
/// team.id.value = "reds"
/// ```
public final class ContractTeam: Model {
  /// The identifier.
  public let id = Field<String>()
  /// Deleted with the team. Known through the inverse only; not written.
  public let members = ModelField<ContractMember>(foreignKey: true, deleteRule: .cascade)*
  /// As long as there are any, the team can't be deleted. Known through the inverse only; not written.
  public let debts = ModelField<ContractDebt>(foreignKey: true, deleteRule: .deny)*

  /// The string.
  public override var identifierField: AnyField? { id }
  /// Returns the identifier.
  public override func fieldsForDictionaryValue() -> [AnyField] { [id] }
}

/// A model that is deleted with its team.
///
/// ```swift
/// member.team.value = team
/// ```
public final class ContractMember: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Written as an identifier.
  public let team = ModelField<ContractTeam>(foreignKey: true, inverse: \.members)

  /// Whether `afterDelete` was called.
  public private(set) var wasDeleted = false

  /// The integer.
  public override var identifierField: AnyField? { id }
  /// Records the call.
  public override func afterDelete() { wasDeleted = true }
}

/// A model that holds its team back.
///
/// ```swift
/// debt.team.value = team
/// ```
public final class ContractDebt: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Written as an identifier.
  public let team = ModelField<ContractTeam>(foreignKey: true, inverse: \.debts)

  /// The integer.
  public override var identifierField: AnyField? { id }
}
