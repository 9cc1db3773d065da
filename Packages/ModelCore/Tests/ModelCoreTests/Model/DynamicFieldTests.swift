import ModelCore
import Testing

@Suite struct `A field that is added at run time` {
  @Test func `A field that is added at run time belongs to the model and is found by its key`() {
    let author = Author(name: "Ada")
    let nickname = Field<String>(key: "nickname")
    author << nickname
    #expect(nickname.owner === author)
    author["nickname"] = "Countess"
    #expect(nickname.value == "Countess")
    #expect(author["nickname"] as? String == "Countess")
    #expect(author.field(at: "nickname") === nickname)
    #expect(author.fields.contains { $0 === nickname })
    #expect(author.isDirty)
    #expect(Author(name: "Bob").field(at: "nickname") == nil)
  }

  @Test func `A field that is added at run time is written and read`() throws {
    let author = Author(name: "Ada")
    author << Field<String>(key: "nickname")
    author << Field<Int>(key: "address.zip")
    author["nickname"] = "Countess"
    author["address.zip"] = 7
    #expect(author.dictionaryValue == ["name": "Ada", "nickname": "Countess", "address": ["zip": 7]])
    try author.read(["nickname": "Ada", "address": ["zip": 8]])
    #expect(author["nickname"] as? String == "Ada")
    #expect(author["address.zip"] as? Int == 8)
    #expect(throws: ModelDecodingError.self) { try author.read(["name": "X", "nickname": 3]) }
    #expect(author.name == "Ada")
    #expect(String(decoding: try author.jsonData(), as: UTF8.self).contains("\"nickname\":\"Ada\""))
  }

  @Test func `A field that is added at run time is validated`() {
    let author = Author(name: "Ada")
    author << Field<String>(key: "nickname").require(.notBlank).requireNotNil()
    #expect(
      author.validate() == .invalid(["nickname cannot be blank", "nickname is required"])
    )
    author["nickname"] = "A"
    #expect(author.validate() == .valid)
  }

  @Test func `A field that is added at run time is copied and merged`() {
    let author = Author(name: "Ada")
    author << Field<String>(key: "nickname").require(.notBlank)
    author["nickname"] = "A"
    let copy = author.copy()
    #expect(copy["nickname"] as? String == "A")
    #expect(copy.field(at: "nickname")?.owner === copy)
    copy["nickname"] = ""
    #expect(copy.validate().isInvalid)
    #expect(author["nickname"] as? String == "A")
    #expect(author.merge(from: copy).compactMap(\.key) == ["nickname"])
    #expect(author["nickname"] as? String == "")
  }

  @Test func `A field that is added at run time may be a relation`() throws {
    let author = Author(name: "Ada")
    author << ModelField<Book>(key: "favourite")
    try author.read(["favourite": ["title": "T"]])
    #expect(author["favourite.title"] as? String == "T")
  }

  @Test func `A field added at run time is rejected without key, with a used key, or with an owner`() {
    let author = Author(name: "Ada")
    func refusal(_ field: AnyField) -> String {
      do {
        try author.add(field: field)
        return "none"
      } catch {
        return "\(error)"
      }
    }
    #expect(
      refusal(Field<String>(name: "Nick"))
        == "The field can't be added to Author: it has no key: create it with Field(key: \"…\").")
    #expect(
      refusal(Field<String>(key: "name"))
        == "The field \"name\" can't be added to Author: the model has a field with this key.")
    #expect(refusal(Field<String>(key: "nick")) == "none")
    #expect(refusal(Field<String>(key: "nick")).hasSuffix("the model has a field with this key."))
    let book = Book(title: "T")
    #expect(refusal(book.title).hasSuffix("it belongs to another object already."))
    let owned = Field<String>(key: "owned")
    book << owned
    #expect(refusal(owned) == "The field \"owned\" can't be added to Author: it belongs to another object already.")
    #expect(author.fields.count == 4)
  }

  #if os(macOS) || os(Linux)
    @Test func `The operator that adds a field stops the program if the field can't be added`()
      async
    {
      await #expect(processExitsWith: .failure) { Author(name: "Ada") << Field<String>() }
    }
  #endif

  @Test func `A field that is added at run time has no owner once its model is deallocated`() {
    let field = Field<String>(key: "nickname")
    do {
      let author = Author(name: "Ada")
      author << field
      #expect(field.owner === author)
    }
    #expect(field.owner == nil)
  }
}
