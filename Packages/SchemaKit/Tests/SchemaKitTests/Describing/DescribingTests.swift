import Foundation
import SchemaKit
import Testing

private class Vehicle: Model {
  let plate = Field<String>(key: "plate_number").require(.length(3...8)).requireNotNil()
  let wheels = Field<Int>(4).require(.range(0..<19))
  let bought = Field<Date>()
  let labels = Field<String>()*
  let owner = ModelField<Owner>()
  override var identifierField: (any FieldProtocol)? { plate }
}

private final class Truck: Vehicle {
  let load = Field<Double>(key: "load.max")
}

private final class Owner: Model {
  let id = Field<UUID>()
  let isCompany = Field(false)
  let vehicles: ModelArrayField<Vehicle> = ModelField(deleteRule: .cascade, inverse: \.owner)*
  override var identifierField: (any FieldProtocol)? { id }
}

@Suite struct `A schema that describes classes` {
  @Test func `has their types, keys, rules and first values`() throws {
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

  @Test func `has their relations with both sides, and their superclasses`() throws {
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

  @Test func `is written as text that reads back equal`() throws {
    let schema = CoreDataSchema(describing: [Vehicle.self, Truck.self, Owner.self])
    let again = try CoreDataSchema(contents: Data(schema.contents.utf8))
    #expect(again == schema)
    #expect(again.notes == [])
    let mapped = CoreDataSchema(describing: [Author.self, Book.self, Pricing.self])
    #expect(Author.mappingIssues(in: mapped) == [])
    #expect(mapped.check() == [])
  }
}
