import ObservationKit
import Testing

/// A view controller, as an app would write it: what it observes touches its state without any hop.
@MainActor
private final class Controller: ObservationOwner {
  var title = ""
  var history: [Int] = []
  let count = ValueSource(0)
  private var tokens: Set<ObservationToken> = []

  func load() {
    count --> self { controller, value in controller.title = "\(value) items" }
    count.addObserver(self) { [weak self] value in self?.history.append(value) }
    (count --> { [weak self] old, new in self?.history.append(new - old) }).store(in: &tokens)
  }

  func stop() {
    tokens.forEach { $0.cancel() }
  }
}

@MainActor
private final class Label: @MainActor ValueObserver {
  var text = ""

  func valueChanged(from oldValue: Int, to newValue: Int, observable: any ValueObservable<Int>) {
    text = "\(oldValue) → \(newValue)"
  }
}

@MainActor
private final class Slider: @MainActor ValueObservable, @MainActor ValueObserver {
  let observations = ObservationRegistry<Int>()
  var value = 0 {
    didSet { observations.notify(from: oldValue, to: value) }
  }

  func valueChanged(from oldValue: Int, to newValue: Int, observable: any ValueObservable<Int>) { value = newValue }
}

@MainActor @Suite struct `On the main actor` {
  @Test func `On the main actor closures touch the state of the class that observes`() {
    let controller = Controller()
    controller.load()
    controller.count.value = 3
    controller.stop()
    controller.count.value = 4
    #expect(controller.title == "4 items")
    #expect(controller.history == [0, 0, 3, 3, 4])
  }

  @Test func `On the main actor a class of the main actor observes`() {
    let (label, source) = (Label(), ValueSource(1))
    source --> label
    source.value = 2
    #expect(label.text == "1 → 2")
  }

  @Test func `On the main actor a class of the main actor is observed and bound`() {
    let (slider, source) = (Slider(), ValueSource(1))
    slider <--> source
    slider.value = 5
    #expect(source.value == 5)
    source.value = 6
    #expect(slider.value == 6)
  }
}
