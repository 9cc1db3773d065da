import Foundation
import RESTStore
import StoreProtocol

extension HTTPRequestData {
  /// Rejects a request that can't be sent, or whose headers could inject other ones. Values are not repeated: they may
  /// be secrets.
  ///
  /// - Throws: `ModelStoreError` with the code `invalid`, `timeout` if the time limit is not above zero, or `offline`
  ///   if only a cache may answer.
  func check() throws {
    guard ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false else {
      throw ModelStoreError(.invalid, "Nothing was sent: the URL needs the scheme http or https, and a host.")
    }
    let isSafe = headers.entries.allSatisfy { entry in
      !entry.name.isEmpty && entry.name.utf8.allSatisfy(Self.isTokenCharacter)
        && entry.value.utf8.allSatisfy { $0 == UInt8(ascii: "\t") || ($0 >= 0x20 && $0 != 0x7F) }
    }
    guard isSafe else {
      throw ModelStoreError(
        .invalid, "Nothing was sent: a header has a line break or another character that headers can't have.")
    }
    guard !method.description.isEmpty, method.description.utf8.allSatisfy(Self.isTokenCharacter) else {
      throw ModelStoreError(.invalid, "Nothing was sent: the method has a character that methods can't have.")
    }
    guard timeout > .zero else {
      throw ModelStoreError(.timeout, "Nothing was sent: no time was left for the request.")
    }
    guard cachePolicy != .onlyCache else {
      throw ModelStoreError(.offline, "Nothing was sent: only a cache may answer, and this transport has none.")
    }
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
