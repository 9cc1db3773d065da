import Foundation
import SchemaKit
import Testing

private class Vehicle: Model {
  let plate = Field<String>(key: "plate_number").require(.length(3...8)).requireNotNil()
  let wheels = Field<Int>(4).require(.range(0..<19))
  let bought = Field<Date>()
  let labels = Field<String>()*
  let owner = ModelField<Owner>()
  override var identifierField: AnyField? { plate }
}

private final class Truck: Vehicle {
  let load = Field<Double>(key: "load.max")
}

private final class Owner: Model {
  let id = Field<UUID>()
  let isCompany = Field(false)
  let vehicles: ModelArrayField<Vehicle> = ModelField(deleteRule: .cascade, inverse: \.owner)*
  override var identifierField: AnyField? { id }
}

@Suite struct `A schema that describes classes` {
  @Test func `A schema describes the types, keys, rules and default values of classes`() throws {
    let schema = CoreDataSchema(describing: [Vehicle.self, Truck.self, Owner.self])
    #expect(schema.check() == [])
    let vehicle = try #require(schema.entity("Vehicle"))
    #expect(vehicle.attributes.map(\.type) == [.string, .integer64, .date, .transformable])
    #expect(vehicle.attributes.map(\.isOptional) == [false, true, true, true])
    #expect(vehicle.attributes.map(\.keyPath) == ["plate_number", "wheels", "bought", "labels"])
    let plate = vehicle.attributes[0]
    #expect([plate.minimumText, plate.maximumText] == ["3", "8"])
    let wheels = vehicle.attributes[1]
    #expect([wheels.defaultText, wheels.minimumText, wheels.maximumText] == ["4", "0", "18"])
    #expect(vehicle.uniquenessConstraints == [["plate"]])
    #expect(schema.entity("Owner")?.attribute("isCompany")?.defaultText == "NO")
  }

  @Test func `A schema describes the relations, inverses and superclasses of classes`() throws {
    let schema = CoreDataSchema(describing: [Vehicle.self, Truck.self, Owner.self])
    let vehicles = try #require(schema.entity("Owner")?.relationship("vehicles"))
    #expect(vehicles.isToMany && vehicles.deletionRule == .cascade)
    #expect(vehicles.inverseName == "owner")
    #expect(schema.entity("Vehicle")?.relationship("owner")?.inverseName == "vehicles")
    let truck = try #require(schema.entity("Truck"))
    #expect(truck.parentName == "Vehicle")
    #expect(truck.attributes.map(\.name) == ["load"])
    #expect(schema.attributes(of: truck).count == 5)
  }

  @Test func `A schema of classes reads back equal after it is written`() throws {
    let schema = CoreDataSchema(describing: [Vehicle.self, Truck.self, Owner.self])
    let again = try CoreDataSchema(contents: Data(schema.contents.utf8))
    #expect(again == schema)
    #expect(again.notes == [])
    let mapped = CoreDataSchema(describing: [Author.self, Book.self, Pricing.self])
    #expect(Author.mappingIssues(in: mapped) == [])
    #expect(mapped.check() == [])
  }

  @Test func `A schema of classes is a valid model file`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("contents-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let schema = CoreDataSchema(describing: [Author.self, Book.self, Pricing.self])
    try schema.contents.write(to: file, atomically: true, encoding: .utf8)
    let read = try CoreDataSchema(contentsOf: file)
    #expect(read == schema)
    #expect(read.differences(from: schema) == [])
    #expect(read.check() == [])
    let author = try DynamicModel(
      entity: "Author", in: read, dictionaryValue: ["authorId": 1, "books": [["bookId": 2, "tags": ["a"]]]])
    #expect((author["books"] as? [DynamicModel])?.first?["bookId"] as? Int == 2)
    #expect(read.entity("Book")?.attribute("rating")?.type == .integer64)
  }

  @Test func `A schema has the expressions and counts of those rules that a model file supports`() throws {
    let schema = CoreDataSchema(describing: [Ruled.self])
    let ruled = try #require(schema.entity("Ruled"))
    #expect(ruled.attribute("code")?.regularExpression == "[a-z]+")
    #expect(ruled.attribute("price")?.minimumText == "0.5")
    #expect(ruled.relationship("others").map { [$0.minimumCount, $0.maximumCount] } == [1, 3])
    #expect(ruled.relationship("others")?.isOrdered == true)
    #expect(ruled.relationship("one")?.deletionRule == .deny)
    #expect(ruled.relationship("one")?.isOptional == false)
    #expect(try CoreDataSchema(contents: Data(schema.contents.utf8)) == schema)
  }
}

private final class Ruled: Model {
  let code = Field<String>().require(.matching(expression: "[a-z]+"))
  let price = Field<Decimal>().require(.range(Decimal(sign: .plus, exponent: -1, significand: 5)...))
  let one = ModelField<Ruled>(deleteRule: .deny).requireNotNil()
  let others = (ModelField<Ruled>()*).require(.count(1...3))
}
