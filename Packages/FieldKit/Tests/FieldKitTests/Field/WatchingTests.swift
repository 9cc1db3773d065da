@_spi(ModelKitInternals) import FieldKit
import Testing

private final class Keeper: FieldWatcher {
  func fieldWillChange(_ field: AnyField, isEdit: Bool) {}
  func notifyObservers(of field: AnyField, _ notify: () -> Void) { notify() }
  let name = Field<String>()
  var calls: [String] = []

  init() { name.adopt(by: self, at: 0) }

  deinit { name.clearOwner() }

  func followedFieldWasSet(_ field: AnyField) { calls.append("set") }
  func fieldBecameDirty(_ field: AnyField) { calls.append("dirty") }
  func fieldWillBeSaved(_ field: AnyField, asOf stamp: ChangeStamp?) {}
  func fieldWasSaved(_ field: AnyField) { calls.append("saved") }
}

@Suite struct `A field that is watched by its owner` {
  private let keeper = Keeper()

  @Test func `A field watched by its owner notifies it of the first change, and of the save`() {
    keeper.name.value = "a"
    keeper.name.markSaved(asOf: .next())
    #expect(keeper.calls == [])
    keeper.name.beginTracking()
    keeper.name.value = "a"
    #expect(keeper.calls == [])
    keeper.name.value = "b"
    keeper.name.value = "c"
    #expect(keeper.calls == ["dirty"])
    keeper.name.markSaved(asOf: .next())
    keeper.name.markSaved(asOf: .next())
    #expect(keeper.calls == ["dirty", "saved"])
    keeper.name.beginTracking()
    keeper.name.value = "d"
    #expect(keeper.calls == ["dirty", "saved", "dirty"])
  }

  @Test func `A field watched by its owner notifies the owner before the observers`() {
    keeper.name.beginTracking()
    keeper.name.addObserver(updateImmediately: false) { [keeper] _, _ in keeper.calls.append("observed") }
    keeper.name.value = "a"
    #expect(keeper.calls == ["dirty", "observed"])
  }

  @Test func `A field watched by its owner reports no value that is read, but one that an observer sets then`() {
    keeper.name.beginTracking()
    keeper.name.load("a", stamp: .next())
    #expect(keeper.calls == [])
    keeper.name.addObserver(updateImmediately: false) { [keeper] _, new in
      if new == "b" { keeper.name.value = "c" }
    }
    keeper.name.load("b", stamp: .next())
    #expect(keeper.calls == ["dirty"])
    #expect(keeper.name.isDirty)
    keeper.name.load("d", stamp: .next())
    #expect(keeper.calls == ["dirty", "saved"])
  }

  @Test func `A field followed by its owner notifies it of every set`() {
    keeper.name.beginTracking(isFollowed: true)
    keeper.name.value = "a"
    keeper.name.value = "a"
    keeper.name.load("b", stamp: .next())
    #expect(keeper.calls.filter { $0 == "set" }.count == 3)
  }

  @Test func `A field watched by its owner notifies observers of its states, and no owner after watching ended`() {
    var states = 0
    keeper.name.beginTracking()
    keeper.name.loadStates.addObserver(updateImmediately: false) { _, _ in states += 1 }
    keeper.name.value = "a"
    keeper.name.endTracking()
    keeper.name.value = "b"
    keeper.name.loadState = .incomplete
    #expect(keeper.calls == ["dirty"])
    #expect(states == 2)
  }
}
