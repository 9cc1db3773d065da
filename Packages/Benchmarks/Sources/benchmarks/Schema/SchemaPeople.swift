import BenchmarkHarness
import Foundation
import SchemaKit

/// A person with keys in the class.
final class KeyedPerson: Model {
  let id = Field<Int>(key: "person_id")
  let name = Field<String>(key: "full_name")
  let email = Field<String>(key: "email_address")
  let age = Field<Int>(key: "years")
  let height = Field<Double>(key: "height_in_metres")
  let isActive = Field<Bool>(key: "is_active")
  let city = Field<String>(key: "home_town")
  let phone = Field<String>(key: "phone_number")
  let score = Field<Int>(key: "total_score")
  let tags = Field<[String]>(key: "interests")

  override var identifierField: AnyField? { id }
}

/// The same person with keys in a model file.
final class MappedPerson: Model, SchemaMapped {
  static let entityName = "Person"

  let id = Field<Int>()
  let name = Field<String>()
  let email = Field<String>()
  let age = Field<Int>()
  let height = Field<Double>()
  let isActive = Field<Bool>()
  let city = Field<String>()
  let phone = Field<String>()
  let score = Field<Int>()
  let tags = Field<[String]>()

  override var identifierField: AnyField? { id }
}

/// The document of the people, and its model file.
enum SchemaPeople {
  private static let attributes = [
    ("id", "Integer 64", "person_id"), ("name", "String", "full_name"), ("email", "String", "email_address"),
    ("age", "Integer 64", "years"), ("height", "Double", "height_in_metres"), ("isActive", "Boolean", "is_active"),
    ("city", "String", "home_town"), ("phone", "String", "phone_number"), ("score", "Integer 64", "total_score"),
    ("tags", "Transformable", "interests"),
  ]

  /// Returns a scope with the model file.
  static func scope() throws -> ModelScope { ModelScope(schema: try CoreDataSchema(contents: contents)) }

  private static var contents: Data {
    let lines = attributes.map { name, type, key in
      """
      <attribute name="\(name)" optional="YES" attributeType="\(type)">
        <userInfo><entry key="jsonKeyPath" value="\(key)"/></userInfo>
      </attribute>
      """
    }
    return Data("<model><entity name=\"Person\">\(lines.joined())</entity></model>".utf8)
  }

  /// Returns the samples under the keys of the model file.
  static func json(_ samples: [PersonRecord]) throws -> Data {
    let records = samples.map { person in
      JSONValue.object([
        "person_id": .int(person.id), "full_name": .string(person.name), "email_address": .string(person.email),
        "years": .int(person.age), "height_in_metres": .double(person.height), "is_active": .bool(person.isActive),
        "home_town": .string(person.city), "phone_number": .string(person.phone), "total_score": .int(person.score),
        "interests": .array(person.tags.map { .string($0) }),
      ])
    }
    return try JSONValue.array(records).jsonData()
  }

  static func checksum(_ people: [KeyedPerson]) -> UInt64 {
    PersonRecord.checksum(
      people.map { person in
        record(
          person.id, person.name, person.email, person.age, person.height, person.isActive, person.city, person.phone,
          person.score, person.tags)
      })
  }

  static func checksum(_ people: [MappedPerson]) -> UInt64 {
    PersonRecord.checksum(
      people.map { person in
        record(
          person.id, person.name, person.email, person.age, person.height, person.isActive, person.city, person.phone,
          person.score, person.tags)
      })
  }

  private static func record(
    _ id: Field<Int>, _ name: Field<String>, _ email: Field<String>, _ age: Field<Int>, _ height: Field<Double>,
    _ isActive: Field<Bool>, _ city: Field<String>, _ phone: Field<String>, _ score: Field<Int>,
    _ tags: Field<[String]>
  ) -> PersonRecord {
    PersonRecord(
      id: id.value ?? -1, name: name.value ?? "", email: email.value ?? "", age: age.value ?? -1,
      height: height.value ?? -1, isActive: isActive.value ?? false, city: city.value ?? "", phone: phone.value ?? "",
      score: score.value ?? -1, tags: tags.value ?? [])
  }
}
