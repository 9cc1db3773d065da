/// The name in a `Host` header.
enum HostName {
  /// Returns the host in the value of a `Host` header, in lowercase and without the port; nil if the value is
  /// malformed.
  static func host(in authority: String) -> String? {
    let host: Substring
    let rest: Substring
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = authority[authority.index(after: authority.startIndex)..<end]
      rest = authority[authority.index(after: end)...]
      guard host.contains(":") else { return nil }
    } else {
      host = authority.prefix { $0 != ":" }
      rest = authority[host.endIndex...]
    }
    let isPort = rest.isEmpty || (rest.first == ":" && rest.utf8.dropFirst().allSatisfy(isDigit))
    guard isPort, !host.isEmpty else { return nil }
    return host.lowercased()
  }

  /// Returns whether a host is an IP address. A web page can't bind an address to another one.
  static func isAddress(_ host: String) -> Bool {
    if host.contains(":") {
      return host.utf8.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || isHex($0) }
    }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isHex(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20) }
}
