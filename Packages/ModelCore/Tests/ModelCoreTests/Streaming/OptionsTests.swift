import Foundation
import Testing

@testable @_spi(ModelKitInternals) import ModelCore

final class Route: Model {
  let path = Field<String>(key: "a/path")
  let length = Field<Double>()
  let next = ModelField<Route>()
  let others = ModelField<Route>()*
}

@Suite struct `The options of JSON` {
  @Test func `The options of JSON limit the depth and the length of the documents of models`() throws {
    let flat = Data(#"{"length": 1}"#.utf8)
    let deep = Data(#"{"next": {"next": {"length": 1}}}"#.utf8)
    let narrow = JSONReadingOptions(maximumDepth: 2, maximumBytes: 40)
    #expect(try Route.from(json: flat, options: narrow).length == 1)
    let error = #expect(throws: JSONSyntaxError.self) { try Route.from(json: deep, options: narrow) }
    #expect(error?.code == .tooDeep && error?.offset == 18)
    #expect(try Route.from(json: deep).next.value?.next.value?.length.value == 1)
    let list = Data("[".utf8) + flat + Data(",".utf8) + flat + Data(",".utf8) + flat + Data("]".utf8)
    #expect(try Route.list(fromJSON: list).count == 3)
    #expect(
      #expect(throws: JSONSyntaxError.self) { try Route.list(fromJSON: list, options: narrow) }?.code == .tooLarge)
    #expect(
      #expect(throws: JSONSyntaxError.self) {
        try Route.list(fromJSON: Data(#"{"a": [{"next": {}}]}"#.utf8), at: "a", options: narrow)
      }?.code == .tooDeep)
  }

  @Test func `The last of two equal keys is read on both paths`() throws {
    let data = Data(#"[{"length": 1, "length": 2, "next": {"length": 3}, "next": null, "\u006cength": 4}]"#.utf8)
    let direct = try Route.list(fromJSON: data)
    let tree = try ModelReader.list(Route.self, from: data, at: "", ModelReader(scope: nil))
    for routes in [direct, tree] {
      #expect(routes[0].length == 4)
      #expect(routes[0].next.value == nil && routes[0].next.loadState == .loaded)
    }
  }

  @Test func `The options of JSON determine how models are written, on both paths`() throws {
    let route = Route(), next = Route()
    route.path.value = "a/b"
    next.path.value = "</script>"
    next.length.value = 0.1
    route.next.value = next
    for pretty in [false, true] {
      for escapesSlashes in [false, true] {
        let one = try route.jsonData(pretty: pretty, escapesSlashes: escapesSlashes)
        #expect(
          ModelWriter.directData(of: [route], isList: false, pretty: pretty, escapesSlashes: escapesSlashes) == one)
        #expect(try route.treeData(pretty: pretty, escapesSlashes: escapesSlashes) == one)
        let list = try [route, next].jsonData(pretty: pretty, escapesSlashes: escapesSlashes)
        #expect(try [route, next].treeData(pretty: pretty, escapesSlashes: escapesSlashes) == list)
        #expect(String(decoding: list, as: UTF8.self).contains(#"a\/path"#) == escapesSlashes)
        #expect(String(decoding: list, as: UTF8.self).contains("\n") == pretty)
        if !escapesSlashes { #expect(try route.jsonData(pretty: pretty) == one) }
        #expect(try Route.from(json: one).next.value?.path.value == "</script>")
      }
    }
    let data = try route.jsonData(escapesSlashes: true)
    #expect(
      String(decoding: data, as: UTF8.self)
        == #"{"a\/path":"a\/b","next":{"a\/path":"<\/script>","length":0.1}}"#)
  }

  @Test func `Models are never written as bytes that are not valid UTF-8`() throws {
    let route = Route()
    // Half of a surrogate pair, as in text of other systems.
    for text in [
      String(decoding: [0xD83D] as [UInt16], as: UTF16.self), "\u{FFFE}\u{FFFF}\u{10FFFF}\u{0}\u{7F}", "e\u{301}",
    ] {
      route.path.value = text
      let data = try route.jsonData()
      #expect(String(validating: data, as: UTF8.self) != nil)
      #expect(try Route.from(json: data).path.value == text)
    }
  }
}
