import Foundation
import ModelCore

/// A Swift source file generated from a schema.
public struct SwiftSourceFile: Hashable, Sendable {
  /// The name of the file, such as `Author+Generated.swift`.
  public let name: String
  /// The content of the file.
  public let text: String
  /// Whether the file is overwritten on each run. The other file is written only if it does not exist, because it is
  /// edited by hand.
  public let isRewritten: Bool
}

extension CoreDataSchema {
  /// Returns the two files of an entity. The first has the fields and is rewritten whenever the schema changes. The
  /// second has a derived class and is edited by hand.
  ///
  /// ```swift
  /// for file in try schema.swiftFiles(for: "Author") { print(file.name) }
  /// // Author+Generated.swift, Author.swift
  /// ```
  ///
  /// The second file is the place for overrides, such as `validateModel()` and `beforeSave()`, and for additional
  /// members. `swift package generate-models` writes both files.
  ///
  /// These keys of the user info are supported:
  /// - attributes: `swiftType`, `swiftTransformer` (such as `.iso8601`) and `swiftRule`;
  /// - lists: `swiftElementRule` (such as `.notBlank`) and `allowsDuplicates` (`NO`);
  /// - relationships: `foreignKey` (`YES`);
  /// - the topmost entity of a hierarchy: `entityKeyPath`, the key path of the entity's name in JSON.
  ///
  /// - Parameters:
  ///   - name: the name of the entity.
  ///   - options: the access level and the imports.
  /// - Throws: ``SwiftSourceError`` if the entity does not exist or a name is not valid in Swift.
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
  /// Returns the file that is edited by hand.
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
