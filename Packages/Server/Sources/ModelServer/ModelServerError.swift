/// An error that keeps a server from starting.
public enum ModelServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The address is reachable from other machines, and the service has no access rules.
  case publicWithoutRules(host: String)
  /// The address can't be used, for example because another process uses it.
  case unusableAddress(host: String, port: Int, reason: String)

  /// A message with the reason and a remedy.
  public var description: String {
    switch self {
    case .publicWithoutRules(let host):
      """
      The server was not started: other machines can reach \(host), and the service has no access rules, so every user \
      could read and change everything. Add access rules to the service, or listen on 127.0.0.1.
      """
    case .unusableAddress(let host, let port, let reason):
      "The server was not started: it can't listen on \(host), port \(port) (\(reason)). Choose another port or host."
    }
  }
}
