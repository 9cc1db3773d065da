import Foundation
import ModelKit
import Testing

// In the shape that `swiftFiles(for:)` gives where the user info of the topmost entity has `entityKeyPath`.
private class WorkFields: Model, SchemaMapped {
  class var entityName: String { "Work" }

  override class var typeName: String {
    self == WorkFields.self ? "WorkFields" : "Work"
  }

  let id = Field<Int>()

  let kind: Field<String>

  required init() {
    kind = Field<String>(Self.entityName)
    super.init()
  }

  override class func instanceClass(for dictionary: AttributeDictionary) -> ModelObject.Type? {
    switch dictionary["kind"]?.stringValue {
    case "Work": Work.self
    case "Novel": Novel.self
    default: nil
    }
  }

  override var identifierField: AnyField? { id }
}

private class Work: WorkFields {}

private class NovelFields: Work {
  override class var entityName: String { "Novel" }

  let genre = Field<String>()
}

private final class Novel: NovelFields {}

@Suite struct `Generated classes of derived entities in every store` {
  private let schema: CoreDataSchema

  init() throws {
    let contents = """
      <model>
        <entity name="Work">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="kind" optional="YES" attributeType="String"/>
          <userInfo><entry key="entityKeyPath" value="kind"/></userInfo>
        </entity>
        <entity name="Novel" parentEntity="Work">
          <attribute name="genre" optional="YES" attributeType="String"/>
        </entity>
      </model>
      """
    schema = try CoreDataSchema(contents: Data(contents.utf8))
  }

  @Test func `The declared classes are those that are generated`() throws {
    let text = try schema.swiftFiles(for: "Work")[0].text
    #expect(text.contains("    kind = Field<String>(Self.entityName)\n    super.init()\n"))
    #expect(text.contains("    case \"Work\": Work.self\n    case \"Novel\": Novel.self\n    default: nil\n"))
  }

  @Test(arguments: StoreKind.allCases) func `Models of derived entities are read as the class that they were saved as`(
    kind: StoreKind
  ) async throws {
    try await kind.withStore(schema) { store, instance in
      let (work, novel) = (Work(), Novel())
      work.id.value = 1
      novel.id.value = 2
      novel.genre.value = "crime"
      try await store.create(work)
      try await store.create(novel)
      let other = instance(ModelScope(schema: schema))
      let found = try await other.list(Work.self)
      #expect(found.map { "\(type(of: $0))" } == ["Work", "Novel"])
      #expect((found[1] as? Novel)?.genre.value == "crime")
      #expect(try await other.list(Novel.self).map(\.id.value) == [2])
      #expect(try await other.lookup(Work.self, identifier: "2") === found[1])
      let dynamic = instance(ModelScope(schema: schema))
      let same = try await dynamic.lookup(schema.modelType("Work"), identifier: "2")
      #expect(same.entity?.name == "Novel")
      #expect(same["genre"] as? String == "crime")
    }
  }
}
