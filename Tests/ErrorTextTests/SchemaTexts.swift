import Foundation
import ModelKit

extension ErrorText {
  static let schemas: [ErrorText] = [
    ErrorText(
      "a model file that is not there", "Authors.xcdatamodel/contents: there is no such file, or it can't be opened."
    ) { folder in
      _ = try CoreDataSchema(contentsOf: folder.appending(path: "Authors.xcdatamodel"))
    },
    ErrorText(
      "a version that a model file does not have", #"Authors.xcdatamodeld: there is no version "Two"; there are "One"."#
    ) { folder in
      let bundle = folder.appending(path: "Authors.xcdatamodeld")
      try FileManager.default.createDirectory(
        at: bundle.appending(path: "One.xcdatamodel"), withIntermediateDirectories: true)
      _ = try CoreDataSchema(contentsOf: bundle, version: "Two")
    },
    ErrorText(
      "a model file that does not say which version counts",
      """
      Authors.xcdatamodeld: .xccurrentversion does not name the current one of 2 versions; name one with \
      CoreDataSchema(contentsOf:version:).
      """
    ) { folder in
      let bundle = folder.appending(path: "Authors.xcdatamodeld")
      for name in ["One", "Two"] {
        try FileManager.default.createDirectory(
          at: bundle.appending(path: "\(name).xcdatamodel"), withIntermediateDirectories: true)
      }
      _ = try CoreDataSchema(contentsOf: bundle)
    },
    reading("a model file that is no XML", "line 2: this is not well-formed XML.", "<model>\n<entity"),
    reading(
      "a model file that is something else", "line 1: the root element is <html>, but a model file has <model>.",
      "<html/>"),
    reading("an entity without a name", "line 2: <entity> has no name.", "<model>\n<entity/></model>"),
    reading(
      "an attribute without a name", "line 1: <attribute> has no name.",
      #"<model><entity name="A"><attribute/></entity></model>"#),
    reading(
      "a model file with entities that grow",
      """
      line 1: <!DOCTYPE is not allowed: a model file has none, and it could expand a small file to a large one.
      """, "<!DOCTYPE model [<!ENTITY a \"a\">]>\n<model/>"),
    reading(
      "a model file that is nested too deeply", "line 1: more than 32 elements are nested.",
      String(repeating: "<model>", count: 40)),
    ErrorText("a model file that is too large", "it has 33 bytes, more than the 20 that SchemaReadingOptions allow.") {
      _ in
      let options = SchemaReadingOptions(maximumBytes: 20)
      _ = try CoreDataSchema(contents: Data("<model><entity name=\"A\"/></model>".utf8), options: options)
    },
    checking(
      "a relationship to an entity that is not there", "line 2: A.b has the destination B, which does not exist.",
      #"<relationship name="b" destinationEntity="B"/>"#),
    checking("a relationship that leads nowhere", "line 2: A.b has no destination.", #"<relationship name="b"/>"#),
    checking(
      "an inverse that is not there", "line 2: A.a names the inverse A.none, which does not exist.",
      #"<relationship name="a" destinationEntity="A" inverseName="none" inverseEntity="A"/>"#),
    checking(
      "a default that is none", #"line 2: A.a has the default "70000", which is not a value of type Integer 16."#,
      #"<attribute name="a" attributeType="Integer 16" defaultValueString="70000"/>"#),
    checking(
      "limits the wrong way round", "line 2: A.a has a minimum above its maximum.",
      #"<attribute name="a" attributeType="Double" minValueString="5" maxValueString="1"/>"#),
    checking(
      "a regular expression that is none", "line 2: A.a has an invalid regular expression: (",
      #"<attribute name="a" attributeType="String" regularExpressionString="("/>"#),
    checking(
      "a property that is there twice", "line 2: A has another property a.",
      #"<attribute name="a" attributeType="String"/><attribute name="a" attributeType="String"/>"#),
    noting(
      "a type that is not known", #"line 2: A.a has the type "Quaternion", which is unknown."#,
      #"<attribute name="a" attributeType="Quaternion"/>"#),
    noting(
      "an element that is not known", "line 2: <secret> inside <entity> is unknown, and was kept unchanged.",
      "<secret/>"),
    noting(
      "a setting that is not known", "line 2: colour of <attribute> is unknown, and was kept unchanged.",
      #"<attribute name="a" attributeType="String" colour="red"/>"#),
    ErrorText("an entity that a schema does not have", #"The schema has no entity "B". It has A."#) { _ in
      _ = try schema("").modelType(named: "B")
    },
    ErrorText(
      "a model of an abstract entity", #"The entity "A" is abstract: create a model of a derived entity."#
    ) { _ in
      let data = Data(#"<model><entity name="A" isAbstract="YES"/></model>"#.utf8)
      _ = try DynamicModel(entity: "A", in: CoreDataSchema(contents: data))
    },
    ErrorText(
      "Swift source of an entity that is not there", "No Swift source was generated for B: there is no such entity."
    ) { _ in _ = try schema("").swiftSource(for: "B") },
    ErrorText(
      "Swift source of a name that can't be one",
      #"No Swift source was generated for A.two words: "two words" is not a valid name in Swift."#
    ) { _ in
      _ = try schema(#"<attribute name="two words" attributeType="String"/>"#).swiftSource(for: "A")
    },
    ErrorText(
      "a class without the fields of its entity",
      """
      line 3: MappedBook.author must reference many models, as in A.
      line 2: MappedBook has no field isbn.
      """
    ) { _ in
      let text = """
        <attribute name="title" attributeType="Integer 16"/><attribute name="isbn" attributeType="String"/>
        <relationship name="author" destinationEntity="A" toMany="YES"/>
        """
      throw Reported(MappedBook.mappingIssues(in: try schema(text)).map(\.description).joined(separator: "\n"))
    },
    ErrorText("a class of an entity that is not there", "MappedBook is mapped by the entity A, which does not exist.") {
      _ in
      let other = try CoreDataSchema(contents: Data(#"<model><entity name="B"/></model>"#.utf8))
      throw Reported(MappedBook.mappingIssues(in: other).map(\.description).joined(separator: "\n"))
    },
    ErrorText(
      "a value transformer that is not there",
      """
      title: expected a usable value transformer, but there is no value transformer "Color" among those \
      given to the schema (none), found the string "red"
      """
    ) { _ in
      let schema = try schema(
        #"<attribute name="title" attributeType="Transformable" valueTransformerName="Color"/>"#)
      _ = try MappedBook.from(dictionaryValue: ["title": "red"], in: ModelScope(schema: schema))
    },
  ]

  /// A schema with an entity A.
  private static func schema(_ inside: String) throws -> CoreDataSchema {
    try CoreDataSchema(contents: Data("<model>\n<entity name=\"A\">\(inside)</entity>\n</model>".utf8))
  }

  private static func reading(_ name: String, _ text: String, _ xml: String) -> ErrorText {
    ErrorText(name, text) { _ in _ = try CoreDataSchema(contents: Data(xml.utf8)) }
  }

  private static func checking(_ name: String, _ text: String, _ inside: String) -> ErrorText {
    ErrorText(name, text) { _ in
      throw Reported(try schema(inside).check().map(\.description).joined(separator: "\n"))
    }
  }

  private static func noting(_ name: String, _ text: String, _ inside: String) -> ErrorText {
    ErrorText(name, text) { _ in throw Reported(try schema(inside).notes.map(\.description).joined(separator: "\n")) }
  }
}

private final class MappedBook: Model, SchemaMapped {
  static var entityName: String { "A" }
  let title = Field<String>()
  let author = ModelField<MappedBook>()
}
