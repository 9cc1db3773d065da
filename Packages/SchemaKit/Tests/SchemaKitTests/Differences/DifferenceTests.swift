import Foundation
import SchemaKit
import Testing

@Suite struct `Differences between versions` {
  @Test func `are none between equal ones`() throws {
    #expect(try AuthorsModel.schema().differences(from: AuthorsModel.schema()) == [])
  }

  @Test func `say what was added, removed and changed`() throws {
    let differences = try AuthorsModel.schema().differences(from: AuthorsModel.schema(AuthorsModel.second))
    let text = differences.map(\.description)
    #expect(text.contains("Author.authorId was added."))
    #expect(text.contains("Author.externalID was removed."))
    #expect(text.contains("Pricing was added."))
    #expect(text.contains("Book.retailPrice was added."))
    #expect(text.contains("Book: userInfo.externalKeyPath is not said any more, was \"book_id\"."))
    #expect(!text.contains { $0.hasPrefix("Book.title") })
    let back = try AuthorsModel.schema(AuthorsModel.second).differences(from: AuthorsModel.schema())
    #expect(back.last == SchemaDifference.removal(of: "Pricing", in: back))
  }

  @Test func `say what was renamed, by the renaming identifier`() throws {
    let old = try AuthorsModel.schema(
      AuthorsModel.model(
        "<entity name=\"Writer\"><attribute name=\"id\" attributeType=\"Integer 16\"/></entity>"))
    let new = try AuthorsModel.schema(
      AuthorsModel.model(
        """
        <entity name="Author" elementID="Writer">
          <attribute name="number" attributeType="Integer 32" optional="YES" elementID="id"/>
        </entity>
        """))
    #expect(
      new.differences(from: old).map(\.description) == [
        "Writer is now called Author.", "Author.id is now called number.",
        "Author.number: attributeType is \"Integer 32\", was \"Integer 16\".",
        "Author.number: optional is \"YES\", was not said.",
      ])
    #expect(new.differences(from: old).first?.kind == .renamed(from: "Writer"))
  }
}

extension SchemaDifference {
  fileprivate static func removal(of entity: String, in differences: [SchemaDifference]) -> SchemaDifference? {
    differences.first { $0.kind == .removed && $0.entity == entity && $0.property == nil }
  }
}
