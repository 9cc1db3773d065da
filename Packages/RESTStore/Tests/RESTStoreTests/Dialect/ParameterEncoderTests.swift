import Foundation
import RESTStore
import Testing

@Suite struct `An encoder of parameters` {
  @Test func `An encoder of parameters writes flat values in the order of their names`() {
    let encoder = ParameterEncoder()
    #expect(
      encoder.encode(["name": "Bob", "age": 65, "tall": true, "height": 1.5]) == "age=65&height=1.5&name=Bob&tall=true")
    #expect(encoder.encode([:]) == "")
    #expect(encoder.encode("x y") == "x%20y")
    #expect(encoder.encode(["a", "b"]) == "0=a&1=b")
  }

  @Test func `An encoder of parameters writes nested values with brackets`() {
    #expect(
      ParameterEncoder().encode(["people": [["name": "Bob", "age": 65], ["name": "Ada"]], "at": ["city": "Rome"]])
        == "at[city]=Rome&people[0][age]=65&people[0][name]=Bob&people[1][name]=Ada")
    #expect(ParameterEncoder().encode(["name": "Bob"], prefix: "person") == "person[name]=Bob")
    #expect(ParameterEncoder().encode(["none": [], "nothing": [:]]) == "")
  }

  @Test func `An encoder of parameters percent-encodes separators, unless that is turned off`() {
    let value: JSONValue = ["a&b": "c=d&e+f g", "x": ["[y]": "%"]]
    #expect(ParameterEncoder().encode(value) == "a%26b=c%3Dd%26e%2Bf%20g&x[[y]]=%25")
    #expect(ParameterEncoder(escapes: false).encode(value) == "a&b=c=d&e+f g&x[[y]]=%")
  }

  @Test(arguments: [
    (ParameterEncoder.ListStyle.indexed, "a[0]=1&a[1]=x%20y&b[c][0]=&b[c][1]=2"),
    (.bracketed, "a[]=1&a[]=x%20y&b[c][]=&b[c][]=2"), (.repeated, "a=1&a=x%20y&b[c]=&b[c]=2"),
    (.commaSeparated, "a=1%2Cx%20y&b[c]=%2C2"),
  ])
  func `An encoder of parameters writes lists in the form that a server reads`(
    lists: ParameterEncoder.ListStyle, text: String
  ) {
    let encoder = ParameterEncoder(lists: lists)
    #expect(encoder.encode(["a": [1, "x y"], "b": ["c": [nil, 2]], "none": []]) == text)
    #expect(encoder.encode(["x", "y"]) == "0=x&1=y")
    #expect(encoder.encode([1, 2], prefix: "a") == encoder.encode(["a": [1, 2]]))
  }

  @Test func `An encoder of parameters separates no elements by commas that have commas or members`() {
    let encoder = ParameterEncoder(lists: .commaSeparated)
    #expect(encoder.encode(["a": ["1,2", 3]]) == "a[0]=1%2C2&a[1]=3")
    #expect(encoder.encode(["a": [["b": 1], ["b": 2]]]) == "a[0][b]=1&a[1][b]=2")
    #expect(encoder.encode(["a": [[1, 2], [3]]]) == "a[0]=1%2C2&a[1]=3")
    #expect(ParameterEncoder(lists: .bracketed).encode(["a": [["b": 1], ["b": 2]]]) == "a[][b]=1&a[][b]=2")
  }

  @Test func `An encoder of parameters leaves null out, or writes it`() {
    let value: JSONValue = ["a": nil, "b": ["c": nil], "d": [nil, 1]]
    #expect(ParameterEncoder().encode(value) == "d[0]=&d[1]=1")
    #expect(ParameterEncoder(includesNull: true).encode(value) == "a=&b[c]=&d[0]=&d[1]=1")
    #expect(ParameterEncoder(includesNull: true, nullText: "null").encode(["a": nil]) == "a=null")
    #expect(ParameterEncoder(includesNull: true).encode(nil) == "")
  }
}
