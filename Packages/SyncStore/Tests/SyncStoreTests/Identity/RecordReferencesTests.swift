@_spi(ModelKitInternals) import FieldKit
@_spi(ModelKitInternals) import ModelCore
import StoreProtocol
import Testing

@testable import SyncStore

private final class Sender: Model {
  @Field var id: Int?
  @Field var name: String?
  override var identifierField: AnyField? { $id }
}

/// A model that is embedded in letters.
private final class Stamp: Model {
  @Field var value: Int?
  @ModelField(foreignKey: true) var printer: Sender?
}

private final class Letter: Model {
  @Field var id: Int?
  @Field var text: String?
  @ModelField(foreignKey: true) var sender: Sender?
  @ModelArrayField(foreignKey: true) var copies: [Sender]?
  @ModelField var stamp: Stamp?
  override var identifierField: AnyField? { $id }
}

/// The topmost class of a hierarchy.
private class Parcel: Model {
  @Field var id: Int?
  @Field var kind: String?
  override var identifierField: AnyField? { $id }
  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    dictionary["kind"] == "insured" ? InsuredParcel.self : nil
  }
}

private final class InsuredParcel: Parcel {
  @ModelField(foreignKey: true) var insurer: Sender?
}

@Suite struct `The references in the bytes of a record` {
  private let references = RecordReferences(ValueTransformerContext())

  private func names(_ json: String, _ modelClass: ModelObject.Type) -> Set<String>? {
    references.members(in: Array(json.utf8), of: modelClass).map { record in
      Set(references.names(in: record, of: modelClass).map(\.text))
    }
  }

  @Test func `The members with references are read, and no others`() throws {
    let json = #"{"copies":[2,3],"id":1,"sender":4,"stamp":{"printer":5,"value":90},"text":"A \"letter\""}"#
    #expect(names(json, Letter.self) == ["Sender/2", "Sender/3", "Sender/4", "Sender/5"])
    let members = try #require(references.members(in: Array(json.utf8), of: Letter.self))
    #expect(members.keys.sorted() == ["copies", "sender", "stamp"])
  }

  @Test func `The last value of a repeated key counts, however it is spelled`() {
    #expect(names(#"{"sender":1,"send\u0065r":2}"#, Letter.self) == ["Sender/2"])
  }

  @Test func `A record whose class depends on its values has the references of that class`() {
    #expect(names(#"{"id":1,"insurer":7,"kind":"insured"}"#, Parcel.self) == ["Sender/7"])
    #expect(names(#"{"id":1,"insurer":7,"kind":"plain"}"#, Parcel.self) == [])
  }

  @Test(arguments: ["", "[1]", #"{"sender":"#, #"{"sender":1"#, "7"])
  func `Bytes that are not an object have none`(json: String) {
    #expect(names(json, Letter.self) == nil)
    #expect(names(json, Parcel.self) == nil)
  }
}
