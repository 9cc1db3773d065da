import Foundation
import PackagePlugin

/// `swift package generate-models`: writes model classes for the entities of a package's model files.
///
/// A plugin can't use the libraries of its package, so a tool does the work; `--help` says what it can be told.
@main struct GenerateModels: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let tool = try context.tool(named: "GenerateModelsTool")
    let process = Process()
    process.executableURL = tool.url
    process.arguments =
      ["--package", context.package.directoryURL.path, "--umbrella", usesUmbrella(context.package) ? "YES" : "NO"]
      + arguments
    try process.run()
    process.waitUntilExit()
    if process.terminationReason != .exit || process.terminationStatus != 0 {
      throw ToolFailed(status: process.terminationStatus)
    }
  }

  /// Whether a target of the package takes the product ModelKit, and so imports that.
  private func usesUmbrella(_ package: Package) -> Bool {
    package.targets.contains { target in
      target.dependencies.contains { dependency in
        if case .product(let product) = dependency { product.name == "ModelKit" } else { false }
      }
    }
  }
}

/// The tool has said what is wrong.
private struct ToolFailed: Error, CustomStringConvertible {
  let status: Int32

  var description: String { "generate-models ended with status \(status); see above" }
}
