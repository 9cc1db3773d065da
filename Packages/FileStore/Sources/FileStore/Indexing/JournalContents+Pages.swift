@_spi(ModelKitInternals) import StoreProtocol

extension JournalContents {
  /// The list in which ordinals are numbers.
  var epoch: Int { withIndex { $0.epoch } }

  /// The ordinal of the last of the first models of a type; 0 for none.
  func ordinal(ofLast count: Int, of type: String) -> UInt64 {
    if count == 0 { return 0 }
    return withIndex { index in index.number(of: type).map { index.types[$0].ordinal(ofLast: count) } ?? 0 }
  }
}
