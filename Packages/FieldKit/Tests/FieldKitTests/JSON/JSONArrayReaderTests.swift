@_spi(ModelKitInternals) import FieldKit
import Foundation
import Testing

@Suite struct `Reading an array element by element` {
  private func elements(_ json: String, at path: String = "") throws -> [JSONValue] {
    var reader = try JSONArrayReader(Data(json.utf8), at: path)
    var elements: [JSONValue] = []
    while let element = try reader.next() { elements.append(element) }
    #expect(try reader.next() == nil)
    return elements
  }

  @Test func `Reading an array element by element returns the elements with their index and offset`() throws {
    var reader = try JSONArrayReader(Data("\u{FEFF} [ 1 , {\"a\":[2]},\n\"x\" ] ".utf8))
    #expect(reader.index == nil)
    #expect(reader.offset == nil)
    #expect(try reader.next() == 1)
    #expect(reader.index == 0)
    #expect(reader.offset == 6)
    #expect(try reader.nextRange() == 10..<19)
    #expect(try reader.next() == "x")
    #expect(reader.index == 2)
    #expect(reader.offset == 21)
    #expect(try reader.next() == nil)
    #expect(reader.count == 3)
  }

  @Test func `Reading an array element by element finds the array at a path`() throws {
    let json = #"{"x":1,"result":{"pages":[{"items":[]},{"items":[7,8]}]},"authors":[{"name":"Nina"}]}"#
    #expect(try elements(json, at: "authors") == [["name": "Nina"]])
    #expect(try elements(json, at: "result.pages[1].items") == [7, 8])
    #expect(try elements(json, at: "result.pages[0].items") == [])
    #expect(try elements("[[1],[2,3]]", at: "[1]") == [2, 3])
    #expect(try elements("[]") == [])
  }

  @Test func `Reading an array element by element takes the last array of a key that occurs more than once`() throws {
    #expect(try elements(#"{"a":[1],"a":[2,3]}"#, at: "a") == [2, 3])
    #expect(try elements(#"{"a":{"b":[1]},"\u0061":{"b":[1],"b":[4]}}"#, at: "a.b") == [4])
  }

  @Test(arguments: [
    (#"{"a":{}}"#, "a", "expected an array at \"a\", found an object"),
    (#"{"a":[1]}"#, "b", "expected an array at \"b\", found nothing there"),
    (#"{"a":[1]}"#, "a[3]", "expected an array at \"a[3]\", found nothing there"),
    (#"{"a":null}"#, "a.b", "expected an array at \"a.b\", found null"),
    ("{}", "", "expected an array, found an object"), ("7", "", "expected an array, found a number"),
  ])
  func `Reading an array element by element throws if there is no array`(json: String, path: String, message: String) {
    let error = #expect(throws: JSONSyntaxError.self) { _ = try JSONArrayReader(Data(json.utf8), at: path) }
    #expect(error?.code == .missingArray)
    #expect(error?.message == message)
  }

  @Test func `Reading an array by element checks the document around a path at once, and all of it otherwise`() throws {
    #expect(throws: JSONSyntaxError.self) { _ = try JSONArrayReader(Data(#"{"a":[1],"b":01}"#.utf8), at: "a") }
    #expect(throws: JSONSyntaxError.self) { _ = try JSONArrayReader(Data(#"{"a":[1]} x"#.utf8), at: "a") }
    for (json, good) in [
      ("[1,2,x]", 2), ("[1,2", 2), ("[1,2] x", 2), ("[1,]", 1), ("[1 2]", 1), ("[,]", 0), ("[1,2]]", 2),
    ] {
      var reader = try JSONArrayReader(Data(json.utf8))
      for _ in 0..<good { _ = try #require(try reader.next()) }
      let error = #expect(throws: JSONSyntaxError.self) { _ = try reader.next() }
      #expect(error == #expect(throws: JSONSyntaxError.self) { _ = try JSONValue(json: json) }, "\(json)")
      #expect(try reader.next() == nil)
    }
  }

  @Test func `Reading an array element by element counts the levels around the array`() throws {
    let options = JSONReadingOptions(maximumDepth: 3)
    var reader = try JSONArrayReader(Data(#"{"a":[[1]]}"#.utf8), at: "a", options: options)
    #expect(try reader.next() == [1])
    #expect(throws: JSONSyntaxError.self) {
      _ = try JSONArrayReader(Data(#"{"a":[[[1]]]}"#.utf8), at: "a", options: options)
    }
    var flat = try JSONArrayReader(Data("[[[1]],[[[1]]]]".utf8), options: options)
    #expect(try flat.next() == [[1]])
    let error = #expect(throws: JSONSyntaxError.self) { _ = try flat.next() }
    #expect(error?.code == .tooDeep)
  }

  @Test func `Reading an array element by element works on a slice of data`() throws {
    let data = Data("xx[1,2]yy".utf8)
    var reader = try JSONArrayReader(data[2..<7])
    #expect(try reader.next() == 1)
    #expect(try reader.nextRange() == 3..<4)
    #expect(try reader.next() == nil)
  }
}
