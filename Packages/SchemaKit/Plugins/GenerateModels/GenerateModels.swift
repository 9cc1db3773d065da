import Foundation
import PackagePlugin

/// `swift package generate-models`: writes model classes for the entities of a package's model files.
///
/// A plugin can't use the libraries of its package, so a tool does the work. Its `--help` lists the options.
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

  /// Whether a target of the package depends on the product ModelKit and can import it.
  private func usesUmbrella(_ package: Package) -> Bool {
    package.targets.contains { target in
      target.dependencies.contains { dependency in
        if case .product(let product) = dependency { product.name == "ModelKit" } else { false }
      }
    }
  }
}

/// The failure of the tool, which has already printed the error.
private struct ToolFailed: Error, CustomStringConvertible {
  let status: Int32

  var description: String { "generate-models ended with status \(status); see above" }
}
