public import StoreProtocol

/// A model that stores a list of others of its class, and can be a member of it.
///
/// ```swift
/// friend.friends.value = [friend]
/// ```
public final class ContractFriend: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// A name.
  public let name = Field<String>()
  /// Written as identifiers.
  public let friends = ModelField<ContractFriend>(foreignKey: true)*

  /// The integer.
  public override var identifierField: AnyField? { id }
}
