@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `A transformer that gives nil` {
  private let explicit = ValueTransformerContext(explicitNull: true)

  private func field() -> Field<Int> {
    Field(0, key: "n").transform(
      importValue: { $0 == "none" ? nil : $0.intValue }, exportValue: { $0 == 0 ? nil : .int($0) })
  }

  @Test func `A transformer that returns nil on reading makes the value nil, and loaded`() throws {
    let field = field()
    try field.read(from: ["n": "none"])
    #expect(field.value == nil)
    #expect(field.loadState == .loaded)
    #expect(!field.isDirty)
  }

  @Test func `A transformer that returns nil on writing omits the key, or writes null in a context with explicit null`()
    throws
  {
    let field = field()
    #expect(try field.written() == nil)
    #expect(try field.written(in: explicit) == .some(.null))
    var dictionary: AttributeDictionary = [:]
    try field.write(to: &dictionary)
    #expect(dictionary.isEmpty)
    try field.write(to: &dictionary, in: explicit)
    #expect(dictionary == ["n": nil])
    field.value = 3
    try field.write(to: &dictionary)
    #expect(dictionary == ["n": 3])
  }

  @Test func `A transformer that returns nil is not called for null, nor for nil`() throws {
    struct Called: Error {}
    let field = Field(1).transform(importValue: { _ in throw Called() }, exportValue: { _ in throw Called() })
    try field.read(nil)
    #expect(field.value == nil)
    #expect(try field.written(in: explicit) == nil)
  }

  @Test func `A transformer of a context may return nil as that of a field may`() throws {
    var context = ValueTransformerContext()
    context.transform(Int.self, importValue: { _ in nil }, exportValue: { _ in nil })
    let field = Field(1)
    #expect(try field.written(in: context) == nil)
    try field.read(2, in: context)
    #expect(field.value == nil)
  }
}
