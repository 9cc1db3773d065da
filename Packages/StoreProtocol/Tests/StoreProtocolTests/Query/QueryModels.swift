import Foundation
import StoreProtocol

enum Color: String, CaseIterable, Sendable { case red, green, blue }

final class Firm: Model {
  let id = Field<String>()
  let name = Field<String>()
  let size = Field<Int>(10)
  let staff = ModelField<Worker>(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, name, size] }
}

final class Badge: Model {
  let number = Field<Int>()
  let label = Field<String>()
}

final class Worker: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let nickname = Field<String>(key: "names.nick")
  let age = Field<Int>()
  let height = Field<Double>()
  let isActive = Field<Bool>()
  let color = EnumField<Color>()
  let birthday = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  let joined = Field<Date>()
  let token = Field<UUID>()
  let tags = Field<String>()*
  let days = ArrayField(Field<Date>().transform(with: .date(format: "yyyy-MM-dd")))
  let firm = ModelField<Firm>(foreignKey: true, inverse: \.staff)
  let boss = ModelField<Worker>(foreignKey: true)
  let badge = ModelField<Badge>()
  let badges = ModelField<Badge>()*
  let friends = ModelField<Worker>(foreignKey: true)*
  override var identifierField: AnyField? { id }

  convenience init(id: Int? = nil, _ name: String? = nil, age: Int? = nil) {
    self.init()
    if let id { self.id.value = id }
    if let name { self.name.value = name }
    if let age { self.age.value = age }
  }
}
