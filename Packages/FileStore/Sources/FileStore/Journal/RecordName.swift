@_spi(ModelKitInternals) import StoreProtocol

/// A record, byte by byte: two strings that Swift calls equal can be two identifiers.
struct RecordName: Hashable, Sendable {
  private let type: ExactText
  private let identifier: ExactText

  init(_ type: String, _ identifier: String) { (self.type, self.identifier) = (ExactText(type), ExactText(identifier)) }
}
