import Foundation

/// The token of the users of a served store.
enum Token {
  /// The name of the environment variable with a token. A command line would show it to other users of the machine.
  static let variable = "MODELKIT_TOKEN"

  /// Returns the token of the environment, or a random one.
  static func current(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
    guard let given = environment[variable], !given.isEmpty else { return random() }
    let isUsable = given.utf8.count >= 16 && given.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isUsable else {
      throw ToolError(
        "\(variable) needs at least 16 ASCII characters without spaces. Without it, a token is generated.")
    }
    return given
  }

  /// Returns a token as a value in the fragment of an address.
  static func encoded(_ token: String) -> String {
    token.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", ".", "_", "~"])) ?? token
  }

  /// Returns a token of 160 random bits.
  private static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String((0..<32).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
  }
}
