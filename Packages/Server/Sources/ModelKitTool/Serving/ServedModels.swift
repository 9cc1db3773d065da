import Foundation
import ModelCore
import SchemaKit

/// The classes that the tool serves.
struct ServedModels {
  let types: [any Model.Type]

  /// The classes of the sample.
  static let sample = ServedModels(types: [Author.self, Book.self, Review.self])

  init(types: [any Model.Type]) { self.types = types }

  /// Reads the entities of a model file. Entities of one hierarchy share the collection of the topmost one.
  ///
  /// - Throws: ``ToolError`` for a file that can't be served.
  init(contentsOf path: String) throws {
    let schema = try Self.schema(contentsOf: path)
    let entities = schema.entities.filter { $0.parentName == nil }
    guard !entities.isEmpty else { throw ToolError("'\(path)' has no entity to serve.") }
    if let entity = entities.first(where: { schema.identifierName(of: $0) == nil }) {
      throw ToolError(
        """
        The entity \(entity.name) in '\(path)' has no identifier. Give it an attribute 'id', or a uniqueness \
        constraint with one attribute.
        """)
    }
    types = try entities.map { try schema.modelType(named: $0.name).modelClass }
  }

  /// Reads a model file.
  ///
  /// - Throws: ``ToolError`` for a file that is missing or inconsistent.
  static func schema(contentsOf path: String) throws -> CoreDataSchema {
    guard FileManager.default.fileExists(atPath: path) else {
      throw ToolError("There is no model file at '\(path)'. Name an .xcdatamodeld or .xcdatamodel.")
    }
    let schema = try CoreDataSchema(contentsOf: URL(filePath: path))
    let issues = schema.check()
    guard issues.isEmpty else {
      throw ToolError("'\(path)' is inconsistent:" + issues.map { "\n  \($0)" }.joined())
    }
    return schema
  }
}
