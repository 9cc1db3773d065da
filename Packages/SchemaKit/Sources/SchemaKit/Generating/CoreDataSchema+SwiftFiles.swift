import Foundation
import ModelCore

/// A file of Swift source that was made of a schema.
public struct SwiftSourceFile: Hashable, Sendable {
  /// The name of the file, such as `Author+Generated.swift`.
  public let name: String
  /// What is in it.
  public let text: String
  /// Whether it is written anew each time. The other one is only written where it is not there yet: people go on in it.
  public let isRewritten: Bool
}

extension CoreDataSchema {
  /// The two files of an entity: one with its fields, which is rewritten whenever the schema changes, and one for people,
  /// with a class that is derived from the first one's.
  ///
  /// ```swift
  /// for file in try schema.swiftFiles(for: "Author") { print(file.name) }  // Author+Generated.swift, Author.swift
  /// ```
  ///
  /// In the second one methods can be overridden, such as `validateModel()` and `beforeSave()`, and everything else written
  /// that the class is to have. `swift package generate-models` writes both.
  ///
  /// The user info of attributes may have `swiftType`, `swiftTransformer` (such as `.iso8601`), `swiftRule` and, for
  /// lists, `swiftElementRule` (such as `.notBlank`) and `allowsDuplicates` (`NO`); that of relationships `foreignKey`
  /// (`YES`); that of the topmost entity of a hierarchy `entityKeyPath`, the place of the entity's name in JSON.
  ///
  /// - Parameters:
  ///   - name: the name of the entity.
  ///   - options: who can use the classes, and what is imported.
  /// - Throws: ``SwiftSourceError`` if there is no such entity, or a name can't be one in Swift.
  public func swiftFiles(for name: String, options: SwiftSourceOptions = .init()) throws -> [SwiftSourceFile] {
    guard let entity = entity(name) else {
      throw SwiftSourceError(entity: name, property: nil, reason: "there is no such entity")
    }
    let writer = SwiftSourceWriter(self, entity, options, isOfPair: true)
    let fileName = entity.className
    return [
      SwiftSourceFile(name: "\(fileName)+Generated.swift", text: try writer.source(), isRewritten: true),
      SwiftSourceFile(name: "\(fileName).swift", text: try writer.companion(), isRewritten: false),
    ]
  }
}

extension SwiftSourceWriter {
  /// The file that people go on in.
  func companion() throws -> String {
    let className = try name(ofClassOf: entity)
    let isFinal = !schema.isParent(entity)
    let access = options.access.prefix
    let classAccess = !isFinal && options.access == .public ? "open " : access
    let lines =
      ["import \(options.module)", ""]
      + documentation(entity.userInfo, "The entity \(Self.line(entity.name)) of a model file.", indent: "")
      + [
        "///", "/// Its fields are in \(entity.className)+Generated.swift. This file is never written again.",
        "\(classAccess)\(isFinal ? "final class" : "class") \(className): \(Self.fieldsName(className)) {}",
      ]
    return lines.joined(separator: "\n") + "\n"
  }
}
