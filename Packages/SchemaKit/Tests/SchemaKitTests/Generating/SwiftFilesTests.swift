import Foundation
import SchemaKit
import Testing

/// `Scripts/check-generation` checks that the files compile and are written correctly.
@Suite struct `Generated files` {
  private let shop = try? AuthorsModel.schema(`Generated Swift source`.shop)

  @Test func `Each entity has a pair of generated files, of which one is rewritten`() throws {
    let schema = try AuthorsModel.schema()
    let files = try schema.swiftFiles(for: "Book")
    #expect(files.map(\.name) == ["MDLBook+Generated.swift", "MDLBook.swift"])
    #expect(files.map(\.isRewritten) == [true, false])
    #expect(files[0].text.contains("class MDLBookFields: Model, SchemaMapped {"))
    #expect(files[0].text.contains("self == MDLBookFields.self ? \"MDLBookFields\" : \"MDLBook\""))
    #expect(files[1].text.hasSuffix("final class MDLBook: MDLBookFields {}\n"))
    #expect(try schema.swiftFiles(for: "Book") == files)
    #expect(throws: SwiftSourceError.self) { try schema.swiftFiles(for: "Poem") }
  }

  @Test func `Generated files have the access level and the imports of the options`() throws {
    let options = SwiftSourceOptions(access: .public, module: "ModelKit", transformerTypes: ["Date": "Date"])
    let files = try AuthorsModel.schema().swiftFiles(for: "Author", options: options)
    #expect(files[0].text.contains("open class MDLAuthorFields"))
    #expect(files[0].text.contains("  public let dateOfBirth = Field<Date>(key: \"born\")"))
    #expect(files[0].text.contains("  public import Foundation\n  public import ModelKit\n#else\n"))
    #expect(files[1].text.hasPrefix("import ModelKit\n"))
    #expect(files[1].text.contains("public final class MDLAuthor"))
  }

  @Test func `Generated files of derived entities inherit from the class that is edited by hand`() throws {
    let schema = try #require(shop)
    let part = try schema.swiftFiles(for: "Part", options: SwiftSourceOptions(access: .public))
    #expect(part[0].text.contains("open class ShopPartFields: ShopItem {"))
    #expect(part[1].text.contains("public final class ShopPart: ShopPartFields {}"))
    let item = try schema.swiftFiles(for: "Item", options: SwiftSourceOptions(access: .public))
    #expect(item[1].text.contains("open class ShopItem: ShopItemFields {}"))
    #expect(item[1].text.contains("/// An item for sale."))
  }

  @Test func `Generated files have the user info's rules and transformers, and limits of numbers and days`() throws {
    let schema = try AuthorsModel.schema(
      AuthorsModel.model(
        """
        <entity name="A">
          <attribute name="tags" optional="YES" attributeType="Transformable">
            <userInfo>
              <entry key="swiftType" value="[String]"/><entry key="swiftElementRule" value=".length(1...20)"/>
              <entry key="allowsDuplicates" value="NO"/>
            </userInfo>
          </attribute>
          <attribute name="day" optional="YES" attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="10">
            <userInfo><entry key="swiftTransformer" value=".date(format: &quot;yyyy-MM-dd&quot;)"/></userInfo>
          </attribute>
          <attribute name="price" optional="YES" attributeType="Decimal" minValueString="0" maxValueString="99.95"/>
          <relationship name="b" optional="YES" destinationEntity="A"><userInfo><entry key="foreignKey" value="YES"/></userInfo></relationship>
        </entity>
        """))
    let text = try schema.swiftFiles(for: "A")[0].text
    #expect(text.contains("let tags = ArrayField(Field<String>().require(.length(1...20)), allowsDuplicates: false)"))
    #expect(text.contains(".transform(with: .date(format: \"yyyy-MM-dd\"))"))
    #expect(
      text.contains(
        ".range(Date(timeIntervalSinceReferenceDate: 0.0)...Date(timeIntervalSinceReferenceDate: 10.0))"))
    #expect(text.contains(".range(0...Decimal(sign: .plus, exponent: -2, significand: 9995))"))
    #expect(text.contains("ModelField<A>(foreignKey: true)"))
  }

  @Test(arguments: [".notBlank); let x = (1", "exit(1)", ".a { }", ".a(\"\\(x)\")", ".a\nlet b"])
  func `Generated files reject source in the user info that is more than a rule`(code: String) throws {
    let attribute = CoreDataSchema.Attribute(name: "a", type: .string, userInfo: ["swiftRule": code])
    let schema = CoreDataSchema(entities: [CoreDataSchema.Entity(name: "A", attributes: [attribute])])
    let error = #expect(throws: SwiftSourceError.self) { try schema.swiftFiles(for: "A") }
    #expect(error?.property == "a")
  }
}
