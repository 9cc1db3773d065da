import ArgumentParser
import FieldKit
import Foundation
@_spi(ModelKitInternals) import SchemaKit

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Writes Swift classes for the entities of a model file.",
    discussion: """
      Each entity gets two files. Author+Generated.swift has the fields, and is written again when they change. \
      Author.swift is for your additions, and is written only if it is missing. In a package, \
      'swift package generate-models' does the same.
      """)

  enum Access: String, ExpressibleByArgument, CaseIterable {
    case `internal`, package, `public`
  }

  enum Style: String, ExpressibleByArgument, CaseIterable {
    case fields, properties
  }

  @Argument(help: "A model file, .xcdatamodeld or .xcdatamodel.")
  var model: String
  @Option(name: .customLong("output"), help: "The folder for the Swift files.")
  var folder: String
  @Option(help: "The access level of the classes.")
  var access = Access.internal
  @Option(help: "Constants with fields, or properties with @Field.")
  var style = Style.fields
  @Option(help: "The module that the files import, such as ModelKit.")
  var module = "SchemaKit"
  @Option(
    name: .customLong("transformer"),
    help: ArgumentHelp(
      "The Swift type that a value transformer returns, as in Day=Date; may be repeated.", valueName: "name=type"))
  var transformers: [String] = []
  @Flag(name: .customLong("check"), help: "Write nothing; the status is 1 if a file would change.")
  var isCheck = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if folder.isEmpty { throw ValidationError("--output is empty: give the folder for the Swift files.") }
    guard SwiftSourceOptions.isModuleName(module) else {
      throw ValidationError("--module '\(module)' is not a module name.")
    }
    _ = try options()
  }

  func run() throws {
    // All source is generated before the first file is written.
    let changed = try files().filter(isChanged)
    if isCheck, let first = changed.first {
      let others = changed.count == 1 ? "" : ", nor are \(changed.count - 1) more"
      throw ToolError("\(path(of: first)) is not as '\(model)' describes it\(others). Run 'modelkit generate'.")
    }
    if !changed.isEmpty {
      try FileManager.default.createDirectory(at: URL(filePath: folder), withIntermediateDirectories: true)
    }
    for file in changed { try Data(file.text.utf8).write(to: URL(filePath: path(of: file)), options: .atomic) }
    try output.print(
      ["written": .array(changed.map { .string(path(of: $0)) })],
      changed.isEmpty ? ["No file has changed."] : changed.map { "\(path(of: $0)) was written." })
  }

  private func files() throws -> [SwiftSourceFile] {
    let schema = try ServedModels.schema(contentsOf: model)
    let options = try options()
    let files =
      try schema.entities.flatMap { try schema.swiftFiles(for: $0.name, options: options) }
      + schema.composites.map { try schema.swiftFile(forComposite: $0.name, options: options) }
    let names = Dictionary(grouping: files, by: \.name).filter { $1.count > 1 }.keys.sorted()
    if let name = names.first {
      throw ToolError("Two entities of '\(model)' would both be in \(name). Give their classes different names.")
    }
    return files
  }

  private func options() throws -> SwiftSourceOptions {
    var options = SwiftSourceOptions(
      access: .init(rawValue: access.rawValue) ?? .internal, style: .init(rawValue: style.rawValue) ?? .fields,
      module: module)
    for text in transformers where !options.addTransformer(text) {
      throw ValidationError("--transformer '\(text)' must be a name and a Swift type, as in Day=Date.")
    }
    return options
  }

  private func isChanged(_ file: SwiftSourceFile) -> Bool {
    let path = path(of: file)
    guard FileManager.default.fileExists(atPath: path) else { return true }
    return file.isRewritten && FileManager.default.contents(atPath: path) != Data(file.text.utf8)
  }

  private func path(of file: SwiftSourceFile) -> String {
    folder.hasSuffix("/") ? folder + file.name : "\(folder)/\(file.name)"
  }
}
