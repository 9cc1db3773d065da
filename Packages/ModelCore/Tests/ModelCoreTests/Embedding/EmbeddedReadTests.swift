@_spi(ModelKitInternals) import FieldKit
import Foundation
@_spi(ModelKitInternals) import ModelCore
import Testing

@Suite struct `A read of an owner with embedded models` {
  private let scope = ModelScope()

  /// The two paths of a reader: from bytes, and from values.
  enum Source: CaseIterable {
    case bytes, values
  }

  private func read(
    _ record: AttributeDictionary, from source: Source = .bytes, localChanges: LocalChanges = .keep
  ) throws -> Shipment {
    try read(Shipment.self, record, from: source, localChanges: localChanges)
  }

  private func read<M: Model>(
    _ type: M.Type, _ record: AttributeDictionary, from source: Source, localChanges: LocalChanges = .keep
  ) throws -> M {
    switch source {
    case .bytes:
      let data = try JSONValue.array([.object(record)]).jsonData()
      return try scope.models(type, fromJSON: data, localChanges: localChanges)[0]
    case .values: return try scope.models(type, from: [record], localChanges: localChanges)[0]
    }
  }

  private func record(
    city: String = "London", code: String = "GB", lines: [String] = ["A", "B"]
  ) -> AttributeDictionary {
    [
      "id": 1, "address": ["city": .string(city), "country": ["code": .string(code)]],
      "lines": .array(lines.map { ["text": .string($0)] }),
    ]
  }

  @Test(arguments: Source.allCases)
  func `A read of an owner keeps clean embedded models and reads their values`(source: Source) throws {
    let order = try read(record(), from: source)
    let (address, country, lines) = (order.address.value, order.address.value?.country.value, order.lines.value)
    _ = try read(record(), from: source)
    #expect(order.address.value === address && order.lines.value == lines)
    _ = try read(record(city: "Paris", code: "FR", lines: ["C", "B"]), from: source)
    #expect(order.address.value === address && address?.country.value === country && order.lines.value == lines)
    #expect(address?.city.value == "Paris" && country?.code.value == "FR" && lines?[0].text.value == "C")
    #expect(!order.isDirty)
    country?.code.value = "DE"
    #expect(order.address.isDirty)
  }

  @Test(arguments: Source.allCases)
  func `A read of an owner keeps the embedded members of a list by position`(source: Source) throws {
    let order = try read(record(), from: source)
    let lines = try #require(order.lines.value)
    _ = try read(record(lines: ["A", "B", "C"]), from: source)
    #expect(order.lines.value?.prefix(2) == lines[...] && order.lines.value?.map(\.text.value) == ["A", "B", "C"])
    _ = try read(record(lines: ["B"]), from: source)
    #expect(order.lines.value == [lines[0]] && lines[0].text.value == "B" && lines[1].text.value == "B")
    lines[0].text.value = "D"
    #expect(order.lines.isDirty)
    order.revert()
    #expect(order.lines.value?.map(\.text.value) == ["B"])
    lines[1].text.value = "E"
    #expect(!order.isDirty)
  }

  @Test(arguments: Source.allCases)
  func `A read of an owner keeps clean embedded models of classes with nested keys, hooks or subclasses`(source: Source)
    throws
  {
    func record(_ city: String, _ crates: JSONValue) -> AttributeDictionary {
      ["id": 1, "site": ["city": .string(city), "geo": ["lat": 51.5]], "crates": crates]
    }
    let crates: JSONValue = [["text": "A"], ["text": "B", "liters": 5]]
    let depot = try read(Depot.self, record("London", crates), from: source)
    let site = try #require(depot.site.value)
    let members = try #require(depot.crates.value)
    _ = try read(Depot.self, record("Paris", [["text": "C"], ["text": "B", "liters": 6]]), from: source)
    #expect(depot.site.value === site && site.city.value == "Paris" && site.readCount == 2)
    #expect(depot.crates.value == members && members[0].text.value == "C")
    #expect((members[1] as? Barrel)?.liters.value == 6 && !depot.isDirty)
    _ = try read(Depot.self, record("Paris", [["text": "C", "liters": 1], ["text": "B", "liters": 6]]), from: source)
    #expect(depot.crates.value?.first is Barrel && depot.crates.value?.last === members[1])
    site.city.value = "Rome"
    #expect(depot.site.isDirty)
    _ = try read(Depot.self, record("Leeds", crates), from: source)
    #expect(depot.site.value === site && site.city.value == "Rome")
  }

  @Test(arguments: Source.allCases)
  func `A read of an owner keeps an embedded model with a nil field that the record lacks`(source: Source) throws {
    let order = try read(record(), from: source)
    let address = order.address.value
    _ = try read(["id": 1, "address": ["city": nil, "country": ["code": "GB"]]], from: source)
    _ = try read(["id": 1, "address": ["country": ["code": "FR"]]], from: source)
    #expect(order.address.value === address && address?.city.value == nil)
    #expect(address?.country.value?.code.value == "FR")
  }

  @Test(arguments: Source.allCases)
  func `A read of an owner replaces an embedded model with a value that the record lacks`(source: Source) throws {
    let order = try read(record(), from: source)
    let address = order.address.value
    _ = try read(["id": 1, "address": ["city": "Paris"]], from: source)
    #expect(order.address.value !== address && order.address.value?.country.value == nil)
    #expect(order.address.value?.city.value == "Paris" && address?.city.value == "London")
  }

  @Test(arguments: Source.allCases)
  func `A read of an owner keeps the edits of an embedded model, or replaces it`(source: Source) throws {
    let order = try read(record(), from: source)
    let address = order.address.value
    address?.city.value = "Leeds"
    _ = try read(record(city: "Paris", code: "FR"), from: source)
    #expect(order.address.value === address && address?.city.value == "Leeds")
    #expect(address?.country.value?.code.value == "GB")
    _ = try read(record(city: "Paris", code: "FR"), from: source, localChanges: .overwrite)
    #expect(order.address.value?.city.value == "Paris" && order.address.value?.country.value?.code.value == "FR")
    #expect(!order.isDirty)
  }

  @Test(arguments: Source.allCases)
  func `A read of an owner replaces an embedded model that another owner shares`(source: Source) throws {
    let order = try read(record(), from: source)
    let address = order.address.value
    let other = Shipment()
    other.address.value = address
    _ = try read(record(city: "Paris"), from: source)
    #expect(order.address.value?.city.value == "Paris" && other.address.value?.city.value == "London")
  }

  @Test func `The last of two records of an owner in one document is used`() throws {
    let order = try read(record())
    let address = order.address.value
    let data = try JSONValue.array([.object(record(city: "Paris")), .object(record())]).jsonData()
    _ = try scope.models(Shipment.self, fromJSON: data, localChanges: .keep)
    #expect(order.address.value === address && address?.city.value == "London")
  }

  @Test func `The response to a save keeps models that were not edited since`() throws {
    let order = try read(record())
    let (address, lines) = (order.address.value, order.lines.value)
    address?.city.value = "Leeds"
    lines?[0].text.value = "C"
    let stamp = ChangeStamp.next()
    lines?[1].text.value = "D"
    let fields: [AnyField] = [order.address, order.lines]
    let apply = try scope.staged(
      record(city: "LEEDS", lines: ["c", "b"]), into: order, saved: (fields: fields, stamp: stamp))
    order.markSaved(fields, asOf: stamp)
    apply()
    #expect(order.address.value === address && address?.city.value == "LEEDS" && !order.address.isDirty)
    #expect(order.lines.value == lines && lines?[1].text.value == "D" && order.lines.isDirty)
  }

  @Test func `The response to a save of other fields does not change an edited list`() throws {
    let order = try read(record())
    let second = order.lines.value?[1]
    order.lines.value?.removeFirst()
    order.note.value = "N"
    let stamp = ChangeStamp.next()
    let apply = try scope.staged(record(lines: ["a", "b"]), into: order, saved: (fields: [order.note], stamp: stamp))
    order.markSaved([order.note], asOf: stamp)
    apply()
    #expect(order.lines.value == second.map { [$0] } && second?.text.value == "B" && order.lines.isDirty)
  }

  @Test func `A read of an owner with embedded models notifies the observers of changed values only`() throws {
    let order = try read(record())
    var changes = 0
    let token = order.address.value?.city.addObserver(updateImmediately: false) { _ in changes += 1 }
    _ = try read(record())
    #expect(changes == 0)
    _ = try read(record(city: "Paris"))
    #expect(changes == 1)
    token?.cancel()
  }
}
