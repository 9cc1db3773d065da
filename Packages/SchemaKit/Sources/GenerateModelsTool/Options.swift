import Foundation
@_spi(ModelKitInternals) import SchemaKit

/// The options of the command line.
struct Options {
  static let help = """
    USAGE: swift package --allow-writing-to-package-directory generate-models [options]

    Writes two Swift files for each entity of the model files (.xcdatamodeld, .xcdatamodel) of the package:
    Author+Generated.swift has the fields and is rewritten each time. Author.swift is for your additions, and is
    written only if it is missing.

    OPTIONS:
      --model PATH             A model file; may be given more than once. Default: all in the package.
      --output PATH            The folder for the Swift files. Default: the folder of the model file.
      --access LEVEL           internal (default), package or public.
      --style STYLE            fields (default): let title = Field<String>(); or properties: @Field var title: String?
      --module NAME            The module that the files import. Default: ModelKit if a target of the package uses
                               that product, otherwise SchemaKit.
      --transformer NAME=TYPE  The Swift type that a value transformer returns; may be given more than once.
      --check                  Write nothing; fail if a file would change. For CI.
      --dry-run                Write nothing; list the files that would be written.
      --help                   Show this.

    Relative paths begin at the folder of the package.
    """

  var package = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
  var models: [String] = []
  var output: String?
  var source = SwiftSourceOptions()
  var isCheck = false
  var isDryRun = false
  var wantsHelp = false

  /// - Throws: ``GenerationError``.
  init(_ arguments: [String]) throws {
    var module: String?
    var rest = arguments[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst(), !value.hasPrefix("--") else {
        throw GenerationError("\(option) needs a value; see --help.")
      }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--model": models.append(try value(of: argument))
      case "--output": output = try value(of: argument)
      case "--access": source.access = try Self.access(try value(of: argument))
      case "--style": source.style = try Self.style(try value(of: argument))
      case "--module": module = try Self.module(try value(of: argument))
      case "--transformer": try addTransformer(try value(of: argument))
      case "--check": isCheck = true
      case "--dry-run": isDryRun = true
      case "--help", "-h": wantsHelp = true
      // The plugin adds these two.
      case "--package": package = URL(fileURLWithPath: try value(of: argument), isDirectory: true)
      case "--umbrella": source.module = try value(of: argument) == "YES" ? "ModelKit" : "SchemaKit"
      default:
        let kind = argument.hasPrefix("-") ? "option" : "argument"
        throw GenerationError("there is no \(kind) \"\(argument)\"; see --help.")
      }
    }
    if let module { source.module = module }
  }

  private static func access(_ text: String) throws -> SwiftSourceOptions.Access {
    guard let access = SwiftSourceOptions.Access(rawValue: text) else {
      let known = SwiftSourceOptions.Access.allCases.map(\.rawValue).joined(separator: ", ")
      throw GenerationError("--access \"\(text)\" is unknown; use one of \(known).")
    }
    return access
  }

  private static func style(_ text: String) throws -> SwiftSourceOptions.Style {
    guard let style = SwiftSourceOptions.Style(rawValue: text) else {
      let known = SwiftSourceOptions.Style.allCases.map(\.rawValue).joined(separator: " or ")
      throw GenerationError("--style \"\(text)\" is unknown; use \(known).")
    }
    return style
  }

  private static func module(_ text: String) throws -> String {
    guard SwiftSourceOptions.isModuleName(text) else {
      throw GenerationError("--module \"\(text)\" is not a module name.")
    }
    return text
  }

  private mutating func addTransformer(_ text: String) throws {
    guard source.addTransformer(text) else {
      throw GenerationError("--transformer \"\(text)\" must be a name and a Swift type, as in Day=Date.")
    }
  }
}
