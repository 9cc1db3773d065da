import Foundation
import ModelCore

enum Suit: String, CaseIterable {
  case hearts, spades
}

/// A model with a field for every kind of value that has its own conversion from bytes, and relations to itself.
final class Person: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let a = Field<Double>()
  let b = Field<Bool>()
  let small = Field<Int8>()
  let tags = Field<String>()*
  let numbers = Field<Int>()*
  let doubles = Field<Double>()*
  let list = Field<[String]>()
  let limited = Field<Int>().constrain(to: 0...10)
  let suit = EnumField<Suit>()
  let day = Field<Date>().transform(with: .date(format: "yyyy-MM-dd"))
  let moment = Field<Date>()
  let uuid = Field<UUID>()
  let json = Field<JSONValue>()
  let map = Field<[String: Int]>()
  let parent = ModelField<Person>(inverse: { $0.children })
  let children = ModelField<Person>()*
  let entries = ModelField<Entry>()*
  let key = ModelField<Person>(foreignKey: true)
  override var identifierField: AnyField? { id }
}

/// A model with keys of nested objects, and a text as identifier.
final class Entry: Model {
  let id = Field<String>()
  let name = Field<String>(key: "names.first")
  let count = Field<Int>(key: "names.count")
  let person = ModelField<Person>()
  override var identifierField: AnyField? { id }
}

/// A class that selects a derived class.
class Shape: Model {
  let kind = Field<String>()
  let name = Field<String>()
  let next = ModelField<Shape>()
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "circle" ? Circle.self : nil
  }
}

final class Circle: Shape {
  let radius = Field<Double>()
}
