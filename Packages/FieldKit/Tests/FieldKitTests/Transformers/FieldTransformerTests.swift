@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `A transformer for a named context` {
  private func price() -> Field<Double> {
    Field(1.5).transform(
      in: "csv",
      importValue: { json in json.stringValue.flatMap { Double($0.replacing(",", with: ".")) } },
      exportValue: { .string("\($0)".replacing(".", with: ",")) })
  }

  @Test func `A transformer for a named context does not apply in other contexts`() throws {
    let price = price()
    for context in [ValueTransformerContext.standard, ValueTransformerContext(name: "json")] {
      #expect(try price.written(in: context) == 1.5)
      try price.read(2.5, in: context)
      #expect(price.value == 2.5)
      #expect(throws: ValueTransformError.self) { try price.read("3,5", in: context) }
      price.value = 1.5
    }
  }

  @Test func `A transformer for a named context reads and writes in every context of that name`() throws {
    let price = price()
    for context in [ValueTransformerContext(name: "csv"), ValueTransformerContext(name: "csv", explicitNull: true)] {
      #expect(try price.written(in: context) == "1,5")
      try price.read("2,25", in: context)
      #expect(price.value == 2.25)
      price.value = 1.5
    }
  }

  @Test func `A transformer for a named context precedes that of the field for all contexts, in either order`() throws {
    let cents = Percentage()
    for price in [price().transform(with: cents), Field(1.5).transform(with: cents).transform(with: cents, in: "csv")] {
      #expect(try price.written() == 150)
      #expect(try price.written(in: ValueTransformerContext(name: "json")) == 150)
    }
    #expect(try price().transform(with: cents).written(in: ValueTransformerContext(name: "csv")) == "1,5")
  }

  @Test func `A transformer for a named context is replaced by a later one of the same name only`() throws {
    let field = price().transform(with: Percentage(), in: "csv").transform(with: Percentage(), in: "tsv")
    #expect(try field.written(in: ValueTransformerContext(name: "csv")) == 150)
    #expect(try field.written(in: ValueTransformerContext(name: "tsv")) == 150)
    #expect(try field.written() == 1.5)
  }

  @Test func `A field without a transformer for the name of a context uses that of the context for the type`() throws {
    var csv = ValueTransformerContext(name: "csv")
    csv.transform(Double.self, importValue: { _ in 0 }, exportValue: { _ in "context" })
    var other = csv
    other.name = "json"
    #expect(try price().written(in: csv) == "1,5")
    #expect(try price().written(in: other) == "context")
    #expect(try price().transform(with: Percentage()).written(in: other) == 150)
  }

  @Test func `A transformer for a named context keeps the rules and names of the field, and works for elements`() throws
  {
    let field = Field<Double>(name: "Price", key: "price").require(.range(0...1)).transform(
      with: Percentage(), in: "csv")
    field.value = 2
    #expect(!field.valid)
    #expect(field.name == "Price")
    let list = ArrayField(Field<Double>().transform(with: Percentage(), in: "csv"))
    try list.read([50, 25], in: ValueTransformerContext(name: "csv"))
    #expect(list.value == [0.5, 0.25])
    #expect(try list.written() == [0.5, 0.25])
  }

  @Test func `A transformer for a named context crosses isolations with its context`() async throws {
    var context = ValueTransformerContext(name: "csv", keyCase: .snake, explicitNull: true, decoding: .strict)
    context.transform(Double.self, with: Percentage())
    let sent = context
    let json = try await Task.detached { try Field(0.5).written(in: sent) }.value
    #expect(json == 50)
  }
}

private struct Percentage: ValueTransforming {
  func importValue(_ json: JSONValue, in context: ValueTransformerContext) throws -> Double? {
    guard let number = json.doubleValue else { throw ValueTransformError(expected: "a percentage", found: json) }
    return number / 100
  }
  func exportValue(_ value: Double, in context: ValueTransformerContext) throws -> JSONValue { .double(value * 100) }
}

@Suite struct `The transformer of a value` {
  private struct Celsius: JSONConvertible, Equatable {
    var degrees: Double
    init(degrees: Double) { self.degrees = degrees }
    init(json: JSONValue) throws { degrees = try Double(json: json) }
    var json: JSONValue { get throws { .double(degrees) } }
  }

  private func kelvin() -> ValueTransformerContext {
    var context = ValueTransformerContext()
    context.transform(
      Celsius.self, importValue: { json in json.doubleValue.map { Celsius(degrees: $0 - 273) } },
      exportValue: { .double($0.degrees + 273) })
    return context
  }

  @Test func `The type converts its values if there is no transformer`() throws {
    let field = Field<Celsius>()
    try field.read(0.2)
    #expect(field.value == Celsius(degrees: 0.2))
    #expect(try Field(Celsius(degrees: 10)).written() == 10)
  }

  @Test func `The transformer of a context precedes the conversion by the type`() throws {
    let field = Field<Celsius>()
    try field.read(283, in: kelvin())
    #expect(field.value == Celsius(degrees: 10))
    #expect(try field.written(in: kelvin()) == 283)
    #expect(try field.written() == 10)
  }

  @Test func `The transformer of a context applies inside lists, dictionaries and optionals`() throws {
    var context = ValueTransformerContext()
    context.transform(Bool.self, importValue: { $0 == "ON" }, exportValue: { $0 ? "ON" : "OFF" })
    #expect(try Field([true, false]).written(in: context) == ["ON", "OFF"])
    #expect(try Field(["a": [true]]).written(in: context) == ["a": ["ON"]])
    #expect(try (*Field(true)).written(in: context) == ["ON"])
    #expect(try Field([true, nil] as [Bool?]).written(in: context) == ["ON", nil])
    let field = Field<[String: [Bool?]]>()
    try field.read(["a": ["ON", nil, "OFF"]], in: context)
    #expect(field.value == ["a": [true, nil, false]])
  }

  @Test func `The transformer of a field precedes that of the context and the type`() throws {
    let field = Field(Celsius(degrees: 1)).transform(importValue: { _ in nil }, exportValue: { _ in "field" })
    #expect(try field.written(in: kelvin()) == "field")
  }

  @Test func `Transformers may be stored by name in a dictionary`() throws {
    let transformers: [String: any ValueTransforming] = [
      "Date": .date(format: "yyyy-MM-dd"),
      "Time": .date(format: "HH:mm", timeZone: .gmt, locale: Locale(identifier: "de")),
    ]
    let day = try #require(transformers["Date"] as? any ValueTransforming<Date>)
    #expect(try day.exportValue(Date(timeIntervalSince1970: 0), in: .standard) == "1970-01-01")
    let field = Field(Date(timeIntervalSince1970: 0)).transform(with: .date(format: "dd.MM.yyyy"), in: "csv")
    #expect(try field.written(in: ValueTransformerContext(name: "csv")) == "01.01.1970")
    #expect(try field.written() == "1970-01-01T00:00:00Z")
  }
}
