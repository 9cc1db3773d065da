/// How values of a document get into a model: they are loaded, or they are edits.
///
/// ```swift
/// try person.read(["name": "Ada"], as: .edit)
/// assert(person.name.isDirty)
/// ```
public enum ReadMode: Hashable, Sendable {
  /// The model has what the source has: fields are not dirty, and local changes are replaced.
  case load
  /// As if a person had typed it: fields whose values differ are set and dirty, fields with equal values stay as they are.
  /// Objects whose identifier no live model has become new models.
  case edit
}
