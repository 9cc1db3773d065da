public import Foundation
public import StoreProtocol

/// An enumeration that the models of the checks use.
///
/// ```swift
/// person.color.value = .green
/// ```
public enum ContractColor: String, CaseIterable, Sendable {
  /// Written as `red`.
  case red
  /// Written as `green`.
  case green
  /// Written as `dark-blue`.
  case blue = "dark-blue"
}

/// The model of most checks: an integer identifier, values of several types, a list, a rule, and a record of its hooks.
///
/// ```swift
/// let person = ContractPerson()
/// person.name.value = "Ada"
/// ```
public final class ContractPerson: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Must not be blank.
  public let name = Field<String>().require(.notBlank)
  /// At most 130.
  public let age = Field<Int>().require(.range(0...130))
  /// A number with a fraction.
  public let height = Field<Double>()
  /// Yes or no.
  public let isActive = Field<Bool>()
  /// A list of values.
  public let tags = Field<String>()*
  /// Written by its raw value.
  public let color = EnumField<ContractColor>()
  /// Written as a day.
  public let birthday = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  /// Written as a moment.
  public let joined = Field<Date>()
  /// Written as a day of the calendar.
  public let anniversary = Field<Day>()
  /// Written with all its digits.
  public let balance = Field<Decimal>()
  /// Written inside another object.
  public let nickname = Field<String>(key: "names.nick")
  /// Written as an identifier.
  public let company = ModelField<ContractCompany>(foreignKey: true, inverse: \.employees)

  /// The hooks that were called, in order.
  public private(set) var calls: [String] = []

  /// Called by `beforeSave()`.
  var willSave: ((ContractPerson) -> Void)?

  /// The integer.
  public override var identifierField: AnyField? { id }
  /// Records the call.
  public override func beforeSave() {
    calls.append("beforeSave")
    willSave?(self)
  }
  /// Records the call.
  public override func afterCreate() { calls.append("afterCreate") }
  /// Records the call.
  public override func afterUpdate() { calls.append("afterUpdate") }
  /// Records the call.
  public override func afterDelete() { calls.append("afterDelete") }
}

/// A related model with a string as identifier.
///
/// ```swift
/// let company = ContractCompany()
/// company.id.value = "acme"
/// ```
public final class ContractCompany: Model {
  /// The identifier.
  public let id = Field<String>()
  /// A name.
  public let name = Field<String>()
  /// Stored by the employees, as a foreign key.
  public let employees = ModelField<ContractPerson>()*

  /// The string.
  public override var identifierField: AnyField? { id }
}

extension ContractPerson {
  static func named(_ name: String, age: Int? = nil) -> ContractPerson {
    let person = ContractPerson()
    person.name.value = name
    if let age { person.age.value = age }
    return person
  }
}

extension ModelStore {
  /// Creates a person, removes it from memory, and returns its identifier. Later reads come from the store.
  func createAndForget(_ name: String, age: Int? = nil) async throws -> String {
    let person = try await create(ContractPerson.named(name, age: age))
    guard let identifier = person.identifier else {
      throw ContractViolation("create left the model without identifier")
    }
    return identifier
  }
}
