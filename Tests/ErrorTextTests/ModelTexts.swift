import Foundation
import ModelKit

extension ErrorText {
  static let models: [ErrorText] = [
    ErrorText("a model from JSON of another kind", #"age: expected an integer, found the string "old""#) { _ in
      _ = try Author.from(dictionaryValue: ["name": "Jane", "age": "old"])
    },
    ErrorText("a model from a list", "expected an object, found a list of 0 elements") { _ in
      _ = try Author.from(json: Data("[]".utf8))
    },
    ErrorText(
      "a model from bytes that are no JSON", #"Invalid JSON at line 1, column 9 (byte 8): expected a value, found "}"."#
    ) { _ in _ = try Author.from(json: Data("{\"age\": }".utf8)) },
    ErrorText("a model in a list from JSON of another kind", "data[1].tags[1]: expected a string, found an object") {
      _ in
      _ = try Author.list(
        fromJSON: Data(#"{"data": [{"age": 1}, {"tags": ["a", {}]}]}"#.utf8), at: "data")
    },
    ErrorText(
      "a list that is not where it is looked for",
      """
      The document has no list at line 1, column 14 (byte 13): expected an array at "data", found \
      nothing there.
      """
    ) { _ in
      _ = try Author.list(fromJSON: Data(#"{"items": []}"#.utf8), at: "data")
    },
    ErrorText("a related model from JSON of another kind", "sequel.sequel.title: expected a string, found 7") { _ in
      _ = try Book.from(dictionaryValue: ["title": "Emma", "sequel": ["sequel": ["title": 7]]])
    },
    ErrorText("a sensitive value of a model", "pin: expected an integer, found (redacted)") { _ in
      _ = try Author.from(dictionaryValue: ["pin": "4711"])
    },
    ErrorText("a model that can't be written", "height can't be written: expected a finite number, found inf") { _ in
      let author = Author("Jane")
      author.height.value = .infinity
      _ = try author.jsonData()
    },
    ErrorText(
      "a model in a list that can't be written", "[1].height can't be written: expected a finite number, found nan"
    ) { _ in
      let author = Author("Jane")
      author.height.value = .nan
      _ = try [Author("Ada"), author].jsonData()
    },
    ErrorText(
      "models that are nested too deeply",
      """
      sequel can't be written: the models below it are nested more than 512 levels deep. Write \
      them as a list, or make the relation a foreign key
      """
    ) { _ in
      let first = Book("1")
      var last = first
      for number in 2...600 {
        let next = Book("\(number)")
        last.sequel.value = next
        last = next
      }
      _ = try first.jsonData()
    },
    ErrorText("a path to a field that is not there", #"aeg was not set: Author has no field "aeg"."#) { _ in
      try Author("Jane").set(7, at: "aeg")
    },
    ErrorText("a path through a model that is not there", "author.name was not set: there is no model in author.") {
      _ in try Book("Emma").set("Jane", at: "author.name")
    },
    ErrorText("a path through a value", "title.length was not set: title holds String, not a model.") { _ in
      try Book("Emma").set(1, at: "title.length")
    },
    ErrorText(
      "a path to an element that is not there", "tags[3] was not set: there is no element at index 3, the list has 0."
    ) {
      _ in try Author("Jane").set("a", at: "tags[3]")
    },
    ErrorText("the empty path", "The empty path was not set: it refers to a model, not to a field.") { _ in
      try Author("Jane").set(7, at: "")
    },
    ErrorText("a path to a value of another type", #"Field "age" keeps its value: it takes Int, not String."#) { _ in
      try Author("Jane").set("seven", at: "age")
    },
    ErrorText(
      "a field to add without a key",
      #"The field can't be added to Author: it has no key: create it with Field(key: "…")."#
    ) { _ in try Author("Jane").add(field: Field<Int>()) },
    ErrorText(
      "a field to add whose key is taken",
      #"The field "age" can't be added to Author: the model has a field with this key."#
    ) { _ in
      try Author("Jane").add(field: Field<Int>(key: "age"))
    },
    ErrorText(
      "a field to add that belongs to another model",
      #"The field "age" can't be added to Book: it belongs to another object already."#
    ) { _ in
      let other = Author("Ada")
      try Book("Emma").add(field: other.age)
    },
    ErrorText(
      "a relation that is not there",
      """
      There is no relation "novels": use the name of the property, or the key it was declared with.
      """
    ) { _ in try Author("Jane").add(Book("Emma"), forKey: "novels") },
    ErrorText(
      "a model of another class in a relation",
      #"The relation "books" was not changed: it refers to Book, not to Author."#
    ) { _ in
      try Author("Jane").add(Author("Ada"), forKey: "books")
    },
    ErrorText(
      "a model added where one is set",
      """
      The relation "author" was not changed: it refers to one model. Use set(_:forKey:) for it.
      """
    ) { _ in try Book("Emma").add(Author("Jane"), forKey: "author") },
    ErrorText(
      "a model set where many are added",
      """
      The relation "books" was not changed: it refers to many models. Use add or remove, or set a list.
      """
    ) { _ in try Author("Jane").set(Book("Emma"), forKey: "books") },
    ErrorText(
      "broken rules of a model",
      """
      name cannot be blank
      tags[1] is no word
      There are too many authors.
      """
    ) { _ in
      let author = Author("")
      author.validate()
      author.addError(at: "tags[1]", message: "is no word")
      author.addError(at: "", message: "There are too many authors.")
      throw Reported(author.validationErrors.map(\.description).joined(separator: "\n"))
    },
    ErrorText("a relation whose model breaks rules", #"["author is invalid"]"#) { _ in
      let book = Book("Emma", by: Author(""))
      book.author.requireValid()
      throw Reported(book.validate().messages)
    },
    ErrorText(
      "two models with one identifier",
      """
      Two live models of Author have the identifier "7". The first one stays registered; \
      give the other one an identifier of its own, or use canonicalInstance(in:).
      """
    ) { _ in
      let scope = ModelScope()
      var reported: [String] = []
      scope.conflictHandler = { reported.append($0.description) }
      let models = [try Author.from(dictionaryValue: ["id": 7], in: scope), Author.with(identifier: "8", in: scope)]
      models[1].id.value = 7
      throw Reported(reported.joined(separator: "\n"))
    },
  ]

  static let streams: [ErrorText] = [
    ErrorText(
      "a stream that is cut off",
      """
      The document is cut off at line 2, column 8, byte 20: expected a colon after the key, found the end \
      of the document. 1 element was delivered before it.
      """
    ) { _ in
      for try await _ in Author.stream(fromJSON: [Data("[{\"age\": 1},\n {\"age\"".utf8)].stream) {}
    },
    ErrorText(
      "a stream that is no JSON",
      """
      Element 1 (line 2, column 3, byte 15) can't be read: expected a key in quotation marks, found "a". 1 \
      element was delivered before it.
      """
    ) { _ in
      for try await _ in Author.stream(fromJSON: [Data("[{\"age\": 1},\n {age: 2}]".utf8)].stream) {}
    },
    ErrorText(
      "a stream whose list is not there",
      """
      The document has no list at line 1, column 14, byte 13: expected an array at "data", found nothing \
      there. No element was delivered before it.
      """
    ) { _ in
      for try await _ in Author.stream(fromJSON: [Data(#"{"items": []}"#.utf8)].stream, at: "data") {}
    },
    ErrorText(
      "a stream with an element of another kind",
      """
      Element 1 (line 2, column 2, byte 14) can't be read: [1].age: expected an integer, found the string \
      "x". 1 element was delivered before it.
      """
    ) { _ in
      for try await _ in Author.stream(fromJSON: [Data("[{\"age\": 1},\n {\"age\": \"x\"}]".utf8)].stream) {}
    },
    ErrorText(
      "a stream with an element that is too large",
      """
      Element 0 (line 1, column 2, byte 1) can't be read: expected at most 8 bytes in one element, found \
      more. No element was delivered before it.
      """
    ) { _ in
      let options = JSONReadingOptions(maximumElementBytes: 8)
      for try await _ in Author.stream(fromJSON: [Data(#"[{"name": "Jane Austen"}]"#.utf8)].stream, options: options) {}
    },
    ErrorText(
      "a stream of lines with one that is no JSON",
      """
      Element 1 (line 3, column 1, byte 12) can't be read: expected a value, found "o". 1 element was \
      delivered before it.
      """
    ) { _ in
      for try await _ in Author.stream(fromJSONLines: [Data("{\"age\": 1}\n\noops\n".utf8)].stream) {}
    },
    ErrorText(
      "a stream of a file that is not there",
      """
      Could not open '/folder/none.json': No such file or directory. No element was delivered before it.
      """
    ) { folder in
      for try await _ in Author.stream(fromJSON: folder.appending(path: "none.json")) {}
    },
  ]
}

extension [Data] {
  fileprivate var stream: AsyncStream<Data> {
    AsyncStream { continuation in
      for chunk in self { continuation.yield(chunk) }
      continuation.finish()
    }
  }
}
