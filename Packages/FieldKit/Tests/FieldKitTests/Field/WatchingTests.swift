@_spi(ModelKitInternals) import FieldKit
import Testing

private final class Keeper: FieldWatcher {
  func fieldWillChange(_ field: AnyField, isEdit: Bool) {}
  func notifyObservers(of field: AnyField, _ notify: () -> Void) { notify() }
  let name = Field<String>()
  var told: [String] = []

  init() { name.adopt(by: self, at: 0) }

  deinit { name.clearOwner() }

  func followedFieldWasSet(_ field: AnyField) { told.append("set") }
  func fieldBecameDirty(_ field: AnyField) { told.append("dirty") }
  func fieldWillBeSaved(_ field: AnyField, asOf stamp: ChangeStamp?) {}
  func fieldWasSaved(_ field: AnyField) { told.append("saved") }
}

@Suite struct `A field that is watched by its owner` {
  private let keeper = Keeper()

  @Test func `A field watched by its owner notifies it of the first change, and of the save`() {
    keeper.name.value = "a"
    keeper.name.markSaved(asOf: .next())
    #expect(keeper.told == [])
    keeper.name.beginTracking()
    keeper.name.value = "a"
    #expect(keeper.told == [])
    keeper.name.value = "b"
    keeper.name.value = "c"
    #expect(keeper.told == ["dirty"])
    keeper.name.markSaved(asOf: .next())
    keeper.name.markSaved(asOf: .next())
    #expect(keeper.told == ["dirty", "saved"])
    keeper.name.beginTracking()
    keeper.name.value = "d"
    #expect(keeper.told == ["dirty", "saved", "dirty"])
  }

  @Test func `A field watched by its owner notifies the owner before the observers`() {
    keeper.name.beginTracking()
    keeper.name.addObserver(updateImmediately: false) { [keeper] _, _ in keeper.told.append("observed") }
    keeper.name.value = "a"
    #expect(keeper.told == ["dirty", "observed"])
  }

  @Test func `A field watched by its owner reports no value that is read, but one that an observer sets then`() {
    keeper.name.beginTracking()
    keeper.name.load("a", stamp: .next())
    #expect(keeper.told == [])
    keeper.name.addObserver(updateImmediately: false) { [keeper] _, new in
      if new == "b" { keeper.name.value = "c" }
    }
    keeper.name.load("b", stamp: .next())
    #expect(keeper.told == ["dirty"])
    #expect(keeper.name.isDirty)
    keeper.name.load("d", stamp: .next())
    #expect(keeper.told == ["dirty", "saved"])
  }

  @Test func `A field followed by its owner notifies it of every set`() {
    keeper.name.beginTracking(isFollowed: true)
    keeper.name.value = "a"
    keeper.name.value = "a"
    keeper.name.load("b", stamp: .next())
    #expect(keeper.told.filter { $0 == "set" }.count == 3)
  }

  @Test func `A field watched by its owner notifies observers of its states, and no owner after watching ended`() {
    var states = 0
    keeper.name.beginTracking()
    keeper.name.loadStates.addObserver(updateImmediately: false) { _, _ in states += 1 }
    keeper.name.value = "a"
    keeper.name.endTracking()
    keeper.name.value = "b"
    keeper.name.loadState = .incomplete
    #expect(keeper.told == ["dirty"])
    #expect(states == 2)
  }
}
