import ArgumentParser
import FieldKit
import Foundation
import SchemaKit

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Lists the differences between two model files, or two versions of one.",
    discussion: "A version is named after a colon: Shop.xcdatamodeld:2. The status is 1 if there are differences.")

  @Argument(help: "The earlier model file.")
  var old: String
  @Argument(help: "The later model file.")
  var new: String
  @OptionGroup var output: OutputOptions

  func run() throws {
    let differences = try Self.schema(new).differences(from: Self.schema(old)).map(\.description)
    try output.print(
      ["differences": .array(differences.map { .string($0) })], differences.isEmpty ? ["No differences."] : differences)
    if !differences.isEmpty { throw ExitCode.failure }
  }

  private static func schema(_ argument: String) throws -> CoreDataSchema {
    if !FileManager.default.fileExists(atPath: argument), let colon = argument.lastIndex(of: ":") {
      let version = String(argument[argument.index(after: colon)...])
      return try CoreDataSchema(contentsOf: URL(filePath: String(argument[..<colon])), version: version)
    }
    return try CoreDataSchema(contentsOf: URL(filePath: argument))
  }
}
