import Foundation
import ModelCore
import Testing

/// Two keys have the same length and the same first eight bytes.
private final class Weather: Model {
  let id = Field<Int>()
  let temperatureIndoors = Field<Double>()
  let temperatureOutside = Field<Double>()
  let scale = Field<String>(key: "K")
  let notes = Field<String>()*
  override var identifierField: AnyField? { id }
}

@Suite struct `Documents with keys in any order` {
  @Test(arguments: 0..<24)
  func `Keys with the same beginning are distinguished`(order: Int) throws {
    var members = [
      #""id":1"#, #""temperatureIndoors":20.5"#, #""temperatureOutside":-3"#, #""temperature":9"#,
      #""temperatureOutsid":9"#,
    ]
    members.swapAt(0, order % 5)
    members.swapAt(1, order / 2 % 5)
    members.swapAt(2, order / 5)
    let document = Data("[{\(members.joined(separator: ","))},{\(members.reversed().joined(separator: ","))}]".utf8)
    for weather in try Weather.list(fromJSON: document) {
      #expect(weather.id == 1)
      #expect(weather.temperatureIndoors == 20.5)
      #expect(weather.temperatureOutside == -3)
    }
  }

  @Test(arguments: ["K", "\u{212A}", #"\u004B"#, #"\u212a"#])
  func `A key is found in every spelling of its string`(key: String) throws {
    let found = try Weather.list(fromJSON: Data(#"[{"id":1,"\#(key)":"celsius"}]"#.utf8))
    #expect(found[0].scale == "celsius")
  }

  @Test(arguments: [
    "1.8365478961234567", "0.1000000000000000055511151231257827", "12345678901234567890123", "-0.0", "-0", "4",
    "2.5e-8", "9007199254740993", "1e22", "179769313486231570000000000000000000000.5",
  ])
  func `A decimal number of any length is read as the nearest one`(number: String) throws {
    let found = try Weather.list(fromJSON: Data(#"[{"id":1,"temperatureOutside":\#(number)}]"#.utf8))
    #expect(found[0].temperatureOutside.value?.bitPattern == Double(number)?.bitPattern)
  }

  @Test func `A number beyond the range is an error`() {
    #expect(throws: ModelDecodingError.self) {
      try Weather.list(fromJSON: Data(#"[{"id":1,"temperatureOutside":1e400}]"#.utf8))
    }
  }

  @Test(arguments: 0..<9)
  func `A list has all its elements`(count: Int) throws {
    let notes = (0..<count).map { "note \($0)" }
    let json = try JSONEncoder().encode([["notes": notes]])
    #expect(try Weather.list(fromJSON: json)[0].notes == notes)
  }
}
