/// Rarely needed state of a field that depends on the type of its value, created when it is first needed.
final class FieldExtras<Content> {
  var setHandlers: [(Content?, Content?) -> Void] = []
  /// The link of a clone to its prototype; nil once it was detached.
  var link: CloneLink<Content>?
  /// The clones that may still follow, in the order of their creation.
  var clones: [WeakClone<Content>] = []
}

extension Field {
  final var extras: FieldExtras<Content>? {
    // Always of this type: it is set in `extrasForWriting` and nowhere else.
    details?.extras.map { unsafeDowncast($0, to: FieldExtras<Content>.self) }
  }

  final var extrasForWriting: FieldExtras<Content> {
    if let extras { return extras }
    let extras = FieldExtras<Content>()
    detailsForWriting.extras = extras
    return extras
  }
}
