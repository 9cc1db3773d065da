// The call sites of fields that the documentation shows, as users write them. Compiled in both default isolations.
import Foundation
import ModelKit
import Testing

@Suite struct `Call sites of fields` {
  @Test func `Call sites of fields transforming chains and derived observables`() {
    let name = Field<String>(), label = Field<String>(), first = ValueSource(1), second = ValueSource("a")
    name --> { $0?.uppercased() } --> label
    name.value = "ada"
    #expect(label == "ADA")
    var log: [String] = []
    let token = name --> { log.append($0 ?? "nil") }
    token.cancel()
    let length = name.map { $0?.count ?? 0 }
    let long = length.filter { $0 > 3 }.removeDuplicates()
    first.combineLatest(second) --> { log.append("\($0.first)\($0.second)") }
    name.value = "Grace"
    #expect(long.value == 5)
    #expect(log == ["ada", "1a"])
  }

  @Test func `Call sites of fields one notification for a transaction`() {
    let a = Field<Int>(), b = Field<Int>()
    var log: [Int?] = []
    a.addObserver(updateImmediately: false) { _, new in log.append(new) }
    transaction {
      a.value = 1
      a.value = 2
      b.value = 3
    }
    #expect(log == [2])
    let sum = transaction { (a.value ?? 0) + (b.value ?? 0) }
    #expect(sum == 5)
  }

  @Test func `Call sites of fields states for live forms`() {
    let age = Field<Int>().require(.range(0...130)).constrain(to: 0...200)
    var states: [ValidationState] = []
    age.validationStates --> { states.append($0) }
    age.loadStates --> { _ in }
    age.value = 300
    #expect(age == 200)
    #expect(!age.valid)
    age.addValidationError("is taken")
    age.resetValidationState()
    #expect(states.count == 4)
    age.loadState = .loading
    #expect(age.loadState == .loading)
  }

  @Test func `Call sites of fields rules, domains, copies and merges`() {
    let color = Field<Color>().constrain(to: [.red])
    color.value = .green
    #expect(color.value == nil)
    let email = Field<String>(name: "Email", key: "email", priority: 1).require(.email)
    let copy = email.copy()
    email.value = "ada@example.org"
    #expect(email.isNewer(than: copy))
    copy.merge(from: email)
    #expect(copy == "ada@example.org")
    let tags = ArrayField(Field<String>(), name: "Tags", allowsDuplicates: false)
    #expect(tags.append("x"))
    #expect(!tags.append("x"))
    tags.removeFirst("x")
    tags.value = ["y"]
    tags.remove(at: 0)
    #expect(!tags.contains("y"))
    let year = Field<Int>().transform(importValue: { $0.intValue }, exportValue: { .int($0) })
    #expect(year.updatedAt == nil && year.changedAt == nil && year.owner == nil && year.priority == nil)
    let fields: [AnyField] = [year, tags]
    #expect(throws: FieldError.self) { try fields[0].set(anyValue: "1") }
    let context = ValueTransformerContext(keyCase: .snake, explicitNull: true, decoding: .strict)
    #expect(context.decoding == .strict)
  }
}
