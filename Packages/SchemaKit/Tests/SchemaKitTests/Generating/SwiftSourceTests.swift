import Foundation
import SchemaKit
import Testing

/// The files in `Generated` are generated from the samples. They are part of this target, which proves that they
/// compile. `SCHEMAKIT_UPDATE_GENERATED=1` in the environment rewrites them.
@Suite struct `Generated Swift source` {
  static let shop = AuthorsModel.model(
    """
    <entity name="Item" representedClassName="ShopItem" isAbstract="YES">
      <attribute name="code" attributeType="UUID" defaultValueString="2B0F8A4E-1C1C-4B57-9B0B-6F2B1D6A9F10"/>
      <attribute name="name" attributeType="String" minValueString="2" maxValueString="40" regularExpressionString="[A-Z]\\w*">
        <userInfo><entry key="documentation" value="The common name.&#10;&#10;In &quot;English&quot;."/></userInfo>
      </attribute>
      <attribute name="default" optional="YES" attributeType="Boolean" defaultValueString="YES"/>
      <attribute name="page" optional="YES" attributeType="URI" defaultValueString="https://example.org/"/>
      <attribute name="image" optional="YES" attributeType="Binary"/>
      <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="1.50"/>
      <attribute name="weight" optional="YES" attributeType="Float" minValueString="0.0"/>
      <attribute name="stock" attributeType="Integer 64" minValueString="0" defaultValueString="3"/>
      <attribute name="made" optional="YES" attributeType="Date" defaultDateTimeInterval="10"/>
      <attribute name="extra" optional="YES" attributeType="Transformable"/>
      <attribute name="note" optional="YES" attributeType="String" defaultValueString="a &quot;quoted&quot; \\(text)">
        <userInfo><entry key="jsonKeyPath" value="texts.note"/></userInfo>
      </attribute>
      <attribute name="color" optional="YES" attributeType="Integer 16">
        <userInfo><entry key="swiftType" value="ShopColor"/></userInfo>
      </attribute>
      <relationship name="parts" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Part" inverseName="whole" inverseEntity="Part"/>
      <relationship name="similar" optional="YES" toMany="YES" maxCount="5" destinationEntity="Item" inverseName="similar" inverseEntity="Item"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
      <userInfo><entry key="comment" value="An item for sale."/></userInfo>
    </entity>
    <entity name="Part" representedClassName="ShopPart" parentEntity="Item">
      <attribute name="class" optional="YES" attributeType="String"/>
      <relationship name="whole" maxCount="1" deletionRule="Deny" destinationEntity="Item" inverseName="parts" inverseEntity="Item"/>
    </entity>
    """)

  /// A hierarchy with an entity key path, and a relation to its topmost entity.
  static let drawing = AuthorsModel.model(
    """
    <entity name="Drawing">
      <attribute name="id" optional="YES" attributeType="Integer 64"/>
      <relationship name="figures" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Figure" inverseName="drawing" inverseEntity="Figure"/>
    </entity>
    <entity name="Figure" isAbstract="YES">
      <attribute name="id" optional="YES" attributeType="Integer 64"/>
      <attribute name="kind" optional="YES" attributeType="String">
        <userInfo>
          <entry key="jsonKeyPath" value="meta.kind"/>
          <entry key="documentation" value="The kind of the figure."/>
        </userInfo>
      </attribute>
      <relationship name="drawing" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Drawing" inverseName="figures" inverseEntity="Drawing"/>
      <userInfo>
        <entry key="entityKeyPath" value="meta.kind"/>
      </userInfo>
    </entity>
    <entity name="Disc" parentEntity="Figure">
      <attribute name="radius" optional="YES" attributeType="Double"/>
    </entity>
    <entity name="Ring" parentEntity="Disc">
      <attribute name="width" optional="YES" attributeType="Double"/>
    </entity>
    <entity name="Tile" parentEntity="Figure">
      <attribute name="side" optional="YES" attributeType="Double"/>
    </entity>
    """)

  private static let samples: [(file: String, text: String, entity: String)] = [
    ("Drawing", drawing, "Drawing"), ("Figure", drawing, "Figure"), ("Disc", drawing, "Disc"),
    ("Ring", drawing, "Ring"), ("Tile", drawing, "Tile"),
    ("MDLAuthor", AuthorsModel.third, "Author"), ("MDLBook", AuthorsModel.third, "Book"),
    ("MDLPricing", AuthorsModel.third, "Pricing"), ("ShopItem", shop, "Item"), ("ShopPart", shop, "Part"),
  ]

  @Test(arguments: samples.indices) func `Generated source equals the compiled files byte by byte`(index: Int) throws {
    let sample = Self.samples[index]
    let source = try AuthorsModel.schema(sample.text)
      .swiftSource(for: sample.entity, transformers: sampleTransformers)
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Generated")
    let file = folder.appendingPathComponent("\(sample.file).swift")
    if ProcessInfo.processInfo.environment["SCHEMAKIT_UPDATE_GENERATED"] == "1" {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(source.utf8).write(to: file)
    }
    #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self) == source)
  }

  /// The same samples with ordinary properties, as classes with other names.
  private static let propertySamples: [(file: String, text: String, entity: String)] = samples.map { sample in
    var text = sample.text.replacingOccurrences(of: "representedClassName=\"", with: "representedClassName=\"P")
    for name in ["Drawing", "Figure", "Disc", "Ring", "Tile"] {
      text = text.replacingOccurrences(
        of: "<entity name=\"\(name)\"", with: "<entity name=\"\(name)\" representedClassName=\"P\(name)\"")
    }
    return ("P\(sample.file)", text, sample.entity)
  }

  @Test(arguments: propertySamples.indices)
  func `Generated source with ordinary properties equals the compiled files byte by byte`(index: Int) throws {
    let sample = Self.propertySamples[index]
    let source = try AuthorsModel.schema(sample.text)
      .swiftSource(for: sample.entity, transformers: sampleTransformers, style: .properties)
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Generated/Properties")
    let file = folder.appendingPathComponent("\(sample.file).swift")
    if ProcessInfo.processInfo.environment["SCHEMAKIT_UPDATE_GENERATED"] == "1" {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(source.utf8).write(to: file)
    }
    #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self) == source)
  }

  @Test func `Models generated with ordinary properties have the fields, values and rules of those with fields`() throws
  {
    let (fields, properties) = (ShopPart(), PShopPart())
    #expect(properties.fields.map(\.key) == fields.fields.map(\.key))
    #expect(properties.dictionaryValue(fields: properties.fields) == fields.dictionaryValue(fields: fields.fields))
    #expect("\(properties.validate())" == "\(fields.validate())")
    let json: JSONValue = ["code": "2B0F8A4E-1C1C-4B57-9B0B-6F2B1D6A9F10", "name": "lower", "texts": ["note": "n"]]
    try fields.read(json.objectValue ?? [:])
    try properties.read(json.objectValue ?? [:])
    #expect("\(properties.validate())" == "\(fields.validate())")
    #expect(properties.note == "n" && properties.stock == 3)
    properties.stock = -1
    fields.stock.value = -1
    #expect("\(properties.$stock.validate())" == "\(fields.stock.validate())")
    let whole = PShopItem()
    properties.whole = whole
    #expect(whole.parts == [properties])
  }

  @Test func `A property is not generated beside one with the name of its storage`() throws {
    let schema = try AuthorsModel.schema(
      AuthorsModel.model(
        """
        <entity name="A">
          <attribute name="x" attributeType="String"/><attribute name="_x" attributeType="String"/>
        </entity>
        """))
    #expect(throws: Never.self) { try schema.swiftSource(for: "A") }
    let error = #expect(throws: SwiftSourceError.self) { try schema.swiftSource(for: "A", style: .properties) }
    #expect(error?.property == "x")
    #expect(error?.reason.contains("_x") == true)
  }

  @Test func `Source is not generated from names that are invalid in Swift`() throws {
    func refusal(_ inside: String) throws -> SwiftSourceError? {
      let schema = try AuthorsModel.schema(AuthorsModel.model(inside))
      return #expect(throws: SwiftSourceError.self) { try schema.swiftSource(for: "A") }
    }
    #expect(try refusal("<entity name=\"B\"/>")?.reason == "there is no such entity")
    let injected = "<entity name=\"A\"><attribute name=\"x = 1; let y\" attributeType=\"String\"/></entity>"
    #expect(try refusal(injected)?.property == "x = 1; let y")
    #expect(
      try refusal("<entity name=\"A\" representedClassName=\"A { }\"/>")?.reason
        == "\"A { }\" is not a valid name in Swift")
    #expect(
      try refusal("<entity name=\"A\"><attribute name=\"identifierField\" attributeType=\"String\"/></entity>") != nil)
    let type = "<userInfo><entry key=\"swiftType\" value=\"Int&gt;() ; Field&lt;Int(\"/></userInfo>"
    #expect(
      try refusal("<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\">\(type)</attribute></entity>")
        != nil)
    #expect(try refusal("<entity name=\"A\"><relationship name=\"x\" destinationEntity=\"B\"/></entity>") != nil)
    for name in ["Model", "Field", "Date", "String"] {
      let error = try refusal("<entity name=\"A\" representedClassName=\"\(name)\"/>")
      #expect(error?.reason == "\(name) is another declaration in the source; give the entity another class")
    }
    let leading =
      "<entity name=\"A\"><relationship name=\"x\" destinationEntity=\"Data\"/></entity><entity name=\"Data\"/>"
    #expect(try refusal(leading)?.entity == "Data")
  }
}
