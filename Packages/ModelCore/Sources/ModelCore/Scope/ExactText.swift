/// Text that is the same as another one only if it has the same bytes.
///
/// Swift calls strings equal that differ in how an accent is written. In a store they are two identifiers.
@_spi(ModelKitInternals)
public struct ExactText: Hashable, Sendable {
  /// The text as it is.
  public let text: String

  /// Takes a text as it is.
  @inlinable
  public init(_ text: String) { self.text = text }

  /// Whether two texts have the same bytes.
  public static func == (first: ExactText, second: ExactText) -> Bool {
    let (first, second) = (first.text.utf8, second.text.utf8)
    return first.count == second.count && first.elementsEqual(second)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
