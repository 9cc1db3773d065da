import FieldKit
import Foundation
import Testing

@Suite struct `A field` {
  @Test func `A field has no value and no dates at first`() {
    let name = Field<String>()
    #expect(name.value == nil)
    #expect(name.updatedAt == nil)
    #expect(name.changedAt == nil)
    #expect(name.loadState == .notLoaded)
    #expect(!name.isDirty)
    #expect(name.isUnset)
  }

  @Test func `A field stores a value, and nil`() {
    let age = Field<Int>()
    age.value = 10
    #expect(age.value == 10)
    age.value = nil
    #expect(age.value == nil)
  }

  @Test func `A field does not share its initial value with another one`() {
    final class Box { var number = 1 }
    func make() -> Field<Box> { Field(Box()) }
    let (first, second) = (make(), make())
    first.value = Box()
    first.value?.number = 7
    #expect(second.value?.number == 1)
  }

  @Test func `A field compares with values and with other fields`() {
    let (name, other) = (Field("Bob"), Field("Bob"))
    #expect(name == "Bob")
    #expect("Bob" == name)
    #expect(name == other)
    other.value = "Ann"
    #expect(name != "Ann")
    #expect("Ann" != name)
    #expect(name != other)
    name.value = nil
    #expect(name == nil)
    #expect(nil == name)
    #expect(other != nil)
  }

  @Test func `A field has the name, key and priority of its declaration`() {
    let plain = Field<Int>()
    #expect(plain.name == nil)
    #expect(plain.key == nil)
    #expect(plain.priority == nil)
    let age = Field(3, name: "Age", key: "age_in_years", priority: 2).require { $0 > 0 }
    #expect(age.name == "Age")
    #expect(age.key == "age_in_years")
    #expect(age.priority == 2)
    let opaque = Field<Opaque>(name: "Thing")
    #expect(opaque.name == "Thing")
  }

  @Test func `A field has no owner until it belongs to a model`() {
    #expect(Field(1).owner == nil)
  }

  @Test func `A field takes changes in place`() {
    let tags = Field(["a"])
    let recorder = Recorder<[String]?>()
    tags.addObserver(recorder, updateImmediately: false)
    tags.value?.append("b")
    #expect(recorder.changes == [Change(["a"], ["a", "b"])])
  }
}

@Suite struct `The state of a field` {
  @Test func `The state of a field is loaded after any set, even to nil`() {
    let age = Field<Int>()
    age.value = nil
    #expect(age.loadState == .loaded)
    #expect(!age.isUnset)
    let name = Field<String>()
    name.value = "Ann"
    #expect(name.loadState == .loaded)
  }

  @Test func `The state of a field is loaded but not dirty with an initial value`() {
    let age = Field(10)
    #expect(age.value == 10)
    #expect(age.loadState == .loaded)
    #expect(!age.isDirty)
    #expect(age.updatedAt != nil)
    #expect(age.changedAt != nil)
  }

  @Test func `The state of a field may be set by an app and is loaded again after a set`() {
    struct Offline: Error {}
    let age = Field<Int>()
    for state in [LoadState.loading, .incomplete, .error(Offline()), .loaded, .notLoaded] {
      age.loadState = state
      #expect(age.loadState == state)
    }
    age.loadState = .error(Offline())
    if case .error(let error) = age.loadState { #expect(error is Offline) }
    age.value = 1
    #expect(age.loadState == .loaded)
  }

  @Test func `The state of a field equals another one of the same kind, and errors by their descriptions`() {
    struct Failure: Error { var code: Int }
    #expect(LoadState.loading != .loaded)
    #expect(LoadState.error(Failure(code: 1)) == .error(Failure(code: 1)))
    #expect(LoadState.error(Failure(code: 1)) != .error(Failure(code: 2)))
    #expect(LoadState.error(Failure(code: 1)) != .loading)
  }
}
