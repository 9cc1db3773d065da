import ModelCore
import Testing

@Suite struct `One to one` {
  private let france = Country()
  private let peru = Country()
  private let paris = City()
  private let lima = City()

  @Test func `A one-to-one link is on both sides, wherever it is set`() {
    france.capital.value = paris
    #expect(paris.capitalOf.value === france)
    lima.capitalOf.value = peru
    #expect(peru.capital.value === lima)
    france.capital.value = nil
    #expect(paris.capitalOf.value == nil)
    lima.capitalOf.value = nil
    #expect(peru.capital.value == nil)
  }

  @Test func `A new one-to-one link cuts the links of both previous partners`() {
    france.capital.value = paris
    peru.capital.value = lima
    france.capital.value = lima
    #expect(france.capital.value === lima)
    #expect(lima.capitalOf.value === france)
    #expect(paris.capitalOf.value == nil)
    #expect(peru.capital.value == nil)
  }

  @Test func `A change of one-to-one partners notifies every field once, without a nil in between`() {
    france.capital.value = paris
    peru.capital.value = lima
    var log: [String] = []
    func name(_ model: ModelObject?) -> String {
      switch model {
      case nil: "nil"
      case france: "france"
      case peru: "peru"
      case paris: "paris"
      case lima: "lima"
      default: "?"
      }
    }
    france.capital.addObserver(updateImmediately: false) { log.append("france \(name($0)) \(name($1))") }
    peru.capital.addObserver(updateImmediately: false) { log.append("peru \(name($0)) \(name($1))") }
    paris.capitalOf.addObserver(updateImmediately: false) { log.append("paris \(name($0)) \(name($1))") }
    lima.capitalOf.addObserver(updateImmediately: false) { log.append("lima \(name($0)) \(name($1))") }
    france.capital.value = lima
    #expect(
      log.sorted() == ["france paris lima", "lima peru france", "paris france nil", "peru lima nil"])
  }

  @Test func `A one-to-one link stays when it is set again`() {
    france.capital.value = paris
    paris.capitalOf.value = france
    france.capital.value = paris
    #expect(france.capital.value === paris)
    #expect(paris.capitalOf.value === france)
  }
}
