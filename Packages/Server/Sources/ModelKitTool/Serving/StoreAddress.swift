import ArgumentParser

/// The address of a store: `memory:` or a folder.
enum StoreAddress: ExpressibleByArgument {
  case memory
  case folder(String)

  init?(argument: String) {
    if argument == "memory:" {
      self = .memory
    } else if argument.isEmpty || argument.contains("://") {
      return nil
    } else {
      self = .folder(argument)
    }
  }

  var defaultValueDescription: String { description }

  var description: String {
    switch self {
    case .memory: "memory:"
    case .folder(let path): path
    }
  }
}
