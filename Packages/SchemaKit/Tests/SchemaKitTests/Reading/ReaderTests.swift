import Foundation
import SchemaKit
import Testing

@Suite struct `A model file` {
  @Test func `A model file is read in its current version, or in any version by name`() throws {
    try AuthorsModel.withFiles { url in
      let current = try CoreDataSchema(contentsOf: url)
      #expect(current.versionName == "Authors 3")
      #expect(current.entities.map(\.name) == ["Author", "Book", "Pricing"])
      #expect(try CoreDataSchema.versionNames(in: url) == ["Authors", "Authors 2", "Authors 3"])
      let first = try CoreDataSchema(contentsOf: url, version: "Authors")
      #expect(first.entities.map(\.className) == ["CDXAuthor", "CDXBook"])
      #expect(first.settings["userDefinedModelVersionIdentifier"] == "v1.0")
      #expect(
        try CoreDataSchema(contentsOf: url, version: "Authors 2.xcdatamodel")
          == AuthorsModel.schema(AuthorsModel.second))
      let single = url.appendingPathComponent("Authors 2.xcdatamodel")
      #expect(try CoreDataSchema(contentsOf: single).entity("Pricing") == nil)
      #expect(try CoreDataSchema(contentsOf: single.appendingPathComponent("contents")).entities.count == 2)
    }
  }

  @Test func `Reading a version that does not exist fails`() throws {
    try AuthorsModel.withFiles(current: "../Authors") { url in
      #expect(throws: SchemaFileError.self) { try CoreDataSchema(contentsOf: url) }
      #expect(throws: SchemaFileError.self) { try CoreDataSchema(contentsOf: url, version: "Authors 9") }
    }
    try AuthorsModel.withFiles(current: nil) { url in
      let error = #expect(throws: SchemaFileError.self) { try CoreDataSchema(contentsOf: url) }
      #expect(error?.code == .unknownVersion)
    }
    let error = #expect(throws: SchemaFileError.self) {
      try CoreDataSchema(contentsOf: URL(fileURLWithPath: "/nowhere/Authors.xcdatamodel"))
    }
    #expect(error?.description == "Authors.xcdatamodel/contents: there is no such file, or it can't be opened.")
  }

  @Test func `A schema has every part of the file format`() throws {
    let schema = try AuthorsModel.schema(Self.everything)
    let item = try #require(schema.entity("Item"))
    #expect(item.isAbstract)
    #expect(item.className == "Item")
    #expect(item.moduleName == "Shop")
    #expect(item.renamingIdentifier == "Thing")
    #expect(item.uniquenessConstraints == [["code"], ["name", "size"]])
    #expect(item.userInfo == ["comment": "what is sold"])
    #expect(item.fetchedProperties.map(\.name) == ["fetchedProperty"])
    #expect(item.indexes.first?.parts.map(\.property) == ["name", "size"])
    #expect(item.indexes.first?.parts.map(\.isAscending) == [true, false])
    let types = item.attributes.map(\.type)
    #expect(
      types == [
        .uuid, .string, .integer32, .uri, .binary, .decimal, .float, .boolean, .date, .transformable, .composite,
      ])
    let name = try #require(item.attribute("name"))
    #expect(!name.isOptional)
    #expect([name.minimumText, name.maximumText, name.regularExpression] == ["2", "40", "[A-Z].*"])
    let size = try #require(item.attribute("size"))
    #expect(size.isDerived && size.usesScalarType == true && size.derivationExpression == "length(name)")
    #expect(item.attribute("made")?.defaultValue == "2001-01-01T00:00:10Z")
    #expect(item.attribute("price")?.defaultValue == 1.5)
    #expect(item.attribute("extra")?.customClassName == "NSArray")
    let parts = try #require(item.relationship("parts"))
    #expect(parts.isToMany && parts.isOrdered && parts.minimumCount == 1 && parts.maximumCount == 9)
    #expect(parts.deletionRule == .cascade)
    #expect([parts.destinationName, parts.inverseName, parts.inverseEntityName] == ["Part", "whole", "Part"])
    #expect(item.attribute("isNew")?.isTransient == true)
    #expect(item.attribute("isNew")?.defaultValue == true)
    #expect(item.attribute("extra")?.valueTransformerName != nil)
    #expect(schema.composites.first?.attributes.map(\.name) == ["width"])
    #expect(schema.otherElements.map(\.name) == ["configuration", "fetchRequest", "elements"])
    let part = try #require(schema.entity("Part"))
    #expect(schema.attributes(of: part).count == 12)
    #expect(schema.relationships(of: part).map(\.name) == ["parts", "whole"])
    #expect(schema.check() == [])
    #expect(schema.notes == [])
  }

  @Test func `A schema keeps and notes unknown parts`() throws {
    let schema = try AuthorsModel.schema(
      AuthorsModel.model(
        """
        <entity name="A" colour="red">
          <attribute name="b" attributeType="Quaternion" spin="up"/>
          <future name="x">text</future>
        </entity>
        """))
    let entity = try #require(schema.entity("A"))
    #expect(entity.otherSettings == ["colour": "red"])
    #expect(entity.attributes.first?.type == .other("Quaternion"))
    #expect(entity.otherElements.first?.text == "text")
    #expect(schema.notes.map(\.kind) == [.unknownSetting, .unknownType, .unknownSetting, .unknownElement])
    #expect(schema.notes.map(\.line) == [3, 4, 4, 5])
    #expect(try CoreDataSchema(contents: Data(schema.contents.utf8)) == schema)
  }

  @Test func `A schema keeps and notes unknown parts inside user info, constraints and indexes`() throws {
    let schema = try AuthorsModel.schema(
      AuthorsModel.model(
        """
        <entity name="A">
          <attribute name="b" attributeType="String"><userInfo><entry key="k" value="v" kind="x"/><more/></userInfo></attribute>
          <fetchIndex name="i" spin="up">
            <fetchIndexElement property="b" type="Binary" order="sideways" weight="2"/>
            <future/>
          </fetchIndex>
          <uniquenessConstraints><uniquenessConstraint level="1"><constraint value="b"/></uniquenessConstraint></uniquenessConstraints>
          <userInfo><entry key="n" value="1"/><entry value="without a key"/></userInfo>
        </entity>
        """))
    let entity = try #require(schema.entity("A"))
    #expect(entity.attributes.first?.userInfo == ["k": "v"])
    #expect(entity.userInfo == ["n": "1"])
    #expect(entity.uniquenessConstraints == [["b"]])
    #expect(entity.indexes.first?.parts.map(\.property) == ["b"])
    #expect(schema.notes.map(\.line) == [4, 4, 5, 6, 6, 7, 9, 10])
    #expect(schema.notes.allSatisfy { $0.entity == "A" && $0.message.hasSuffix("was kept unchanged.") })
    for kept in [
      "kind=\"x\"", "<more/>", "spin=\"up\"", "order=\"sideways\"", "weight=\"2\"", "<future/>", "level=\"1\"",
      "without a key",
    ] {
      #expect(schema.contents.components(separatedBy: kept).count == 2, "\(kept)")
    }
    let again = try CoreDataSchema(contents: Data(schema.contents.utf8))
    #expect(again == schema)
    #expect(again.contents == schema.contents)
  }

  @Test(arguments: [AuthorsModel.first, AuthorsModel.second, AuthorsModel.third, everything])
  func `A schema that is written reads back equal`(text: String) throws {
    let schema = try AuthorsModel.schema(text)
    let again = try CoreDataSchema(contents: Data(schema.contents.utf8))
    #expect(again == schema)
    #expect(again.hashValue == schema.hashValue)
    #expect(again.contents == schema.contents)
  }

  @Test func `A model file of 500 entities is read`() throws {
    let entities = (0..<500).map { number in
      """
      <entity name="Entity\(number)">
        <attribute name="id" attributeType="Integer 64"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="next" optional="YES" maxCount="1" destinationEntity="Entity\((number + 1) % 500)" inverseName="last" inverseEntity="Entity\((number + 1) % 500)"/>
        <relationship name="last" optional="YES" maxCount="1" destinationEntity="Entity\((number + 499) % 500)" inverseName="next" inverseEntity="Entity\((number + 499) % 500)"/>
      </entity>
      """
    }
    let schema = try AuthorsModel.schema(AuthorsModel.model(entities.joined(separator: "\n")))
    #expect(schema.entities.count == 500)
    #expect(schema.entity("Entity499")?.line == 2 + 499 * 6 + 1)
    #expect(schema.check() == [])
    #expect(schema.modelType("Entity77").fieldKeys == ["id", "name", "next", "last"])
  }

  static let everything = AuthorsModel.model(
    """
      <entity name="Item" representedClassName="Shop.Item" isAbstract="YES" elementID="Thing" syncable="YES" codeGenerationType="class">
        <attribute name="code" attributeType="UUID" usesScalarValueType="NO"/>
        <attribute name="name" attributeType="String" minValueString="2" maxValueString="40" regularExpressionString="[A-Z].*"/>
        <attribute name="size" optional="YES" attributeType="Integer 32" derived="YES" derivationExpression="length(name)" usesScalarValueType="YES"/>
        <attribute name="page" optional="YES" attributeType="URI"/>
        <attribute name="image" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="1.5"/>
        <attribute name="weight" optional="YES" attributeType="Float" minValueString="0.0"/>
        <attribute name="isNew" optional="YES" transient="YES" attributeType="Boolean" defaultValueString="YES"/>
        <attribute name="made" attributeType="Date" defaultDateTimeInterval="10"/>
        <attribute name="extra" optional="YES" attributeType="Transformable" valueTransformerName="Extra" customClassName="NSArray"/>
        <attribute name="extent" optional="YES" attributeType="Composite" compositeName="Extent"/>
        <relationship name="parts" toMany="YES" minCount="1" maxCount="9" ordered="YES" deletionRule="Cascade" destinationEntity="Part" inverseName="whole" inverseEntity="Part"/>
        <fetchedProperty name="cheap" optional="YES">
          <fetchRequest name="fetchedPropertyFetchRequest" entity="Item" predicateString="price &lt; 5 &amp;&amp; name != &quot;&quot;"/>
        </fetchedProperty>
        <fetchIndex name="byName">
          <fetchIndexElement property="name" type="Binary" order="ascending"/>
          <fetchIndexElement property="size" type="Binary" order="descending"/>
        </fetchIndex>
        <uniquenessConstraints>
          <uniquenessConstraint>
            <constraint value="code"/>
          </uniquenessConstraint>
          <uniquenessConstraint>
            <constraint value="name"/>
            <constraint value="size"/>
          </uniquenessConstraint>
        </uniquenessConstraints>
        <userInfo>
          <entry key="comment" value="what is sold"/>
        </userInfo>
      </entity>
      <entity name="Part" parentEntity="Item">
        <attribute name="place" optional="YES" attributeType="String"/>
        <relationship name="whole" optional="YES" maxCount="1" deletionRule="Deny" destinationEntity="Item" inverseName="parts" inverseEntity="Item"/>
      </entity>
      <composite name="Extent">
        <attribute name="width" optional="YES" attributeType="Double"/>
      </composite>
      <configuration name="Cloud">
        <memberEntity name="Item"/>
      </configuration>
      <fetchRequest name="all" entity="Item"/>
      <elements/>
    """)
}
