import Foundation
import SchemaKit

/// Writes model classes for the entities of model files. The plugin `generate-models` runs it.
@main struct GenerateModelsTool {
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.wantsHelp { return print(Options.help) }
      try Generation(options).run()
    } catch {
      FileHandle.standardError.write(Data("generate-models: \(error)\n".utf8))
      exit(1)
    }
  }
}

/// An error shown to the caller of the tool, as a sentence.
struct GenerationError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
