/// What happens to related models when a model is deleted, declared at its relation: `ModelField<Book>(deleteRule:
/// .cascade)*`.
///
/// A rule is about the model that has the relation: with `.cascade` on `author.books`, deleting an author deletes the
/// books, and deleting a book deletes nothing else.
public enum DeleteRule: Hashable, Sendable {
  /// The related models stay, and lead to the deleted one no longer.
  case nullify
  /// The related models are deleted as well.
  case cascade
  /// As long as there are related models, the model can't be deleted.
  case deny
}
