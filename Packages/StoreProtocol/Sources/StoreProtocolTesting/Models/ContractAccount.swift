public import StoreProtocol

/// A model that stores its relations to models that are deleted with it.
///
/// ```swift
/// account.profile.value = profile
/// ```
public final class ContractAccount: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Written as an identifier. The profile does not know the account.
  public let profile = ModelField<ContractProfile>(foreignKey: true, deleteRule: .cascade)
  /// Written as identifiers. The portraits do not know the account.
  public let drafts = ModelField<ContractPortrait>(foreignKey: true, deleteRule: .cascade)*

  /// The integer.
  public override var identifierField: AnyField? { id }
}

/// A model that an account references, and whose portraits are deleted with it.
///
/// ```swift
/// portrait.profile.value = profile
/// ```
public final class ContractProfile: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// A name.
  public let name = Field<String>()
  /// Stored by the portraits.
  public let portraits = ModelField<ContractPortrait>(deleteRule: .cascade)*

  /// The integer.
  public override var identifierField: AnyField? { id }
}

/// A model that stores its relation to a profile.
///
/// ```swift
/// portrait.profile.value = profile
/// ```
public final class ContractPortrait: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Written as an identifier.
  public let profile = ModelField<ContractProfile>(foreignKey: true, inverse: \.portraits)

  /// Whether `afterDelete` was called.
  public private(set) var wasDeleted = false

  /// The integer.
  public override var identifierField: AnyField? { id }
  /// Records the call.
  public override func afterDelete() { wasDeleted = true }
}
