public import StoreProtocol

/// A model with one-to-one relations that the other models store.
///
/// ```swift
/// let pilot = ContractPilot()
/// pilot.license.value = ContractLicense()
/// ```
public final class ContractPilot: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// A name.
  public let name = Field<String>()
  /// Stored by the license.
  public let license = ModelField<ContractLicense>()
  /// Stored by the plane, which is deleted with the pilot.
  public let plane = ModelField<ContractPlane>(deleteRule: .cascade)

  /// The integer.
  public override var identifierField: AnyField? { id }
}

extension ContractPilot {
  static func named(_ name: String) -> ContractPilot {
    let pilot = ContractPilot()
    pilot.name.value = name
    return pilot
  }
}

/// A model that stores its one-to-one relation to a pilot.
///
/// ```swift
/// license.pilot.value = pilot
/// ```
public final class ContractLicense: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// A text.
  public let number = Field<String>()
  /// Written as an identifier.
  public let pilot = ModelField<ContractPilot>(foreignKey: true, inverse: \.license)

  /// The integer.
  public override var identifierField: AnyField? { id }
}

/// A model that stores its one-to-one relation to a pilot, and is deleted with it.
///
/// ```swift
/// plane.pilot.value = pilot
/// ```
public final class ContractPlane: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Written as an identifier.
  public let pilot = ModelField<ContractPilot>(foreignKey: true, inverse: \.plane)

  /// The integer.
  public override var identifierField: AnyField? { id }
}
