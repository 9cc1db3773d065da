import StoreProtocol

/// A model that stores its relations to models that are deleted with it.
///
/// ```swift
/// account.profile.value = profile
/// ```
final class ContractAccount: Model {
  /// The identifier.
  let id = Field<Int>()
  /// Written as an identifier. The profile does not know the account.
  let profile = ModelField<ContractProfile>(foreignKey: true, deleteRule: .cascade)
  /// Written as identifiers. The portraits do not know the account.
  let drafts = ModelField<ContractPortrait>(foreignKey: true, deleteRule: .cascade)*

  /// The integer.
  override var identifierField: AnyField? { id }
}

/// A model that an account references, and whose portraits are deleted with it.
///
/// ```swift
/// portrait.profile.value = profile
/// ```
final class ContractProfile: Model {
  /// The identifier.
  let id = Field<Int>()
  /// A name.
  let name = Field<String>()
  /// Stored by the portraits.
  let portraits = ModelField<ContractPortrait>(deleteRule: .cascade)*

  /// The integer.
  override var identifierField: AnyField? { id }
}

/// A model that stores its relation to a profile.
///
/// ```swift
/// portrait.profile.value = profile
/// ```
final class ContractPortrait: Model {
  /// The identifier.
  let id = Field<Int>()
  /// Written as an identifier.
  let profile = ModelField<ContractProfile>(foreignKey: true, inverse: \.portraits)

  /// Whether `afterDelete` was called.
  private(set) var wasDeleted = false

  /// The integer.
  override var identifierField: AnyField? { id }
  /// Records the call.
  override func afterDelete() { wasDeleted = true }
}
