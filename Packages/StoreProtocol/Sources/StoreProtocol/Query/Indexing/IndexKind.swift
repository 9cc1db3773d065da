/// A kind of an index that is not the ordinary index of values.
///
/// ```swift
/// try store.index(\Book.title, .text)
/// let books = try await store.list(
///   Book.self, where: { $0.title.matches(words: "jane aust*") })
/// ```
public enum IndexKind: Hashable, Sendable {
  /// An index of the words of a text or of a list of texts, for `matches(words:)`.
  case text
}
