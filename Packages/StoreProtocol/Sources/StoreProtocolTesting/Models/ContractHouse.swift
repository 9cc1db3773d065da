import StoreProtocol

/// A model whose rooms are deleted with it, and whose tenants deny its deletion. The other models store both relations.
///
/// ```swift
/// let house = ContractHouse()
/// house.rooms.value = [ContractRoom()]
/// ```
final class ContractHouse: Model {
  /// The identifier.
  let id = Field<Int>()
  /// Deleted with the house.
  let rooms = ModelField<ContractRoom>(deleteRule: .cascade)*
  /// Deny the deletion of the house.
  let tenants = ModelField<ContractTenant>(deleteRule: .deny)*

  /// The integer.
  override var identifierField: AnyField? { id }
}

/// A model that stores its relation to a house, with which it is deleted.
///
/// ```swift
/// room.house.value = house
/// ```
final class ContractRoom: Model {
  /// The identifier.
  let id = Field<Int>()
  /// Written as an identifier.
  let house = ModelField<ContractHouse>(foreignKey: true, inverse: \.rooms)

  /// The integer.
  override var identifierField: AnyField? { id }
}

/// A model that stores its relation to a house, and denies the deletion of this.
///
/// ```swift
/// tenant.house.value = house
/// ```
final class ContractTenant: Model {
  /// The identifier.
  let id = Field<Int>()
  /// Written as an identifier.
  let house = ModelField<ContractHouse>(foreignKey: true, inverse: \.tenants)

  /// The integer.
  override var identifierField: AnyField? { id }
}
