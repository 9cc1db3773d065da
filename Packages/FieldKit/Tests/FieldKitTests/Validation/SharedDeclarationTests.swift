import Foundation
import Testing

@testable import FieldKit

@Suite struct `The declaration of a field` {
  private func isShared<Value>(_ make: () -> Field<Value>) -> Bool {
    let (first, second) = (make(), make())
    return first.metadata != nil && first.metadata === second.metadata
  }

  @Test func `Fields that are declared alike share one declaration`() {
    #expect(isShared { Field<Int>(name: "Age", key: "age", priority: 3) })
    #expect(isShared { Field<Int>(name: "Age", key: "age").require(.range(0...130)) })
    #expect(isShared { Field<String>().require(.notBlank).require(.length(1...80)) })
    #expect(isShared { Field<String>().require([.notBlank, .email, .characters(in: .digits), .oneOf("S", "M")]) })
    #expect(isShared { Field<Int>().requireNotNil().require(.oneOf(1, 2)) })
    #expect(isShared { Field<Int>().require(.range(0...9), message: "must be a digit", allowNil: false) })
    #expect(isShared { Field<Double>().require(.range(0.5...)) })
    #expect(isShared { Field<Date>().require(.range(Date(timeIntervalSince1970: 0)...)) })
    #expect(isShared { Field<String>().require(.range("a"..<"x")) })
    #expect(isShared { Field<UInt8>().require(.range(...9)) })
    #expect(isShared { ArrayField(Field<String>().require(.notBlank), name: "Tags").require(.count(1...5)) })
  }

  @Test func `A declaration with a custom test belongs to one field`() {
    #expect(!isShared { Field<Int>(name: "Age").require { $0 > 0 } })
    #expect(!isShared { Field<Int>(name: "Age").require { $0 > 0 }.require(.range(0...9)) })
    #expect(!isShared { Field<String>().require(.matching(/a/)) })
    #expect(!isShared { Field<String>().require(.derived(nil, { $0.count }, satisfies: .range(0...9))) })
    #expect(!isShared { Field<Decimal>().require(.range(0...9)) })
    #expect(!isShared { Field<Int>().require(Rule { $0 > 0 }.message("must be positive")) })
  }

  @Test func `Fields that are declared differently share no declaration`() {
    let fields = [
      Field<Int>(name: "a"), Field<Int>(key: "a"), Field<Int>(name: "a", key: "a"), Field<Int>(priority: 0),
      Field<Int>(name: "a", priority: 0), Field<Int>(priority: 1), Field<Int>(name: ""), Field<Int>(key: ""),
      Field<Int>(name: "a twenty byte name 1", key: "b"), Field<Int>(name: "a twenty byte name 2", key: "b"),
      Field<Int>().require(.range(0...1)), Field<Int>().require(.range(0..<1)), Field<Int>().require(.range(0...)),
      Field<Int>().require(.range(...0)), Field<Int>().require(.range(..<0)), Field<Int>().requireNotNil(),
      Field<Int>().require(.range(0...1), message: "a"), Field<Int>().require(.range(0...1), message: "b"),
      Field<Int>().require(.range(0...1), allowNil: false), Field<Int>(name: "a").require(.range(0...1)),
      Field<Int>().requireNotNil().require(.range(0...1)), Field<Int>().require(.range(0...1)).requireNotNil(),
    ]
    #expect(Set(fields.compactMap { $0.metadata.map(ObjectIdentifier.init) }).count == fields.count)
    let text: AnyObject? = Field<String>(name: "a").metadata
    #expect(text !== fields[0].metadata)
    #expect(Field<Int>().metadata == nil)
    #expect(Field<Int>(name: "a", key: "a").metadata === fields[2].metadata)
  }

  @Test func `A rule added to one field does not change another field's declaration`() {
    let (first, second) = (Field<Int>(1, name: "N"), Field<Int>(1, name: "N"))
    #expect(first.metadata === second.metadata)
    first.require(.range(5...))
    #expect(!first.valid)
    #expect(second.valid)
    first.transform(importValue: { _ in 7 }, exportValue: { .int($0) })
    first.require(.range(6...))
    #expect(first.validate().messages.count == 2)
    #expect(Field<Int>(1, name: "N").require(.range(5...)).validate().messages.count == 1)
    #expect(Field<Int>(1, name: "N").require(.range(5...)).metadata?.transformer == nil)
  }

  @Test func `Fields in all threads share one declaration`() async {
    let found = await withTaskGroup(of: [ObjectIdentifier].self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<200).compactMap { number in
            let field = Field<Int>(name: "Parallel \(number % 50)").require(.range(0...(number % 50)))
            field.value = -1
            guard field.validate().isInvalid else { return nil }
            return field.metadata.map(ObjectIdentifier.init)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found.allSatisfy { $0.count == 200 })
    #expect(Set(found.joined()).count == 50)
  }
}
