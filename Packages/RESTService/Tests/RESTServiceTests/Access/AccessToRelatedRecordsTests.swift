import Foundation
import MemoryStore
import RESTService
import Testing

/// A class that refers to others in each way.
final class Shelf: Model {
  @Field var id: Int?
  @Field var room: String?
  @ModelArrayField(foreignKey: true) var folders: [Folder]?
  @ModelField(foreignKey: true) var keeper: Keeper?
  @ModelField var label: Label?
  override var identifierField: AnyField? { $id }
}

/// A class whose records belong to a user.
final class Folder: Model {
  @Field var id: Int?
  @Field var user: String?
  @Field var text: String?
  @ModelField(foreignKey: true, inverse: \.$folders) var shelf: Shelf?
  override var identifierField: AnyField? { $id }
}

/// A class that is not served.
final class Keeper: Model {
  @Field var id: Int?
  @Field var password: String?
  override var identifierField: AnyField? { $id }
}

/// A class whose records are inside those of others.
final class Label: Model {
  @Field var text: String?
  @Field var code: String?
}

/// A class that the records of another one reference, one each.
final class Patient: Model {
  @Field var id: Int?
  @ModelField var chart: Chart?
  override var identifierField: AnyField? { $id }
}

/// A class whose records not everyone may read.
final class Chart: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true, inverse: \.$chart) var patient: Patient?
  override var identifierField: AnyField? { $id }
}

private struct Priced: Codable, Hashable, Sendable {
  var price: Int
}

private final class Bill: Model {
  let id = Field<Int>()
  let lines = Field<[Priced]>()
  override var identifierField: AnyField? { id }
}

/// A class with a derived one that is not served by itself.
private class Outline: Model {
  @Field var id: Int?
  @Field var kind: String?
  override var identifierField: AnyField? { $id }
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "ring" ? Ring.self : nil
  }
}

private final class Ring: Outline {}

private final class Drawing: Model {
  @Field var id: Int?
  @ModelField(foreignKey: true) var main: Ring?
  override var identifierField: AnyField? { $id }
}

@Suite struct `Access to related records` {
  private func request(
    _ service: RESTService, _ method: String, _ address: String, _ body: JSONValue? = nil, user: String? = nil
  ) async throws -> Answer {
    let url = try #require(URL(string: "http://shelves.test" + address))
    let request = HTTPRequestData(HTTPRequestData.Method(method), url, body: try body?.jsonData())
    return Answer(response: await service.respond(to: request, user: user))
  }

  private func service(_ store: MemoryModelStore) async throws -> RESTService {
    let keeper = Keeper()
    keeper.password = "pearl"
    let shelf = Shelf()
    (shelf.room, shelf.keeper) = ("attic", keeper)
    let label = Label()
    (label.text, label.code) = ("old", "x7")
    shelf.label = label
    let folder = Folder()
    (folder.user, folder.text) = ("bob", "diary")
    try await store.create(keeper)
    try await store.create(shelf)
    folder.shelf = shelf
    try await store.create(folder)
    try await store.save(shelf)
    return RESTService(store.handle, serving: [Shelf.self, Folder.self]) { access in
      access.allow(.all, Shelf.self)
      access.allow(.all, Folder.self) { request, folder in request.user == folder.user }
      access.hide(\Label.$code)
    }
  }

  @Test func `A condition can be about members of the values of a list`() async throws {
    let memory = MemoryModelStore()
    let bill = Bill()
    bill.lines.value = [Priced(price: 7)]
    try await memory.create(bill)
    let service = RESTService(memory.handle, serving: [Bill.self])
    for (price, isFound) in [(5, true), (7, false)] {
      let condition = #"{"any":"lines","where":{"field":"price","is":">","value":\#(price)}}"#
      let query = try #require(condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
      let answer = try await request(service, "GET", "/bills?where=\(query)")
      #expect(answer.status == 200)
      #expect((answer.json?[0] != nil) == isFound)
    }
  }

  @Test func `A reference to a derived class follows the rules of the class that is served`() async throws {
    let memory = MemoryModelStore()
    let ring = Ring()
    ring.kind = "ring"
    try await memory.create(ring)
    let service = RESTService(memory.handle, serving: [Outline.self, Drawing.self]) { access in
      access.allow(.all, Drawing.self)
      access.allow(.read, Outline.self) { request, _ in request.user == "ada" }
    }
    let link: JSONValue = .object(["main": .int(ring.id ?? 0)])
    #expect(try await request(service, "POST", "/drawings", link, user: "bob").status == 422)
    #expect(try await request(service, "POST", "/drawings", link, user: "ada").status == 201)
  }

  @Test(arguments: [
    #"{"any":"folders","where":{"field":"text","is":"hasPrefix","value":"d"}}"#,
    #"{"field":"keeper.password","is":"hasPrefix","value":"p"}"#,
    #"{"field":"label.code","is":"hasPrefix","value":"x"}"#,
  ])
  func `A condition can't read a related record that not every user may read`(condition: String) async throws {
    let service = try await service(MemoryModelStore())
    let query = try #require(condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let answer = try await request(service, "GET", "/shelves?where=\(query)", user: "eve")
    #expect(answer.status == 400)
  }

  @Test func `A condition can't find out whether a related record exists that not every user may read`() async throws {
    let store = MemoryModelStore()
    let patient = Patient()
    patient.chart = Chart()
    try await store.save(patient, including: .related)
    for (isReadable, status) in [(false, 400), (true, 200)] {
      let service = RESTService(store.handle, serving: [Patient.self, Chart.self]) { access in
        access.allow(.all, Patient.self)
        if isReadable { access.allow(.all, Chart.self) } else { access.allow(.all, Chart.self) { _, _ in false } }
      }
      let condition = #"{"field":"chart","is":"!=","value":null}"#
      let query = try #require(condition.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
      let answer = try await request(service, "GET", "/patients?where=\(query)", user: "eve")
      #expect(answer.status == status)
      if isReadable { #expect(answer.json?.arrayValue?.count == 1) }
    }
  }

  @Test func `A hidden field of an embedded record is not written`() async throws {
    let store = MemoryModelStore()
    let service = try await service(store)
    let answer = try await request(service, "PATCH", "/shelves/1", ["label": ["text": "new", "code": "mine"]])
    #expect(answer.status == 422)
    #expect(answer.json?["errors"]?["label.code"] != nil)
    #expect(try await request(service, "PATCH", "/shelves/1", ["label": ["text": "new"]]).status == 200)
    let label = try await store.lookup(Shelf.self, identifier: "1").label
    #expect(label?.code == "x7" && label?.text == "new")
  }

  @Test func `A reference with values of its record is refused, since an access rule would read them`() async throws {
    let store = MemoryModelStore()
    let keeper = Keeper()
    keeper.password = "ada"
    try await store.create(keeper)
    let service = RESTService(store.handle, serving: [Shelf.self]) { access in
      access.allow(.all, Shelf.self) { request, shelf in request.user == shelf.keeper?.password }
    }
    let answer = try await request(service, "POST", "/shelves", ["keeper": ["id": 1, "password": "eve"]], user: "eve")
    #expect(answer.status == 422)
    #expect(answer.json?["errors"]?["keeper"] != nil)
    #expect(try await store.count(Shelf.self) == 0)
  }
}
