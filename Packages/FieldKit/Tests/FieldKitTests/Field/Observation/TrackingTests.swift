import Observation
import Synchronization
import Testing

@_spi(ModelKitInternals) @testable import FieldKit

/// Counts how often tracking notified of a change.
private final class Counter: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .relaxed) }

  func track(_ body: () -> Void) {
    withObservationTracking(body) { self.number.add(1, ordering: .relaxed) }
  }
}

/// The number of notifications about the values that `read` reads, while `change` runs.
private func changes(of read: () -> Void, during change: () -> Void) -> Int {
  let counter = Counter()
  counter.track(read)
  change()
  return counter.count
}

private struct TestError: Error {}

private final class Card {
  let title = Field<String>()
  let tags = Field<String>()*
}

// One switch for the process: tests only ever switch it on, which others do not notice. Off it is tried in a process of
// its own.
@Suite(.serialized) struct `A field under Swift's own tracking` {
  private let name = Field("Ada").require(.notBlank)

  init() { FieldObservation.isEnabled = true }

  @Test func `A tracked field notifies of a change of its value`() {
    #expect(changes(of: { _ = name.value }, during: { name.value = "Bob" }) == 1)
    #expect(changes(of: { _ = name.anyValue }, during: { name.value = "Cid" }) == 1)
    #expect(changes(of: { _ = name.changedAt }, during: { name.value = "Dan" }) == 1)
  }

  @Test func `A tracked field notifies before the value changes`() {
    let seen = Mutex<[String?]>([])
    // Read in the isolation of the field: the closure runs on the thread that sets.
    nonisolated(unsafe) let name = name
    withObservationTracking {
      _ = name.value
    } onChange: {
      let value = name.value
      seen.withLock { $0.append(value) }
    }
    name.value = "Bob"
    #expect(seen.withLock { $0 } == ["Ada"])
  }

  @Test func `A tracked field does not notify of a set to an equal value`() {
    #expect(changes(of: { _ = name.value }, during: { name.value = "Ada" }) == 0)
    #expect(changes(of: { _ = name.updatedAt }, during: { name.value = "Ada" }) == 1)
  }

  @Test func `A tracked field notifies once, and again when it is read again`() {
    let counter = Counter()
    counter.track { _ = name.value }
    name.value = "Bob"
    name.value = "Cid"
    #expect(counter.count == 1)
    counter.track { _ = name.value }
    name.value = "Dan"
    #expect(counter.count == 2)
  }

  @Test func `A tracked field notifies every reader`() {
    let (first, second) = (Counter(), Counter())
    first.track { second.track { _ = name.value } }
    name.value = "Bob"
    #expect(first.count == 1)
    #expect(second.count == 1)
  }

  @Test func `A tracked field notifies of its validation state`() {
    let read = { [name] in _ = name.validationState }
    #expect(changes(of: read, during: { name.validate() }) == 1)
    #expect(changes(of: read, during: { name.validate() }) == 0)
    #expect(changes(of: read, during: { name.value = "" }) == 1)
    #expect(changes(of: read, during: { name.value = " " }) == 0)
    #expect(changes(of: read, during: { name.addValidationError("is taken") }) == 1)
    #expect(changes(of: read, during: { name.resetValidationState() }) == 1)
    #expect(changes(of: read, during: { name.resetValidationState() }) == 0)
  }

  @Test func `A field under Swift's own tracking reports when its validity has to be read again`() {
    #expect(changes(of: { _ = name.valid }, during: { name.value = "" }) == 1)
    #expect(!name.valid)
  }

  @Test func `A tracked field notifies of its load state`() {
    let field = Field<Int>()
    let read = { _ = field.loadState }
    #expect(changes(of: read, during: { field.value = 1 }) == 1)
    #expect(changes(of: read, during: { field.value = 2 }) == 0)
    #expect(changes(of: read, during: { field.loadState = .loading }) == 1)
    #expect(changes(of: read, during: { field.loadState = .loading }) == 0)
    #expect(changes(of: read, during: { field.loadState = .error(TestError()) }) == 1)
    #expect(changes(of: { _ = field.isUnset }, during: { field.value = 3 }) == 1)
  }

  @Test func `A tracked field notifies of its dirty state`() {
    let read = { [name] in _ = name.isDirty }
    #expect(changes(of: read, during: { name.value = "Bob" }) == 1)
    #expect(changes(of: read, during: { name.value = "Cid" }) == 0)
    #expect(changes(of: read, during: { name.markSaved(asOf: .next()) }) == 1)
    #expect(changes(of: read, during: { name.markSaved(asOf: .next()) }) == 0)
  }

  @Test func `A change of one property of a field does not notify readers of another`() {
    #expect(changes(of: { _ = name.value }, during: { name.validate() }) == 0)
    #expect(changes(of: { _ = name.loadState }, during: { name.value = "Bob" }) == 0)
  }

  @Test func `A field under Swift's own tracking is notified apart from another field`() {
    let other = Field(1)
    #expect(changes(of: { _ = name.value }, during: { other.value = 2 }) == 0)
  }

  @Test func `A field is tracked together with the properties of other objects`() {
    let cards = [Card(), Card(), Card()]
    let read = { for card in cards { _ = (card.title.value, card.tags.count) } }
    #expect(changes(of: read, during: { cards[2].title.value = "last" }) == 1)
    #expect(changes(of: read, during: { cards[0].tags.append("x") }) == 1)
  }

  @Test func `A tracked list notifies of an element that is added or removed`() {
    let tags = Field<String>()*
    let unique = ArrayField(Field<String>(), allowsDuplicates: false)
    #expect(changes(of: { _ = tags.value }, during: { tags.append("a") }) == 1)
    #expect(changes(of: { _ = tags.isEmpty }, during: { tags.insert("b", at: 0) }) == 1)
    #expect(changes(of: { _ = tags.contains("c") }, during: { tags.value?.append("c") }) == 1)
    #expect(changes(of: { _ = tags.count }, during: { tags.removeFirst("a") }) == 1)
    #expect(changes(of: { _ = unique.value }, during: { unique.append("a") }) == 1)
    #expect(changes(of: { _ = unique.value }, during: { unique.append("a") }) == 0)
  }

  @Test func `A tracked field with hooks and domains notifies of its changes`() {
    let age = Field(5).constrain(to: 0...10)
    #expect(changes(of: { _ = age.value }, during: { age.value = 7 }) == 1)
    let logged = Field(1).onSet { _, _ in }
    #expect(changes(of: { _ = logged.value }, during: { logged.value = 2 }) == 1)
    let clone = name.clone()
    #expect(changes(of: { _ = clone.value }, during: { name.value = "Bob" }) == 1)
  }

  @Test func `A tracked field notifies of values that arrive through a binding`() {
    let label = Field<String>()
    name --> label
    #expect(changes(of: { _ = label.value }, during: { name.value = "Bob" }) == 1)
  }

  @Test func `A tracked field notifies at the first set of a transaction`() {
    let counter = Counter()
    counter.track { _ = name.value }
    transaction {
      name.value = "Bob"
      #expect(counter.count == 1)
      name.value = "Cid"
    }
    #expect(counter.count == 1)
  }

  @Test func `A field under Swift's own tracking shows its observable states`() {
    let read = { [name] in _ = name.validationStates.value }
    #expect(changes(of: read, during: { name.validate() }) == 1)
    #expect(changes(of: { _ = name.loadStates.value }, during: { name.loadState = .loading }) == 1)
  }

  @Test func `A field created before tracking was enabled is tracked`() async {
    await #expect(processExitsWith: .success) {
      FieldObservation.isEnabled = false
      let field = Field(1)
      _ = field.value
      FieldObservation.isEnabled = true
      precondition(changes(of: { _ = field.value }, during: { field.value = 2 }) == 1)
    }
  }

  @Test func `A read of a field is not tracked if tracking is not enabled`() async {
    await #expect(processExitsWith: .success) {
      FieldObservation.isEnabled = false
      let field = Field(1)
      let read = { _ = (field.value, field.valid, field.validationState, field.loadState) }
      precondition(changes(of: read, during: { field.value = 2 }) == 0)
      precondition(!field.isTracked)
    }
  }

  @Test func `A tracked field still notifies after tracking was disabled`() async {
    await #expect(processExitsWith: .success) {
      FieldObservation.isEnabled = true
      let field = Field(1)
      let number = changes(of: { _ = field.value }) {
        FieldObservation.isEnabled = false
        field.value = 2
      }
      precondition(number == 1)
    }
  }

  @Test func `A read outside tracking costs a field nothing`() {
    _ = (name.value, name.valid, name.loadState, name.isDirty, name.updatedAt)
    withObservationTracking {
      _ = 1
    } onChange: {
    }
    _ = name.value
    #expect(!name.isTracked)
    withObservationTracking {
      _ = name.value
    } onChange: {
    }
    #expect(name.isTracked)
  }

  @Test func `A copy of a field does not have its observers under Swift's own tracking`() {
    let counter = Counter()
    counter.track { _ = name.value }
    let copy: Field<String> = name.copy()
    copy.value = "Bob"
    #expect(counter.count == 0)
    #expect(!copy.isTracked)
  }

  @Test func `A deallocated field releases its observers under Swift's own tracking`() {
    var field: Field<Int>? = Field(1)
    weak let weakField = field
    var counter: Counter? = Counter()
    weak let weakCounter = counter
    counter?.track { _ = (field?.value, field?.validationState) }
    counter?.track { _ = field?.value }
    counter = nil
    field = nil
    #expect(weakField == nil)
    #expect(weakCounter == nil)
  }

  @Test func `A field releases an observer under Swift's own tracking once it was notified`() {
    var counter: Counter? = Counter()
    weak let weakCounter = counter
    counter?.track { _ = (name.value, name.loadState) }
    name.value = "Bob"
    counter = nil
    #expect(weakCounter == nil)
  }

  @Test func `A field under Swift's own tracking is tracked on several threads, each with fields of its own`() async {
    let total = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<50).reduce(0) { sum, number in
            let field = Field(number)
            return sum + changes(of: { _ = field.value }, during: { field.value = -1 })
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(total == 400)
  }

  @MainActor @Suite struct `On the main actor` {
    private let name = Field("Ada")

    init() { FieldObservation.isEnabled = true }

    @Test func `A field on the main actor is followed by Observations`() async {
      guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
      var names: [String] = []
      for await value in Observations({ [name] in name.value ?? "nobody" }) {
        names.append(value)
        if value == "Cid" { break }
        name.value = value == "Ada" ? "Bob" : "Cid"
      }
      #expect(names == ["Ada", "Bob", "Cid"])
    }
  }
}

extension AnyField {
  /// Whether the field was ever read under tracking. Only such a field notifies a registrar.
  fileprivate var isTracked: Bool { flags.contains(.tracked) }
}
