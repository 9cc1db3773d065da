import StoreProtocol

/// A model with one-to-one relations that the other models store.
///
/// ```swift
/// let pilot = ContractPilot()
/// pilot.license.value = ContractLicense()
/// ```
final class ContractPilot: Model {
  /// The identifier.
  let id = Field<Int>()
  /// A name.
  let name = Field<String>()
  /// Stored by the license.
  let license = ModelField<ContractLicense>()
  /// Stored by the plane, which is deleted with the pilot.
  let plane = ModelField<ContractPlane>(deleteRule: .cascade)

  /// The integer.
  override var identifierField: AnyField? { id }
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
final class ContractLicense: Model {
  /// The identifier.
  let id = Field<Int>()
  /// A text.
  let number = Field<String>()
  /// Written as an identifier.
  let pilot = ModelField<ContractPilot>(foreignKey: true, inverse: \.license)

  /// The integer.
  override var identifierField: AnyField? { id }
}

/// A model that stores its one-to-one relation to a pilot, and is deleted with it.
///
/// ```swift
/// plane.pilot.value = pilot
/// ```
final class ContractPlane: Model {
  /// The identifier.
  let id = Field<Int>()
  /// Written as an identifier.
  let pilot = ModelField<ContractPilot>(foreignKey: true, inverse: \.plane)

  /// The integer.
  override var identifierField: AnyField? { id }
}
