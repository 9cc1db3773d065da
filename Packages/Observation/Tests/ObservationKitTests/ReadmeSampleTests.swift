import ObservationKit
import Testing

@Suite struct `The sample of the README` {
  final class Thermostat: ValueObservable, ValueObserver {
    let observations = ObservationRegistry<Double>()
    var value = 20.0 { didSet { observations.notify(from: oldValue, to: value) } }
    func valueChanged(from old: Double, to new: Double, observable: any ValueObservable<Double>) { value = new }
  }

  @Test func `The sample of the README prints the output in its comments`() {
    var printed: [String] = []
    let (thermostat, dial) = (Thermostat(), ValueSource(18.0))
    thermostat <--> dial
    #expect(thermostat.value == 18)
    let token = dial --> { old, new in printed.append("\(old) → \(new)") }
    thermostat.value = 21
    token.cancel()
    #expect(printed == ["18.0 → 18.0", "18.0 → 21.0"])
  }
}
