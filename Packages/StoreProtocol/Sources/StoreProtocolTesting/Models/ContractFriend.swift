import StoreProtocol

/// A model that stores a list of others of its class, and can be a member of it.
///
/// ```swift
/// friend.friends.value = [friend]
/// ```
final class ContractFriend: Model {
  /// The identifier.
  let id = Field<Int>()
  /// A name.
  let name = Field<String>()
  /// Written as identifiers.
  let friends = ModelField<ContractFriend>(foreignKey: true)*

  /// The integer.
  override var identifierField: AnyField? { id }
}
