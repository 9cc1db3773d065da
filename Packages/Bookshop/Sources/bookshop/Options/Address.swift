import ArgumentParser
import Foundation

/// The address of a server.
struct Address: ExpressibleByArgument {
  let url: URL

  init?(argument: String) {
    guard let url = URL(string: argument), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      url.host()?.isEmpty == false
    else { return nil }
    self.url = url
  }
}
