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

  @Test func `An encoder of parameters leaves null out, or writes it`() {
    let value: JSONValue = ["a": nil, "b": ["c": nil], "d": [nil, 1]]
    #expect(ParameterEncoder().encode(value) == "d[0]=&d[1]=1")
    #expect(ParameterEncoder(includesNull: true).encode(value) == "a=&b[c]=&d[0]=&d[1]=1")
    #expect(ParameterEncoder(includesNull: true, nullText: "null").encode(["a": nil]) == "a=null")
    #expect(ParameterEncoder(includesNull: true).encode(nil) == "")
  }
}
