import Foundation
import ModelKit

extension ErrorText {
  static let fields: [ErrorText] = [
    ErrorText("a value of another type", #"Field "Age" keeps its value: it takes Int, not String."#) { _ in
      let age: AnyField = Field<Int>(3, name: "Age")
      try age.set(anyValue: "three")
    },
    ErrorText(
      "a value of another type, in a field without a name", "The field keeps its value: it takes Int, not Double."
    ) { _ in
      let age: AnyField = Field<Int>(3)
      try age.set(anyValue: 3.5)
    },
    ErrorText("a merge from a field of another type", #"Field "Age" keeps its value: it takes Int, not String."#) { _ in
      let age: AnyField = Field<Int>(3, name: "Age")
      try age.merge(from: Field<String>("three"))
    },
    ErrorText(
      "a field without a key that reads",
      """
      Field "Age" has no key, so a dictionary can't hold it: declare it as Field(key: "…") or in a model.
      """
    ) { _ in try Field<Int>(name: "Age").read(from: ["age": 7]) },
    ErrorText(
      "a field without a key that writes",
      """
      The field has no key, so a dictionary can't hold it: declare it as Field(key: "…") or in a model.
      """
    ) { _ in
      var dictionary: AttributeDictionary = [:]
      try Field<Int>(7).write(to: &dictionary)
    },
    ErrorText("JSON of another kind", #"age: expected an integer, found the string "seven""#) { _ in
      try Field<Int>(key: "age").read(from: ["age": "seven"])
    },
    ErrorText("a fraction where an integer is due", "age: expected an integer, found 7.5") { _ in
      try Field<Int>(key: "age").read(from: ["age": 7.5])
    },
    ErrorText("a number beyond its type", "rank: expected an integer between -128 and 127, found 300") { _ in
      try Field<Int8>(key: "rank").read(from: ["rank": 300])
    },
    ErrorText(
      "a negative number where none can be", "count: expected an integer between 0 and 18446744073709551615, found -1"
    ) { _ in
      try Field<UInt>(key: "count").read(from: ["count": -1])
    },
    ErrorText("a truth value of another kind", #"open: expected true or false, found the string "maybe""#) { _ in
      try Field<Bool>(key: "open").read(from: ["open": "maybe"])
    },
    ErrorText(
      "a date that is none",
      """
      born: expected an ISO 8601 time such as 2024-03-05T10:00:00Z, found the string "yesterday"
      """
    ) { _ in try Field<Date>(key: "born").read(from: ["born": "yesterday"]) },
    ErrorText("a date of another format", #"born: expected a date as yyyy-MM-dd, found the string "1.2.2003""#) { _ in
      try Field<Date>(key: "born").transform(with: .date(format: "yyyy-MM-dd")).read(from: ["born": "1.2.2003"])
    },
    ErrorText("an address that is none", #"site: expected a URL, found the string """#) { _ in
      try Field<URL>(key: "site").read(from: ["site": ""])
    },
    ErrorText("a UUID that is none", #"badge: expected a UUID, found the string "1234""#) { _ in
      try Field<UUID>(key: "badge").read(from: ["badge": "1234"])
    },
    ErrorText(
      "a case that an enumeration does not have", #"genre: expected one of novel, poem, found the string "essay""#
    ) { _ in
      try EnumField<Genre>(key: "genre").read(from: ["genre": "essay"])
    },
    ErrorText("an object where a text is due", "name: expected a string, found an object") { _ in
      try Field<String>(key: "name").read(from: ["name": ["first": "Jane"]])
    },
    ErrorText("an element of another kind", #"marks[2]: expected an integer, found the string "three""#) { _ in
      try ArrayField(Field<Int>(), key: "marks").read(from: ["marks": [1, 2, "three"]])
    },
    ErrorText("a single value where a list is due", "marks: expected a list, found 1") { _ in
      try ArrayField(Field<Int>(), key: "marks").read(from: ["marks": 1])
    },
    ErrorText(
      "a long text where a number is due",
      """
      age: expected an integer, found the string "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"…
      """
    ) { _ in
      try Field<Int>(key: "age").read(from: ["age": .string(String(repeating: "x", count: 500))])
    },
    ErrorText("a sensitive value of another kind", "pin: expected an integer, found (redacted)") { _ in
      try Field<Int>(key: "pin", sensitive: true).read(from: ["pin": "4711"])
    },
    ErrorText("a value that can't be written", "height: expected a finite number, found nan") { _ in
      var dictionary: AttributeDictionary = [:]
      try Field<Double>(.nan, key: "height").write(to: &dictionary)
    },
    ErrorText(
      "the rules of a text",
      """
      ["is required", "cannot be blank", "length must be less than or equal to 3", "length must be equal \
      to 4", "length must be less than or equal to 3", "must be an email address", "has the wrong \
      format", "must be one of a, b", "contains invalid characters"]
      """
    ) { _ in
      let rules: [Rule<String>] = [
        .notNil, .notBlank, .length(2...3), .length(4), .length(...3), .email, .matching(/[a-z]+/), .oneOf("a", "b"),
        .characters(in: "abc"),
      ]
      throw Reported(
        rules.map {
          $0.violation(of: $0.code == "notNil" ? nil : $0.code == "notBlank" ? "" : "Wörter!")?.description ?? "none"
        })
    },
    ErrorText(
      "the rules of a number",
      """
      ["must be less than or equal to 5", "must be less than 5", "must be greater than or equal to 8", \
      "must be less than 5", "must be less than or equal to 5"]
      """
    ) { _ in
      let rules: [Rule<Int>] = [.range(1...5), .range(1..<5), .range(8...), .range(..<5), .range(...5)]
      throw Reported(rules.map { $0.violation(of: 7)?.description ?? "none" })
    },
    ErrorText(
      "the rules of a list",
      """
      ["count must be less than or equal to 2", "count must be equal to 1", "count must be greater than or \
      equal to 5"]
      """
    ) { _ in
      let rules: [Rule<[Int]>] = [.count(1...2), .count(1), .count(5...)]
      throw Reported(rules.map { $0.violation(of: [1, 2, 3])?.description ?? "none" })
    },
  ]
}
