import RESTStore

final class Company: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let employees: ModelArrayField<Employee> = ModelField(foreignKey: true)*
  let advisers: ModelArrayField<Employee> = ModelField(foreignKey: true)*
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id, name] }
}

final class Employee: Model, HasOwnerField {
  let id = Field<Int>()
  let name = Field<String>()
  let company = ModelField<Company>(foreignKey: true, inverse: \.employees)
  let advises = ModelField<Company>(foreignKey: true, inverse: \.advisers)
  override var identifierField: AnyField? { id }
  var ownerField: AnyField { company }
}

/// A tree in which the owner can be of the same class, or itself.
final class Folder: Model, HasOwnerField {
  let id = Field<String>()
  let parent = ModelField<Folder>(foreignKey: true, inverse: \.children)
  let children: ModelArrayField<Folder> = ModelField(foreignKey: true)*
  override var identifierField: AnyField? { id }
  var ownerField: AnyField { parent }
}

final class Person: Model {
  let id = Field<Int>()
  let name = Field<String>().require(.notBlank)
  let age = Field<Int>()
  override var identifierField: AnyField? { id }

  convenience init(id: Int? = nil, name: String) {
    self.init()
    if let id { self.id.value = id }
    self.name.value = name
  }
}

final class Document: Model {
  let path = Field<String>(key: "id")
  let text = Field<String>()
  override var identifierField: AnyField? { path }
}

final class StaffMember: Model, Routable {
  static var collectionPath: String { "/v2/staff members/" }
  let id = Field<Int>()
  override var identifierField: AnyField? { id }
}

class Shape: Model {
  let id = Field<Int>()
  let kind = Field<String>()
  override var identifierField: AnyField? { id }
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "circle" ? Circle.self : nil
  }
}

final class Circle: Shape {
  let radius = Field<Double>()
}
