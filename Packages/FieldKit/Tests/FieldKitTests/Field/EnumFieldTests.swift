@_spi(ModelKitInternals) import FieldKit
import Testing

@Suite struct `A field of an enumeration` {
  @Test func `A field of an enumeration is written as the raw value and read back`() throws {
    let color = EnumField<Color>(.red, name: "Color")
    #expect(color.name == "Color")
    #expect(try color.written() == "red")
    try color.read("green")
    #expect(color.value == .green)
    let level = EnumField<Level>()
    try level.read(2)
    #expect(level.value == .high)
    #expect(try level.written() == 2)
  }

  @Test func `A field of an enumeration keeps its value when the raw value is unknown, and lists the cases`() {
    let color = EnumField<Color>(.red)
    let error = #expect(throws: ValueTransformError.self) { try color.read("black") }
    #expect(error?.description == "expected one of red, green, blue, found the string \"black\"")
    #expect(color.value == .red)
    #expect(!color.isDirty)
  }

  @Test func `A field of an enumeration needs no class of its own`() throws {
    let color = Field<Color>()
    try color.read("blue")
    #expect(color == .blue)
    #expect(throws: ValueTransformError.self) { try color.read(1) }
    try color.read(nil)
    #expect(color.value == nil)
  }

  @Test func `A field of an enumeration notifies observers of changes only`() {
    let color = EnumField<Color>(.red)
    let recorder = Recorder<Color?>()
    color --> recorder
    color.value = .red
    color.value = .blue
    #expect(recorder.values == [.red, .blue])
  }
}
