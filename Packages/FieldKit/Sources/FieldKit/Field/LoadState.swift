/// The load state of a field or model: not loaded, partially loaded or fully loaded.
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
  /// Nothing was set or read yet.
  case notLoaded
  /// A part was loaded, such as the identifier of an unloaded reference.
  case incomplete
  /// Set, read, or created with an initial value.
  case loaded
  /// Being loaded, if the app sets this state.
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
