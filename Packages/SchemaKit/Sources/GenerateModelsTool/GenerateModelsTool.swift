import Foundation
import SchemaKit

/// Writes model classes for the entities of model files. It is run by the plugin `generate-models`.
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

/// What the person who called has to know, as a sentence.
struct GenerationError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
