import Foundation
import SchemaKit

/// A model file in three versions, as text.
enum AuthorsModel {
  static func model(_ inside: String, settings: String = "") -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift"\(settings)>
    \(inside)
    </model>
    """
  }

  /// Authors and books, without user info for JSON.
  static let first = model(
    """
        <entity name="Author" representedClassName="CDXAuthor" syncable="YES">
            <attribute name="firstName" optional="YES" attributeType="String" syncable="YES"/>
            <attribute name="lastName" optional="YES" attributeType="String" syncable="YES"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book" syncable="YES"/>
        </entity>
        <entity name="Book" representedClassName="CDXBook" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String" syncable="YES"/>
            <attribute name="year" optional="YES" attributeType="String" syncable="YES"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author" syncable="YES"/>
        </entity>
    """, settings: " userDefinedModelVersionIdentifier=\"v1.0\"")

  /// The older spelling of key paths.
  static let second = model(
    """
        <entity name="Author" representedClassName="MDLAuthor" syncable="YES">
            <attribute name="dateOfBirth" optional="YES" attributeType="Transformable" valueTransformerName="Date" syncable="YES">
                <userInfo>
                    <entry key="externalKeyPath" value="born"/>
                </userInfo>
            </attribute>
            <attribute name="externalID" optional="YES" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="NO">
                <userInfo>
                    <entry key="externalKeyPath" value="author_id"/>
                </userInfo>
            </attribute>
            <attribute name="firstName" optional="YES" attributeType="String"/>
            <attribute name="imageURL" optional="YES" attributeType="String" valueTransformerName=""/>
            <attribute name="lastName" optional="YES" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" representedClassName="MDLBook" syncable="YES">
            <attribute name="externalID" optional="YES" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="NO">
                <userInfo>
                    <entry key="externalKeyPath" value="book_id"/>
                </userInfo>
            </attribute>
            <attribute name="favorite" optional="YES" attributeType="Boolean" usesScalarValueType="NO" valueTransformerName="CDXBoolean"/>
            <attribute name="rating" optional="YES" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="NO"/>
            <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="StringArray"/>
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="year" optional="YES" attributeType="String"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
            <userInfo>
                <entry key="externalKeyPath" value="book_id"/>
            </userInfo>
        </entity>
    """)

  /// Prices, and a flattened attribute.
  static let third = model(
    """
        <entity name="Author" representedClassName="MDLAuthor" syncable="YES">
            <attribute name="authorId" optional="YES" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="NO">
                <userInfo>
                    <entry key="jsonKeyPath" value="author_id"/>
                </userInfo>
            </attribute>
            <attribute name="dateOfBirth" optional="YES" attributeType="Transformable" valueTransformerName="Date">
                <userInfo>
                    <entry key="externalKeyPath" value="born"/>
                </userInfo>
            </attribute>
            <attribute name="firstName" optional="YES" attributeType="String"/>
            <attribute name="lastName" optional="YES" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" representedClassName="MDLBook" syncable="YES">
            <attribute name="bookId" optional="YES" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="NO">
                <userInfo>
                    <entry key="jsonKeyPath" value="book_id"/>
                </userInfo>
            </attribute>
            <attribute name="favorite" optional="YES" attributeType="Boolean" usesScalarValueType="NO" valueTransformerName="CDXBoolean"/>
            <attribute name="rating" optional="YES" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="NO"/>
            <attribute name="retailPrice" optional="YES" attributeType="Double" defaultValueString="0.0" usesScalarValueType="NO">
                <userInfo>
                    <entry key="jsonKeyPath" value="pricing.retail_price"/>
                </userInfo>
            </attribute>
            <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="StringArray"/>
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="year" optional="YES" attributeType="String"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
            <relationship name="pricing" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Pricing" inverseName="book" inverseEntity="Pricing"/>
        </entity>
        <entity name="Pricing" representedClassName="MDLPricing" syncable="YES">
            <attribute name="discountedPrice" optional="YES" attributeType="Double" defaultValueString="0.0" usesScalarValueType="NO"/>
            <attribute name="pricingId" optional="YES" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="NO">
                <userInfo>
                    <entry key="jsonKeyPath" value="pricing_id"/>
                </userInfo>
            </attribute>
            <attribute name="retailPrice" optional="YES" attributeType="Double" defaultValueString="0.0" usesScalarValueType="NO">
                <userInfo>
                    <entry key="jsonKeyPath" value="retail_price"/>
                </userInfo>
            </attribute>
            <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" inverseName="pricing" inverseEntity="Book"/>
            <userInfo>
                <entry key="jsonKeyPath" value="pricing_id"/>
            </userInfo>
        </entity>
        <elements>
            <element name="Author" positionX="160" positionY="192" width="128" height="133"/>
        </elements>
    """)

  static func schema(_ text: String = third) throws -> CoreDataSchema { try CoreDataSchema(contents: Data(text.utf8)) }

  /// Writes the versions as Xcode does, and calls a closure with the folder.
  static func withFiles<Result>(current: String? = "Authors 3", _ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("schema-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let bundle = folder.appendingPathComponent("Authors.xcdatamodeld")
    for (name, text) in [("Authors", first), ("Authors 2", second), ("Authors 3", third)] {
      let version = bundle.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
    }
    if let current {
      let list = ["_XCCurrentVersionName": "\(current).xcdatamodel"]
      let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
      try data.write(to: bundle.appendingPathComponent(".xccurrentversion"))
    }
    return try body(bundle)
  }
}
