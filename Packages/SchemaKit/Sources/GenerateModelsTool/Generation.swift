import Foundation
import SchemaKit

/// One run of the tool: finds model files, generates their source, and writes the files that changed.
struct Generation {
  private let options: Options
  private let files = FileManager.default

  init(_ options: Options) { self.options = options }

  /// - Throws: ``GenerationError``, or the errors of SchemaKit. No file is written then, because all source is
  ///   generated first.
  func run() throws {
    let planned = try modelFiles().flatMap(plan)
    try refuseDuplicates(planned)
    let changed = planned.filter(\.isChanged)
    if options.isCheck, !changed.isEmpty {
      for file in changed { print("would change: \(relative(file.url))") }
      let count = changed.count == 1 ? "1 file is" : "\(changed.count) files are"
      throw GenerationError("\(count) out of date with the model files: run swift package generate-models.")
    }
    for file in changed {
      if options.isDryRun {
        print("would write: \(relative(file.url))")
      } else {
        try write(file)
        print("wrote: \(relative(file.url))")
      }
    }
    print("\(planned.count) files, \(changed.count) \(options.isDryRun ? "to be written" : "written")")
  }

  // MARK: Search

  private func modelFiles() throws -> [URL] {
    if !options.models.isEmpty {
      return try options.models.map { path in
        let url = url(path)
        guard files.fileExists(atPath: url.path) else { throw GenerationError("there is no model file \"\(path)\".") }
        return url
      }
    }
    let found = Self.modelFiles(in: options.package)
    if found.isEmpty {
      throw GenerationError(
        "there is no model file (.xcdatamodeld or .xcdatamodel) in the package; name one with --model.")
    }
    return found
  }

  /// Returns the model files in a folder, sorted, without those of nested packages and hidden folders.
  private static func modelFiles(in folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []
    return names.filter { !$0.hasPrefix(".") }.flatMap { name -> [URL] in
      let url = folder.appendingPathComponent(name)
      if name.hasSuffix(".xcdatamodeld") || name.hasSuffix(".xcdatamodel") { return [url] }
      // A symbolic link may point to a parent folder.
      guard let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType,
        type == .typeDirectory
      else { return [] }
      let isPackage = FileManager.default.fileExists(atPath: url.appendingPathComponent("Package.swift").path)
      return isPackage ? [] : modelFiles(in: url)
    }
  }

  // MARK: Planning

  /// A generated file, and whether it differs from the one on disk.
  private struct PlannedFile {
    let url: URL
    let text: String
    let entity: String
    let model: URL
    let isChanged: Bool
  }

  private func plan(_ model: URL) throws -> [PlannedFile] {
    let schema = try schema(at: model)
    let folder = options.output.map(url) ?? model.deletingLastPathComponent()
    let ofEntities = try schema.entities.flatMap { entity in
      try schema.swiftFiles(for: entity.name, options: options.source).map { (entity.name, $0) }
    }
    let ofComposites = try schema.composites.map { composite in
      (composite.name, try schema.swiftFile(forComposite: composite.name, options: options.source))
    }
    return (ofEntities + ofComposites).map { name, file in
      let url = folder.appendingPathComponent(file.name)
      let isThere = files.fileExists(atPath: url.path)
      let isChanged = !isThere || file.isRewritten && (try? Data(contentsOf: url)) != Data(file.text.utf8)
      return PlannedFile(url: url, text: file.text, entity: name, model: model, isChanged: isChanged)
    }
  }

  private func schema(at model: URL) throws -> CoreDataSchema {
    let schema: CoreDataSchema
    do {
      schema = try CoreDataSchema(contentsOf: model)
    } catch {
      throw GenerationError("\(relative(model)) can't be read: \(error)")
    }
    // An issue means source that does not compile or lacks a part of the model.
    let issues = schema.check()
    guard issues.isEmpty else {
      let list = issues.map { "\n  \($0)" }.joined()
      throw GenerationError("\(relative(model)) is inconsistent:\(list)")
    }
    return schema
  }

  private func refuseDuplicates(_ planned: [PlannedFile]) throws {
    var known: [URL: PlannedFile] = [:]
    for file in planned {
      if let other = known.updateValue(file, forKey: file.url) {
        throw GenerationError(
          """
          \(relative(file.url)) would be written for both \(other.entity) in \(relative(other.model)) and \(file.entity) \
          in \(relative(file.model)): give them classes of different names, or folders of their own with --output.
          """)
      }
    }
  }

  // MARK: Writing

  private func write(_ file: PlannedFile) throws {
    do {
      try files.createDirectory(at: file.url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(file.text.utf8).write(to: file.url, options: .atomic)
    } catch {
      throw GenerationError("\(relative(file.url)) can't be written: \(error.localizedDescription)")
    }
  }

  private func url(_ path: String) -> URL {
    path.hasPrefix("/") ? URL(fileURLWithPath: path) : options.package.appendingPathComponent(path)
  }

  /// Returns a path relative to the folder of the package.
  private func relative(_ url: URL) -> String {
    let folder = options.package.standardizedFileURL.path + "/"
    let path = url.standardizedFileURL.path
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }
}
