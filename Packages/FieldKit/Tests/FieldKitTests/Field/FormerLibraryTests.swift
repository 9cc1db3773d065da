import Foundation
import Testing

@_spi(ModelKitInternals) @testable import FieldKit

private enum Size: String, CaseIterable { case small, large }

/// A field class whose default transformer is another one than that of the type.
private final class YesNoField: Field<Bool> {
  init() {
    super.init()
    transform(
      importValue: { $0 == "yes" }, exportValue: { .string($0 ? "yes" : "no") })
  }
}

@Suite struct `Fields as the former libraries had them` {
  @Test func `MK-O1: any field is observed without knowledge of its type`() {
    let fields: [AnyField] = [Field<Int>(1, key: "a"), Field<String>(key: "b"), ArrayField(Field<Int>(), key: "c")]
    var seen: [String] = []
    let tokens = fields.map { field in field.observe { seen.append(field.key ?? "") } }
    (fields[0] as? Field<Int>)?.value = 2
    (fields[0] as? Field<Int>)?.value = 2
    (fields[2] as? ArrayField<Int>)?.append(3)
    try? fields[1].set(anyValue: "x")
    #expect(seen == ["a", "c", "b"])
    tokens.forEach { $0.cancel() }
    (fields[0] as? Field<Int>)?.value = 3
    #expect(seen.count == 3)
  }

  @Test func `MK-F5: time stamps can be set to those of a change elsewhere, and merges compare them`() {
    let mine = Field("mine"), theirs = Field("theirs")
    mine.value = "mine 2"
    theirs.value = "theirs 2"
    let past = Date(timeIntervalSince1970: 1_000)
    theirs.setTimestamps(updatedAt: past)
    #expect(theirs.updatedAt == past)
    #expect(theirs.changedAt == past)
    #expect(!theirs.isNewer(than: mine))
    #expect(!mine.merge(from: theirs))
    theirs.setTimestamps(updatedAt: .distantFuture, changedAt: past)
    #expect(theirs.changedAt == past)
    #expect(mine.merge(from: theirs))
    #expect(mine.value == "theirs 2")
    let unset = Field<String>()
    unset.setTimestamps(updatedAt: past)
    #expect(unset.updatedAt == nil)
  }

  @Test func `MK-F7: name, key and priority are declared, and name and priority can change`() {
    let field = Field<Int>(name: "Age", key: "age", priority: 3)
    #expect((field.name, field.key, field.priority) == ("Age", "age", 3))
    field.rename("Alter")
    field.prioritize(1)
    #expect((field.name, field.key, field.priority) == ("Alter", "age", 1))
    field.prioritize(nil)
    #expect(field.priority == nil)
  }

  @Test func `MK-F13: a value is copied from another field, with its time stamps or without`() throws {
    let source = Field<Int>(), target = Field<Int>().constrain(to: 0...5)
    source.value = 3
    target.value = 4
    try target.copyValue(from: source, keepingTimestamps: true)
    #expect(target.value == 3)
    #expect(target.updatedAt == source.updatedAt)
    #expect(!target.isNewer(than: source))
    try target.copyValue(from: source)
    #expect(target.isNewer(than: source))
    source.value = 9
    try target.copyValue(from: source as AnyField)
    #expect(target.value == 5)
    source.value = nil
    try target.copyValue(from: source)
    #expect(target.value == nil)
    target.value = 2
    #expect(throws: FieldError.self) { try target.copyValue(from: Field("x")) }
    #expect(target.value == 2)
  }

  @Test func `MK-D1: a form can list the values that a field allows`() {
    let size = Field<String>().constrain(to: ["S", "M"])
    #expect(size.allowedValues == ["S", "M"])
    #expect(EnumField<Size>().allowedValues == [.small, .large])
    #expect(EnumField<Size>().constrain(to: [.large]).allowedValues == [.large])
    #expect(Field<Int>().constrain(to: 0...9).allowedValues == nil)
    #expect(Field<Int>().allowedValues == nil)
    #expect((size as AnyField).anyAllowedValues as? [String] == ["S", "M"])
    size.unconstrain()
    #expect(size.allowedValues == nil)
  }

  @Test func `MK-A4: unique elements are the first ones, in their order`() {
    #expect([3, 1, 3, 2, 1].uniqueElements() == [3, 1, 2])
    struct OnlyEquatable: Equatable { let number: Int }
    #expect([1, 2, 1].map(OnlyEquatable.init).uniqueElements().map(\.number) == [1, 2])
    #expect("banana".uniqueElements() == ["b", "a", "n"])
    let tags = ArrayField(Field<Int>(), allowsDuplicates: false)
    tags.value = [3, 1, 3]
    #expect(tags.value == [3, 1, 3].uniqueElements())
  }

  @Test func `MK-T13: the transformer of a field is its own, its class's, its context's or that of the type`() throws {
    let field = Field<Date>()
    let day = Date(timeIntervalSince1970: 86_400)
    let context = ValueTransformerContext.standard
    #expect(try field.transformer().exportValue(day, in: context) == field.json(ofValue: day, in: context))
    field.transform(with: .date(format: "yyyy-MM-dd"))
    #expect(try field.transformer().exportValue(day, in: context) == "1970-01-02")
    #expect(try YesNoField().transformer().importValue("yes", in: context) == true)
    #expect(try YesNoField().transformer().exportValue(false, in: context) == "no")
    let days = ArrayField(Field<Date>().transform(with: .date(format: "yyyy-MM-dd")))
    #expect(try days.transformer().exportValue([day], in: context) == ["1970-01-02"])
    #expect(try days.transformer().importValue(["1970-01-02"], in: context) == [day])
    #expect(try Field<Int>().transformer().importValue(7, in: context) == 7)
    #expect(throws: ValueTransformError.self) { try Field<Int>().transformer().importValue("x", in: context) }
  }
}
