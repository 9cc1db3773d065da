import FieldKit
import Foundation
import Testing

@Suite struct `A field read from a dictionary` {
  @Test func `A field read from a dictionary needs a key`() {
    let field = Field(1, name: "Age")
    let error = #expect(throws: FieldError.self) { try field.read(from: ["Age": 2]) }
    #expect(error?.field == "Age")
    #expect(error?.code == .noKey)
    #expect(
      error?.description
        == "Field \"Age\" has no key, so a dictionary can't hold it: declare it as Field(key: \"…\") or in a model."
    )
    #expect(throws: FieldError.self) { try (*Field<Int>()).read(from: [:]) }
    #expect(field.value == 1)
  }

  @Test func `A field read from a dictionary keeps value and state when a value does not fit, and reports its path`() {
    let field = Field<Int>(key: "profile.ageYears").require(.range(0...10))
    field.value = 3
    field.validate()
    let stamp = field.updatedAt
    let context = ValueTransformerContext(keyCase: .snake)
    let error = #expect(throws: ValueTransformError.self) {
      try field.read(from: ["profile": ["age_years": "x"]], in: context)
    }
    #expect(error?.path == "profile.age_years")
    #expect(error?.expected == "an integer")
    #expect(error?.found == "the string \"x\"")
    #expect(error?.description == "profile.age_years: expected an integer, found the string \"x\"")
    #expect(field.value == 3)
    #expect(field.isDirty)
    #expect(field.updatedAt == stamp)
    #expect(field.validationState == .valid)
    let unset = Field<Int>(key: "n")
    #expect(throws: ValueTransformError.self) { try unset.read(from: ["n": 1.5]) }
    #expect(unset.loadState == .notLoaded)
  }

  @Test
  func `A field read from a dictionary reports the index of a bad element, with the transformer's error as cause`() {
    struct Sold: Error {}
    let list = ArrayField(Field<[String: Int]>(key: "rows"))
    let error = #expect(throws: ValueTransformError.self) { try list.read(from: ["rows": [["a": 1], ["a": "x"]]]) }
    #expect(error?.description == "rows[1].a: expected an integer, found the string \"x\"")
    let field = Field<Int>(key: "a.b").transform(importValue: { _ in throw Sold() }, exportValue: { .int($0) })
    let thrown = #expect(throws: ValueTransformError.self) { try field.read(from: ["a": ["b": 1]]) }
    #expect(thrown?.path == "a.b")
    #expect(thrown?.cause is Sold)
  }

  @Test func `A field read from a dictionary is unchanged if its key or an object on its path is missing`() throws {
    let field = Field("old", key: "author.full_name")
    for dictionary in [[:], ["author": [:]], ["author": nil], ["author": ["name": "x"]]] as [AttributeDictionary] {
      try field.read(from: dictionary)
      #expect(field.value == "old")
    }
    let unset = Field<String>(key: "name")
    try unset.read(from: ["other": 1])
    #expect(unset.loadState == .notLoaded)
  }

  @Test(
    arguments: [
      (5, "author: expected an object, found 5"), ("x", "author: expected an object, found the string \"x\""),
      ([["full_name": "x"]], "author: expected an object, found a list of 1 element"),
    ] as [(JSONValue, String)])
  func `A field read from a dictionary refuses a path through a value that is no object`(
    middle: JSONValue, message: String
  ) {
    let field = Field("old", key: "author.full_name")
    let error = #expect(throws: ValueTransformError.self) { try field.read(from: ["author": middle]) }
    #expect(error?.description == message)
    #expect(field.value == "old")
  }

  @Test func `A field read from a dictionary has its value, and is clean afterwards`() throws {
    let number = Field<Int>(key: "number")
    number.value = 1
    var seen: [Int?] = []
    let token = number --> { seen.append($0) }
    try number.read(from: ["number": 10, "other": "x"])
    #expect(number.value == 10)
    #expect(number.loadState == .loaded)
    #expect(!number.isDirty)
    #expect(seen == [1, 10])
    token.cancel()
    let list = *Field<Int>(key: "numbers")
    try list.read(from: ["numbers": [1, 2]])
    #expect(list.value == [1, 2])
    let float = Field<Float>(key: "f")
    try float.read(from: ["f": 3.0])
    #expect(float.value == 3)
    try float.read(from: ["f": 2])
    #expect(float.value == 2)
  }

  @Test func `A field read from a dictionary is nil and loaded after null`() throws {
    let fields: [AnyField] = [Field<Int>(key: "a.b"), Field("x", key: "a.b"), *Field<Int>(key: "a.b")]
    for field in fields {
      try field.read(from: ["a": ["b": nil]])
      #expect(field.anyValue == nil)
      #expect(field.loadState == .loaded)
    }
  }

  @Test func `A field read from a dictionary finds its key in the case of the context, even flat`() throws {
    let field = Field<String>(key: "author.fullName")
    let context = ValueTransformerContext(keyCase: .snake)
    try field.read(from: ["author": ["full_name": "Ada", "fullName": "no"]], in: context)
    #expect(field.value == "Ada")
    try field.read(from: ["author.full_name": "Eve"], in: context)
    #expect(field.value == "Eve")
  }
}

@Suite struct `A field written to a dictionary` {
  private func written(_ field: AnyField, in context: ValueTransformerContext = .standard) throws
    -> AttributeDictionary
  {
    var dictionary: AttributeDictionary = [:]
    try field.write(to: &dictionary, in: context)
    return dictionary
  }

  @Test func `A field written to a dictionary needs a key`() {
    #expect(throws: FieldError.self) { try written(Field(1)) }
  }

  @Test func `A field written to a dictionary never replaces a value on its path that is no object`() {
    let field = Field("x", key: "a.b.c")
    for (middle, place) in [(1, "a"), ("text", "a"), ([], "a"), (["b": 5], "a.b")] as [(JSONValue, String)] {
      var dictionary: AttributeDictionary = ["a": middle, "z": 1]
      let error = #expect(throws: ValueTransformError.self) { try field.write(to: &dictionary) }
      #expect(error?.path == place)
      #expect(error?.expected == "an object")
      #expect(dictionary == ["a": middle, "z": 1])
    }
  }

  @Test func `A field that can't be written leaves the dictionary unchanged, and reports its path`() {
    struct Shy: Error {}
    let shy = Field(1, key: "a.b").transform(importValue: { _ in 1 }, exportValue: { _ in throw Shy() })
    var dictionary: AttributeDictionary = ["a": ["b": 7]]
    let error = #expect(throws: ValueTransformError.self) { try shy.write(to: &dictionary) }
    #expect(error?.path == "a.b")
    #expect(error?.cause is Shy)
    let list = ArrayField(Field(Double.nan, key: "n"))
    #expect(throws: ValueTransformError.self) { try list.write(to: &dictionary) }
    #expect(dictionary == ["a": ["b": 7]])
  }

  @Test func `A field that is not loaded writes nothing to a dictionary, and nil only where null is wanted`() throws {
    let explicit = ValueTransformerContext(explicitNull: true)
    let field = Field<Int>(key: "n")
    #expect(try written(field, in: explicit).isEmpty)
    #expect(try written(*Field<Int>(key: "n"), in: explicit).isEmpty)
    field.value = nil
    #expect(try written(field).isEmpty)
    #expect(try written(field, in: explicit) == ["n": nil])
    let list = *Field<Int>(key: "n")
    list.value = nil
    #expect(try written(list).isEmpty)
    #expect(try written(list, in: explicit) == ["n": nil])
    field.value = 1
    field.loadState = .error(CancellationError())
    #expect(try written(field).isEmpty)
  }

  @Test func `A field written to a dictionary replaces the value at its key`() throws {
    #expect(try written(Field("value", key: "key")) == ["key": "value"])
    #expect(try written(EnumField<Color>(.red, key: "color")) == ["color": "red"])
    #expect(try written(*Field(1, key: "list")) == ["list": [1]])
    var dictionary: AttributeDictionary = ["key": ["old": 1], "other": 2]
    try Field(["new": 1], key: "key").write(to: &dictionary)
    #expect(dictionary == ["key": ["new": 1], "other": 2])
  }

  @Test func `A field written to a dictionary merges into the objects on its path, and creates missing ones`()
    throws
  {
    var dictionary: AttributeDictionary = ["a": ["x": 1], "n": nil]
    try Field(2, key: "a.b.c").write(to: &dictionary)
    try Field(3, key: "a.b.d").write(to: &dictionary)
    try Field(4, key: "n.m").write(to: &dictionary)
    #expect(dictionary == ["a": ["x": 1, "b": ["c": 2, "d": 3]], "n": ["m": 4]])
  }

  @Test func `A field written to a dictionary is read from the same key`() throws {
    for key in ["plain", "a.b", "a.b.c", "imageURL.widgetIDs"] {
      for keyCase in KeyCase.allCases.map(Optional.some) + [nil] {
        let context = ValueTransformerContext(keyCase: keyCase)
        let (source, target) = (Field(7, key: key), Field<Int>(key: key))
        try target.read(from: written(source, in: context), in: context)
        #expect(target.value == 7, "\(key) \(String(describing: keyCase))")
      }
    }
    var flat: AttributeDictionary = ["a.b": 1]
    try Field(2, key: "a.b").write(to: &flat)
    #expect(flat == ["a.b": 2])
  }

  @Test func `A field written to a dictionary follows key case, types and names of the context`() throws {
    var context = ValueTransformerContext(name: "api", keyCase: .upperCamel)
    context.transform(Bool.self, importValue: { $0 == "ON" }, exportValue: { $0 ? "ON" : "OFF" })
    let isPowered = Field(true, key: "isPowered")
    #expect(try written(isPowered, in: context) == ["IsPowered": "ON"])
    #expect(try written(isPowered) == ["isPowered": true])
    try isPowered.read(from: ["IsPowered": "OFF"], in: context)
    #expect(isPowered.value == false)
    let day = Field(Date(timeIntervalSince1970: 0), key: "day").transform(with: .date(format: "yyyy-MM-dd"), in: "api")
    #expect(try written(day, in: context) == ["Day": "1970-01-01"])
    try day.read(from: ["Day": "2015-03-03"], in: context)
    #expect(day.value == Date(timeIntervalSince1970: 1_425_340_800))
  }
}
