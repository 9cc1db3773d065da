import FieldKit
import Testing

private final class Weak {
  weak var object: AnyObject?
  init(_ object: AnyObject) { self.object = object }
}

private final class Canary {}
private final class Form: ObservationOwner {}

@Suite struct `Leaks of fields` {
  @Test(arguments: [true, false])
  func `Observing or binding a field, its states and its derived values leaks nothing`(
    keepsTokens: Bool
  ) {
    var tokens: [ObservationToken] = []
    var references: [Weak] = []
    do {
      let (field, other, list) = (Field(1), Field(2).constrain(to: 0...10), Field<Int>()*)
      let (source, recorder, form, canary) = (ValueSource<Int?>(0), Recorder<Int?>(), Form(), Canary())
      let clone = field.clone()
      let members: [AnyObject] = [field, other, list, source, recorder, form, canary, clone]
      references = members.map { Weak($0) }
      field --> recorder
      field <--> other
      other <--> source
      field --> { [canary] in ($0, canary).0 } --> other
      field --> field
      clone --> other
      list <--> list
      tokens += [
        field --> { [canary] in _ = canary },
        field --> form { [canary] _ in _ = canary },
        field --> form { [canary] _, _ in _ = canary },
        field.validationStates --> { [canary] _ in _ = canary },
        field.loadStates --> form { [canary] _ in _ = canary },
        field.validationStates.combineLatest(field.loadStates) --> { [canary] _ in _ = canary },
        field.combineLatest(other).map { $0.first } --> { [canary] _ in _ = canary },
        field.filter { $0 == nil }.removeDuplicates() --> { [canary] _ in _ = canary },
        list.map { $0?.count } --> { [canary] _ in _ = canary },
      ]
      transaction {
        field.value = 7
        other.value = 8
        list.append(1)
      }
      field.validate()
      if !keepsTokens { tokens = [] }
    }
    #expect(references.map { $0.object == nil } == [Bool](repeating: true, count: 8))
    tokens.forEach { $0.cancel() }
  }

  @Test func `Nothing of a field leaks when its states outlive it`() {
    weak var field: Field<Int>?
    let states: ObservableState<ValidationState>
    do {
      let made = Field(1).require { $0 > 0 }
      field = made
      states = made.validationStates
      made.validate()
    }
    #expect(field == nil)
    #expect(states.value == .valid)
  }

  @Test(arguments: [0, 1])
  func `Nothing of a field leaks when it is deallocated during the delivery of its value`(way: Int) {
    let source = Field(0)
    var field: Field<Int>? = Field(0)
    weak let reference = field
    var values: [Int?] = []
    if let field { source --> field }
    field?.addObserver(updateImmediately: false) { _, _ in field = nil }
    field?.addObserver(updateImmediately: false) { values.append($1) }
    if way == 0 { field?.value = 5 } else { source.value = 5 }
    #expect(values == [5])
    #expect(reference == nil)
    source.value = 6
  }
}
