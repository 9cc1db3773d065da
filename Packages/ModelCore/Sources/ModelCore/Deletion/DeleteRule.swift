/// The effect on related models when a model is deleted, declared at its relation:
/// `ModelField<Book>(deleteRule: .cascade)*`.
///
/// A rule applies when the model that has the relation is deleted. With `.cascade` on `author.books`, deleting an
/// author deletes the books. Deleting a book deletes nothing else.
public enum DeleteRule: Hashable, Sendable {
  /// The related models stay, and their references to the deleted model are removed.
  case nullify
  /// The related models are deleted as well.
  case cascade
  /// The model can't be deleted while it has related models.
  case deny
}
