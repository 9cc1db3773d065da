/// How much of a field or model is known.
///
/// Unset, null and a value are three states: a field that was never set is `notLoaded`, one that was set to nil is
/// `loaded`.
///
/// ```swift
/// let age = Field<Int>()
/// assert(age.loadState == .notLoaded)
/// age.value = nil
/// assert(age.loadState == .loaded)
/// ```
public enum LoadState {
  /// Nothing was set yet.
  case notLoaded
  /// A part is known, such as the identifier of a model that was referred to but not read.
  case incomplete
  /// Set, read, or created with an initial value.
  case loaded
  /// Being loaded, as an app may say.
  case loading
  /// Loading failed.
  case error(any Error)
}

extension LoadState: Equatable {
  /// Compares the states; two errors are equal when their descriptions are.
  public static func == (left: LoadState, right: LoadState) -> Bool {
    switch (left, right) {
    case (.notLoaded, .notLoaded), (.incomplete, .incomplete), (.loaded, .loaded), (.loading, .loading): true
    case (.error(let left), .error(let right)): String(describing: left) == String(describing: right)
    default: false
    }
  }
}
