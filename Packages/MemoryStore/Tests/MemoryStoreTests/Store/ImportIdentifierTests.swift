import Foundation
import MemoryStore
import Testing

@Suite struct `Identifiers of imported models` {
  final class Patient: Model {
    @Field var id: Int?
    @Required(.notBlank) var name = ""
    @ModelField(foreignKey: true) var referrer: Patient?
    override var identifierField: AnyField? { $id }
  }

  @Test func `An entry without identifier does not get that of a rejected entry`() async throws {
    let store = MemoryModelStore()
    let json = """
      [{"id": 501, "name": "a"}, {"id": 502, "name": " "}, {"name": "new"}, {"id": 504, "name": "b", "referrer": 502}]
      """
    let report = try await store.importModels(Patient.self, fromJSON: Data(json.utf8))
    #expect(report.rejected.map(\.index) == [1])
    #expect(report.brokenLinks.map(\.target) == ["502"])
    #expect(try await store.list(Patient.self, where: { $0.name == "new" }).map(\.id) == [503])
    let patient = try await store.create(Patient.named("later"))
    #expect(patient.id == 505)
  }

  @Test func `An entry with an identifier that the import has assigned is rejected`() async throws {
    let store = MemoryModelStore()
    let fill = (0..<300).map { #"{"name": "new \#($0)"}"# }.joined(separator: ", ")
    let report = try await store.importModels(
      Patient.self, fromJSON: Data(#"[\#(fill), {"id": 2, "name": "two"}]"#.utf8))
    #expect(report.created.count == 300)
    #expect(report.rejected.map(\.index) == [300])
    let message = report.rejected.first.map { "\($0.error)" }
    #expect(message?.contains(#"The store gave its identifier "2" to the entry at index 1"#) == true)
    #expect(try await store.lookup(Patient.self, identifier: "2").name == "new 1")
  }
}

extension `Identifiers of imported models`.Patient {
  fileprivate static func named(_ name: String) -> Self {
    let patient = Self()
    patient.name = name
    return patient
  }
}
